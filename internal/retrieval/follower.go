package retrieval

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/knowledge"
)

const (
	pollEvery   = time.Second           // wake-ups come between
	pollHeard   = 10 * time.Second      // while notifications arrive
	mostTouched = 100_000               // chunks that are read anew one by one; with more, all is compared
	leastPause  = 10 * time.Millisecond // between two readings of the log that nobody waits for
	pauseShare  = 9                     // times what a reading took is the pause after it
	longPause   = time.Second           // and no longer, however long a reading took
	mostPause   = 30 * time.Second      // after errors
	freshWithin = 2 * time.Second       // a question waits so long for what has changed
	calmAfter   = time.Second           // nothing changes, when nothing has for so long
)

// store reads what the tables hold.
type store interface {
	// GraphMark returns the present moment of the log.
	GraphMark(ctx context.Context) (knowledge.GraphMark, error)
	// PassagesTouched returns the chunks whose passages have changed since a moment, or an
	// error that wraps knowledge.ErrGraphReload.
	PassagesTouched(ctx context.Context, since knowledge.GraphMark, most int) (knowledge.PassagesTouched, error)
	// PassageKeys yields the keys of all passages, in no order, as of the moment that it returns.
	PassageKeys(ctx context.Context, yield func(corpus.PassageKey) error) (knowledge.GraphMark, error)
	// PassagesOfSources returns the passages of chunks.
	PassagesOfSources(ctx context.Context, sources []int32) ([]corpus.StoredPassage, error)
	// OntologyNumbers returns the numbers of the ontologies by their names.
	OntologyNumbers(ctx context.Context) (map[string]int, error)
}

// passageIndex is an index.Index as it is kept.
type passageIndex interface {
	Apply(add []index.Entry, remove []int32) error
	Held(yield func(id, source, document, ontology, stamp int32))
	View() *index.View
	Size() index.Size
	Close() error
}

// Config is what a Follower needs.
type Config struct {
	Store store
	// DefinedKey returns a term as definitions of it are found; "" is none.
	DefinedKey func(term string) string

	Dir   string      // where the index is kept between starts; "" keeps it in memory
	Heard func() bool // reports whether wake-ups arrive: it polls rarely then; nil is never
	Log   *slog.Logger
}

// Follower loads an index of passages, and keeps it as the tables are.
type Follower struct {
	cfg    Config
	wake   kappa.Waker
	asked  kappa.Waker // somebody waits for the next round
	rounds *rounds

	index  passageIndex // of the goroutine that runs
	origin string       // of index
	held   held         // by index
	names  int64        // fingerprint of ontologies

	changed time.Time // when something has changed last
	version int64     // one more with each change

	current    atomic.Pointer[current]
	ontologies atomic.Pointer[map[string]int]
	loads      atomic.Int64
}

// current is what others see of a Follower.
type current struct {
	index  passageIndex // nil before the first load
	ready  bool
	reason string // why it is not
	of     int    // passages that the tables have, while it loads
	read   time.Time

	mark    knowledge.PassagesMark // that it shows at least; when it is ready
	changed time.Time              // when something has changed last
	version int64                  // of what it shows
}

// NewFollower returns a Follower that has nothing loaded.
func NewFollower(cfg Config) *Follower {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	f := &Follower{cfg: cfg, wake: kappa.NewWaker(), asked: kappa.NewWaker(), rounds: newRounds()}
	f.current.Store(&current{reason: "loading"})
	f.ontologies.Store(&map[string]int{})
	return f
}

// Wake has the log read soon. It never waits.
func (f *Follower) Wake() { f.wake.Wake() }

// Run loads the index and follows the log until ctx ends. After an error it goes on, and
// compares anew what it may have missed.
func (f *Follower) Run(ctx context.Context) error {
	defer f.close(ctx)
	pause := pollEvery
	for ctx.Err() == nil {
		err := f.follow(ctx, &pause)
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, knowledge.ErrGraphReload) {
			f.cfg.Log.InfoContext(ctx, "index of passages is compared with the tables", "reason", err)
			f.unready("comparing")
			continue
		}
		f.unready("the database is away")
		f.cfg.Log.WarnContext(ctx, "index of passages failed, trying again", "err", err, "pause", pause)
		kappa.Sleep(ctx, pause)
		pause = min(2*pause, mostPause)
	}
	return nil
}

