package index

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	// fileLeast is how many passages a segment in a file has at least. Fewer are in memory
	// until they are merged.
	fileLeast = 2000
	// batchMost is how many entries become a segment at once.
	batchMost = 16_384
)

var errClosed = errors.New("the index is closed")

// Index holds passages. Changes come one after another; any number of goroutines read Views.
type Index struct {
	folder  *folder // nil in memory
	origin  string
	log     *slog.Logger
	view    atomic.Pointer[View]
	stopped atomic.Bool
	merging sync.WaitGroup
	least   int // how many passages a segment in a file has

	mu        sync.Mutex      // guards what follows, and changes of the View
	number    uint64          // of the last segment
	documents map[int32]int32 // how many passages each has
	builder   builder
	busy      bool      // a merge goes on
	merged    sync.Cond // a merge has ended
}

// Open opens the index in a folder, which is made where there is none. With "" it is in
// memory. Files of another origin, which names the database that the passages come from, and
// files that are damaged are thrown away: Held says what is left. When another process has the
// folder, the error is a [LockedError].
func Open(dir, origin string, log *slog.Logger) (*Index, error) {
	return open(dir, origin, log, fileLeast)
}

// open is Open where segments of so many passages, and larger ones, are files.
func open(dir, origin string, log *slog.Logger, least int) (*Index, error) {
	x := &Index{origin: origin, log: log, least: least, documents: map[int32]int32{}}
	x.merged.L = &x.mu
	if dir == "" {
		x.publish(nil)
		return x, nil
	}
	f, err := openFolder(dir, origin, log)
	if err != nil {
		return nil, err
	}
	segments, err := f.segments()
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	x.folder = f
	parts := partsOf(segments)
	for _, p := range parts {
		x.number = max(x.number, p.head.Number)
		p.each(func(i uint32) { x.documents[p.document(i)]++ })
	}
	x.publish(parts)
	x.mergeInBackground()
	return x, nil
}

// Close ends the merge in the background, writes what is only in memory into a file, and lets
// go of the folder. Views stay readable.
func (x *Index) Close() error {
	x.stopped.Store(true)
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.busy {
		x.merged.Wait()
	}
	if x.folder == nil {
		return nil
	}
	err := x.keep()
	if closed := x.folder.close(); err == nil {
		err = closed
	}
	return err
}

// Apply removes passages by their IDs, then adds others; one that is held already is replaced.
// Views that are made after it has returned have the change. When it fails, the index has all
// removals, and a first part of the entries.
func (x *Index) Apply(add []Entry, remove []int32) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stopped.Load() {
		return errClosed
	}
	gone := remove
	if len(add) > 0 {
		gone = slices.Clone(remove)
		for i := range add {
			gone = append(gone, add[i].ID)
		}
	}
	parts := x.without(x.view.Load().parts, gone)
	for batch := range slices.Chunk(lastOfEach(add), batchMost) {
		s, err := x.build(batch)
		if err != nil {
			x.publish(parts)
			return fmt.Errorf("add passages to the index: %w", err)
		}
		for i := range batch {
			x.documents[batch[i].Document]++
		}
		parts = append(parts, &part{segment: s})
		x.publish(parts)
	}
	x.publish(parts)
	x.mergeInBackground()
	return nil
}

// lastOfEach returns the entries, of several with the same ID the last.
func lastOfEach(add []Entry) []Entry {
	if len(add) < 2 {
		return add
	}
	last := make(map[int32]int, len(add))
	for i := range add {
		last[add[i].ID] = i
	}
	if len(last) == len(add) {
		return add
	}
	var kept []Entry
	for i := range add {
		if last[add[i].ID] == i {
			kept = append(kept, add[i])
		}
	}
	return kept
}

// build makes a segment of entries, in a file when there are enough.
func (x *Index) build(entries []Entry) (*segment, error) {
	v := x.view.Load()
	total := v.words
	for i := range entries {
		total += int64(len(entries[i].Text.Words))
	}
	average := float64(total) / float64(v.passages+len(entries))
	h := x.head(nil)
	return x.make(h.Number, len(entries), func(to io.Writer) error { return x.builder.build(to, h, entries, average) })
}

// head returns the head of a new segment.
func (x *Index) head(parents []uint64) *head {
	x.number++
	return &head{Number: x.number, Parents: parents, Origin: x.origin}
}

// make makes a segment of what write writes.
func (x *Index) make(number uint64, passages int, write func(io.Writer) error) (*segment, error) {
	if x.folder != nil && passages >= x.least {
		return x.folder.write(number, write)
	}
	var buffer bytes.Buffer
	if err := write(&buffer); err != nil {
		return nil, err
	}
	return openSegment(bytes.Clone(buffer.Bytes()))
}

// without returns the parts without passages of these IDs.
func (x *Index) without(parts []*part, ids []int32) []*part {
	parts = slices.Clone(parts)
	if len(ids) == 0 {
		return parts
	}
	for i, p := range parts {
		var changed *part
		for _, id := range ids {
			passage, ok := p.find(id)
			if !ok || p.dead.has(passage) {
				continue
			}
			if changed == nil {
				changed = p.copied()
			}
			if changed.kill(passage) {
				x.forget(p.document(passage))
			}
		}
		if changed != nil {
			parts[i] = changed
		}
	}
	return parts
}

// forget counts a passage less of a document.
func (x *Index) forget(document int32) {
	if x.documents[document]--; x.documents[document] == 0 {
		delete(x.documents, document)
	}
}

// publish makes the parts visible. Those without a living passage go.
func (x *Index) publish(parts []*part) {
	v := &View{documents: len(x.documents)}
	for _, p := range parts {
		if p.live() == 0 {
			x.drop(p)
			continue
		}
		v.parts = append(v.parts, p)
		v.passages += p.live()
		v.words += p.head.Words - p.deadWords
	}
	slices.SortStableFunc(v.parts, func(a, b *part) int { return b.len() - a.len() })
	x.view.Store(v)
}

// Held calls yield with each passage that is held.
func (x *Index) Held(yield func(id, source, document, ontology, stamp int32)) {
	v := x.view.Load()
	defer keepAlive(v)
	for _, p := range v.parts {
		p.each(func(i uint32) {
			r := p.row(i)
			yield(r.ID, r.Source, r.Document, r.Ontology, r.stamp)
		})
	}
}

// View returns what is held now. It does not change, and costs nothing.
func (x *Index) View() *View { return x.view.Load() }
