package passages

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

const (
	// upkeepEvery is how long it takes at most until an archive that was restored is cut.
	upkeepEvery = 20 * time.Second
	// upkeepTimeout bounds the reading and the writing of one document.
	upkeepTimeout = 2 * time.Minute
	// documentsAtOnce is how many documents are asked for at once.
	documentsAtOnce = 100
	// restMost is how long a document that cannot be cut rests at most until it is tried again.
	restMost = time.Hour
)

// uncutStore is what an Upkeep asks; see postgres.PassageStore.
type uncutStore interface {
	UncutDocuments(ctx context.Context, after int32, most int) ([]corpus.UncutDocument, error)
	// OutdatedDocuments are those that other rules have cut.
	OutdatedDocuments(ctx context.Context, after int32, most int) ([]corpus.UncutDocument, error)
	ChunksToCut(ctx context.Context, document int32) ([]corpus.UncutChunk, error)
	// CutChunks stores passages by the numbers of their chunks, of those that are not cut yet, in
	// the place of those that they had.
	CutChunks(ctx context.Context, term int64, chunks []int32, passages map[int32][]corpus.Passage) error
}

// UpkeepConfig is what an Upkeep works with.
type UpkeepConfig struct {
	Store  uncutStore
	Cutter Cutter
	Log    *slog.Logger
}

// Upkeep cuts the documents that have no passages: those of an older version, and of archives
// that have none; and then those that older rules have cut, for no more than half of its time. It
// puts the text of a document together from its chunks.
type Upkeep struct{ cfg UpkeepConfig }

// NewUpkeep returns an Upkeep; Run makes it cut.
func NewUpkeep(cfg UpkeepConfig) *Upkeep {
	kappa.Require(cfg, "Cutter")
	return &Upkeep{cfg}
}

// resting are the documents that could not be cut, by number.
type resting map[int32]rest

type rest struct {
	failures int
	until    time.Time
	err      error
}

// failed records that a document could not be cut again. It is tried at once in the next round,
// and then ever more rarely: reading a large one costs seconds.
func (r resting) failed(document int32, err error) {
	failures := r[document].failures + 1
	wait := restMost
	if shift := failures - 2; shift < 8 {
		wait = min(upkeepEvery<<max(shift, 0), restMost)
	}
	if failures == 1 {
		wait = 0
	}
	r[document] = rest{failures, time.Now().Add(wait), err}
}

// Run cuts under the leader's term until ctx ends; it returns nil.
func (u *Upkeep) Run(ctx context.Context, term int64) error {
	loop := kappa.Loop{Name: "cutting documents into passages", Every: upkeepEvery, Log: u.cfg.Log}
	failing := resting{}
	return loop.Run(ctx, func(ctx context.Context) error { return u.round(ctx, term, failing) })
}

// round cuts all that is to be cut, apart from what rests. Its error is that of a document that
// cannot be cut, also while that rests.
func (u *Upkeep) round(ctx context.Context, term int64, failing resting) error {
	var failed error
	for outdated := int32(-1); ; {
		// What has no passages is not found at all: it comes before what has old ones, and in between.
		for after := int32(-1); ; {
			n, last, err := u.page(ctx, term, failing, u.cfg.Store.UncutDocuments, after, 0)
			if failed = cmp.Or(failed, err); ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if after = last; n == 0 {
				break
			}
		}
		n, last, err := u.page(ctx, term, failing, u.cfg.Store.OutdatedDocuments, outdated, 1)
		if failed = cmp.Or(failed, err); ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if outdated = last; n == 0 {
			return failed
		}
	}
}

// page cuts the next documents of a list, with so many times a rest of as long as it took after
// each. It returns how many there were, and the number of the last.
func (u *Upkeep) page(ctx context.Context, term int64, failing resting, list func(ctx context.Context, after int32, most int) ([]corpus.UncutDocument, error), after int32, rests int) (n int, last int32, failed error) {
	documents, err := list(ctx, after, documentsAtOnce)
	if err != nil {
		return 0, after, err
	}
	cut := 0
	for _, d := range documents {
		after = d.Number
		if r := failing[d.Number]; r.failures > 0 && time.Now().Before(r.until) {
			failed = r.err
			continue
		}
		began := time.Now()
		switch err := u.cut(ctx, term, d); {
		case ctx.Err() != nil:
			return 0, after, context.Cause(ctx)
		case err != nil:
			failed = fmt.Errorf("cut the document %s: %w", d.DocumentID, err)
			failing.failed(d.Number, failed)
		default:
			delete(failing, d.Number)
			cut++
		}
		kappa.Sleep(ctx, time.Duration(rests)*time.Since(began))
	}
	if cut > 0 {
		u.cfg.Log.InfoContext(ctx, "documents cut into passages", "documents", cut)
	}
	return len(documents), after, failed
}

// cut cuts a document. A panic on the way is its error: the server goes on.
func (u *Upkeep) cut(ctx context.Context, term int64, d corpus.UncutDocument) (err error) {
	defer func() {
		if p := recover(); p != nil {
			u.cfg.Log.ErrorContext(ctx, "cutting a document panicked", "document", d.DocumentID, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("it panicked: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, upkeepTimeout)
	defer cancel()
	chunks, err := u.cfg.Store.ChunksToCut(ctx, d.Number)
	if err != nil {
		return err
	}
	passages, number := map[int32][]corpus.Passage{}, 0
	for _, r := range runsOf(chunks) {
		maps.Copy(passages, r.cut(u.cfg.Cutter, d.ContentType.Markup(), &number))
	}
	var uncut []int32
	for _, c := range chunks {
		if !c.IsCut {
			uncut = append(uncut, c.Number)
		}
	}
	return u.cfg.Store.CutChunks(ctx, term, uncut, passages)
}