func (f *Follower) close(ctx context.Context) {
	f.unready("stopped")
	if f.index == nil {
		return
	}
	if err := f.index.Close(); err != nil {
		f.cfg.Log.WarnContext(ctx, "index of passages was not kept whole: the next start reads what lacks", "err", err)
	}
}

// unready says that the index may be behind. It goes on to be asked. Who waits for a round
// waits no longer.
func (f *Follower) unready(reason string) {
	now := *f.current.Load()
	now.ready, now.reason = false, reason
	f.current.Store(&now)
	f.rounds.begin().end(0, nil)
}

// follow loads the index and keeps it current until an error or a change that is not
// known. It resets pause when it has loaded.
func (f *Follower) follow(ctx context.Context, pause *time.Duration) error {
	began := time.Now()
	mark, err := f.cfg.Store.GraphMark(ctx)
	if err != nil {
		return err
	}
	if err := f.open(ctx, mark.Origin); err != nil {
		return err
	}
	mark, loaded, err := f.load(ctx)
	if err != nil {
		return err
	}
	for {
		read, first := time.Now(), !f.current.Load().ready
		if mark, err = f.round(ctx, mark); err != nil {
			return err
		}
		if *pause = pollEvery; first {
			f.loads.Add(1)
			f.cfg.Log.InfoContext(ctx, "index of passages is loaded", "passages", f.index.View().Passages(), "read", loaded, "took", time.Since(began))
		}
		if !f.rest(ctx, read) {
			return nil
		}
	}
}

// round reads the log once, applies what it says, and shows the index as of then: who has
// joined the round sees it, and who asks Latest afterwards sees nothing older.
func (f *Follower) round(ctx context.Context, since knowledge.GraphMark) (knowledge.GraphMark, error) {
	r := f.rounds.begin()
	began := time.Now()
	touched, err := f.cfg.Store.PassagesTouched(ctx, since, mostTouched)
	if err == nil {
		if len(touched.Sources) > 0 || touched.Ontologies != f.names || !f.current.Load().ready {
			f.version++
		}
		err = f.nameOntologies(ctx, touched.Ontologies)
	}
	if err == nil && len(touched.Sources) > 0 {
		f.changed = began
		err = f.apply(ctx, touched.Sources)
	}
	if err == nil {
		mark := knowledge.PassagesMark{GraphMark: touched.Until, Ontologies: f.names}
		f.current.Store(&current{index: f.index, ready: true, read: began, mark: mark, changed: f.changed, version: f.version})
	}
	r.end(touched.Until.Epoch, err)
	return touched.Until, err
}

// nameOntologies reads the names of the ontologies when they have changed.
func (f *Follower) nameOntologies(ctx context.Context, fingerprint int64) error {
	if fingerprint == f.names {
		return nil
	}
	names, err := f.cfg.Store.OntologyNumbers(ctx)
	if err == nil {
		f.names = fingerprint
		f.ontologies.Store(&names)
	}
	return err
}

// rest waits until the log is to be read again, and returns false when ctx has ended: at
// once for a question that waits, and else for nine times what the reading took. While
// wake-ups arrive it polls rarely, and asks each interval whether they still do.
func (f *Follower) rest(ctx context.Context, read time.Time) bool {
	if asked, ok := f.wait(ctx, min(max(leastPause, pauseShare*time.Since(read)), longPause), nil); asked || !ok {
		return ok
	}
	for {
		woken, ok := f.wait(ctx, pollEvery, f.wake.C())
		if woken || !ok {
			return ok
		}
		if f.cfg.Heard == nil || !f.cfg.Heard() || time.Since(read) >= pollHeard {
			return true
		}
	}
}

// wait waits for a time, a question, or a wake-up; ok is false when ctx has ended.
func (f *Follower) wait(ctx context.Context, d time.Duration, wake <-chan struct{}) (woken, ok bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false, false
	case <-timer.C:
		return false, true
	case <-f.asked.C():
	case <-wake:
	}
	return true, true
}
