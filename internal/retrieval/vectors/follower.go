package vectors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

const (
	pollEvery   = time.Second           // wake-ups come between
	pollHeard   = 10 * time.Second      // while notifications arrive, and without a model
	leastPause  = 50 * time.Millisecond // between two readings of the log
	mostTouched = 100_000               // chunks that are read anew one by one; with more, all is
	pageSources = 500                   // chunks that are read at once
	mostPause   = 30 * time.Second      // after errors
	retryLarge  = 10 * time.Minute      // after which a set that was too large is tried again
)

// store reads what the tables hold.
type store interface {
	// GraphMark returns the present moment of the log.
	GraphMark(ctx context.Context) (knowledge.GraphMark, error)
	// PassagesEmbedded returns the chunks whose passages, or the embeddings of these, have
	// changed since a moment, or an error that wraps knowledge.ErrGraphReload.
	PassagesEmbedded(ctx context.Context, since knowledge.GraphMark, most int) (knowledge.PassagesTouched, error)
	// PassageSignatures returns the signatures of passages of chunks by a model.
	PassageSignatures(ctx context.Context, model string, sources []int32) ([]corpus.SignedPassage, error)
	// EachPassageSignature yields the signatures of all passages by a model.
	EachPassageSignature(ctx context.Context, model string, yield func(corpus.SignedPassage) error) error
	// PassageVectors returns the embeddings of passages by a model.
	PassageVectors(ctx context.Context, model string, ids []int32) (map[int32]models.Embedding, error)
}

// Config is what a Follower needs.
type Config struct {
	Store    store
	Embedder models.Embedder // may change meanwhile, see models.PinnedEmbedder; the follower is woken then
	Memory   int64           // bytes that the signatures may take; 0 = none are kept
	Heard    func() bool     // reports whether wake-ups arrive: it polls rarely then; nil is never
	Log      *slog.Logger
}

// Follower keeps the signatures of the passages as the tables are.
type Follower struct {
	cfg  Config
	wake kappa.Waker

	set   atomic.Pointer[set] // nil: not ready
	state atomic.Pointer[state]
	loads atomic.Int64
}

// state is what others see of a Follower that is not ready, and when it read the log last.
type state struct {
	model, reason string
	read          time.Time
}

// errTooLarge reports that the signatures would take more memory than they may.
var errTooLarge = errors.New("the signatures of passages would take more memory than they may")

// NewFollower returns a Follower that has nothing loaded.
func NewFollower(cfg Config) *Follower {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	f := &Follower{cfg: cfg, wake: kappa.NewWaker()}
	f.state.Store(&state{reason: "loading"})
	return f
}

// Wake has the log read soon. It never waits.
func (f *Follower) Wake() { f.wake.Wake() }

// model returns the model by which passages are embedded now; "" is none: the built-in one
// compares names only, and finds no passage.
func (f *Follower) model() string {
	if m := models.PinnedEmbedder(f.cfg.Embedder).Model(); !m.NamesOnly && f.cfg.Memory > 0 {
		return m.Name
	}
	return ""
}

// Run loads the signatures and follows the log until ctx ends. After an error it goes on, and
// loads anew what it may have missed. Without a model it reads nothing.
func (f *Follower) Run(ctx context.Context) error {
	defer f.unready("", "stopped")
	pause := pollEvery
	for ctx.Err() == nil {
		model := f.model()
		if model == "" {
			f.unready("", "no model that embeds passages")
			f.wait(ctx, pollHeard)
			continue
		}
		err := f.follow(ctx, model, &pause)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errTooLarge):
			f.cfg.Log.WarnContext(ctx, "questions are answered by words alone: raise KG_SEARCH_MEMORY", "err", err, "limit", f.cfg.Memory)
			f.unready(model, knowledge.SearchIndexTooLarge)
			kappa.Sleep(ctx, retryLarge)
		case errors.Is(err, knowledge.ErrGraphReload):
			f.cfg.Log.InfoContext(ctx, "signatures of passages are loaded anew", "reason", err)
			f.unready(model, "loading")
		default:
			f.unready(model, "the database is away")
			f.cfg.Log.WarnContext(ctx, "signatures of passages failed, trying again", "err", err, "pause", pause)
			kappa.Sleep(ctx, pause)
			pause = min(2*pause, mostPause)
		}
	}
	return nil
}

func (f *Follower) unready(model, reason string) {
	f.set.Store(nil)
	f.state.Store(&state{model: model, reason: reason})
}

// follow loads the signatures by a model and keeps them current until an error or another model.
// It resets pause when it has loaded.
func (f *Follower) follow(ctx context.Context, model string, pause *time.Duration) error {
	began := time.Now()
	mark, err := f.cfg.Store.GraphMark(ctx)
	if err != nil {
		return err
	}
	s, err := f.load(ctx, model)
	if err != nil {
		return err
	}
	for {
		if now := f.model(); now != model {
			return fmt.Errorf("%w: %q embeds in place of %s", knowledge.ErrGraphReload, now, model)
		}
		read := time.Now()
		touched, err := f.cfg.Store.PassagesEmbedded(ctx, mark, mostTouched)
		if err != nil {
			return err
		}
		if err := f.apply(ctx, s, touched.Sources); err != nil {
			return err
		}
		mark = touched.Until
		if f.set.Swap(s) == nil {
			*pause = pollEvery
			f.loads.Add(1)
			f.cfg.Log.InfoContext(ctx, "signatures of passages are loaded", "model", model, "passages", s.len(), "took", time.Since(began))
		}
		f.state.Store(&state{model: model, read: read})
		every := pollEvery
		if f.cfg.Heard != nil && f.cfg.Heard() {
			every = pollHeard
		}
		if !kappa.Sleep(ctx, leastPause) || !f.wait(ctx, every) {
			return nil
		}
	}
}

// wait waits for a wake-up, and no longer than a time. It returns false when ctx has ended.
func (f *Follower) wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
	case <-f.wake.C():
	}
	return true
}

// load reads all signatures, as of its own moment: what changes meanwhile is in the log.
func (f *Follower) load(ctx context.Context, model string) (*set, error) {
	s := newSet(model)
	err := f.cfg.Store.EachPassageSignature(ctx, model, func(p corpus.SignedPassage) error {
		s.add(p)
		return f.fits(s)
	})
	return s, err
}

func (f *Follower) fits(s *set) error {
	if s.bytes() > f.cfg.Memory {
		return errTooLarge
	}
	return nil
}

// apply reads the signatures of the passages of chunks anew.
func (f *Follower) apply(ctx context.Context, s *set, sources []int32) error {
	for len(sources) > 0 {
		some := sources[:min(pageSources, len(sources))]
		sources = sources[len(some):]
		passages, err := f.cfg.Store.PassageSignatures(ctx, s.model, some)
		if err != nil {
			return err
		}
		s.replace(some, passages)
	}
	return f.fits(s)
}

// Status returns how the signatures are, as an operator is shown it; nil without a model that
// embeds passages.
func (f *Follower) Status() *knowledge.PassageVectorStatus {
	now := f.state.Load()
	if now.model == "" {
		return nil
	}
	status := &knowledge.PassageVectorStatus{Model: now.model, Reason: now.reason, Limit: f.cfg.Memory, Loads: f.loads.Load()}
	if s := f.set.Load(); s != nil {
		status.Ready, status.Passages, status.Bytes = true, s.len(), s.bytes()
		status.Lag = new(time.Since(now.read).Seconds())
	}
	return status
}
