package dataset

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/files"
)

// The sizes of the pieces of an answer in memory: small ones hold little.
const (
	firstPiece = 4 << 10
	mostPiece  = 256 << 10
)

// held bounds what the server has in its memory of all the answers that are not read yet,
// however slow their readers are. What is above it goes to the disk.
type held struct {
	most int64 // bytes, of all
	each int64 // likewise, of one
	disk *files.Files

	mu   sync.Mutex
	used int64
}

func (h *held) reserve(bytes int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.used+bytes > h.most {
		return false
	}
	h.used += bytes
	return true
}

func (h *held) release(bytes int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.used -= bytes
}

// kept is an answer, in memory or on the disk. One goroutine at a time uses it.
type kept struct {
	by       *held
	pieces   [][]byte
	reserved int64
	spool    *files.Spool // nil = all of it is in memory
}

// add appends. It returns a CodeUnavailable datasets.Error when there is no room left,
// neither in memory nor on the disk.
func (k *kept) add(b []byte) error {
	for len(b) > 0 && k.spool == nil {
		last := len(k.pieces) - 1
		if last >= 0 && len(k.pieces[last]) < cap(k.pieces[last]) {
			n := min(len(b), cap(k.pieces[last])-len(k.pieces[last]))
			k.pieces[last] = append(k.pieces[last], b[:n]...)
			b = b[n:]
			continue
		}
		next := min(max(k.reserved, firstPiece), mostPiece)
		if k.reserved+next <= k.by.each && k.by.reserve(next) {
			k.reserved += next
			k.pieces = append(k.pieces, make([]byte, 0, next))
			continue
		}
		if err := k.spill(); err != nil {
			return err
		}
	}
	if len(b) == 0 {
		return nil
	}
	_, err := k.spool.Write(b)
	return noRoom(err)
}

// spill moves what is in memory to the disk.
func (k *kept) spill() error {
	spool, err := k.by.disk.Spool()
	if err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	k.spool = spool
	for _, piece := range k.pieces {
		if _, err := spool.Write(piece); err != nil {
			return noRoom(err)
		}
	}
	k.free()
	return nil
}

// noRoom says to the caller that the disk has no room for answers.
func noRoom(err error) error {
	if !errors.Is(err, files.ErrNoRoom) {
		return err
	}
	return &datasets.Error{
		Type: datasets.ErrMemory, Code: kappa.CodeUnavailable, RetryAfter: retryAfter,
		Message: "the server holds as much of answers that others have not read yet as it may; ask again in a few seconds, or ask for less",
	}
}

// free gives the memory back.
func (k *kept) free() {
	k.by.release(k.reserved)
	k.pieces, k.reserved = nil, 0
}

// writeTo writes all of it.
func (k *kept) writeTo(w io.Writer) error {
	if k.spool != nil {
		if _, err := io.Copy(w, k.spool.Content()); err != nil {
			return fmt.Errorf("send an answer: %w", err)
		}
		return nil
	}
	for _, piece := range k.pieces {
		if _, err := w.Write(piece); err != nil {
			return fmt.Errorf("send an answer: %w", err)
		}
	}
	return nil
}

// close forgets it.
func (k *kept) close() {
	k.free()
	if k.spool != nil {
		k.spool.Close()
		k.spool = nil
	}
}
