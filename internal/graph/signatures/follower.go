package signatures

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	pollEvery   = time.Second            // wake-ups come between
	pollHeard   = 10 * time.Second       // while notifications arrive
	pageSize    = 2000                   // concepts that are read at once
	mostChanges = 500_000                // that are read at once; with more, all is read anew
	leastPause  = 10 * time.Millisecond  // between two readings of the log
	freshWithin = 200 * time.Millisecond // a search waits for what is known to have changed
	pauseShare  = 9                      // times what a reading took is the pause after it: it is busy for a tenth of the time
	longPause   = time.Second            // and no longer, however long a reading took
	mostPause   = 30 * time.Second       // after errors
	retryLarge  = 10 * time.Minute       // after which an index that was too large is tried again
)

// store reads what the tables hold.
type store interface {
	// GraphMark returns the present moment of the log.
	GraphMark(ctx context.Context) (knowledge.GraphMark, error)
	// GraphChanges returns what has changed since a moment, or an error that wraps
	// knowledge.ErrGraphReload.
	GraphChanges(ctx context.Context, since knowledge.GraphMark, most int) (knowledge.GraphChanges, error)
	// SearchPage returns the entries of the first concepts after a number.
	SearchPage(ctx context.Context, model string, after, most int) ([]questions.SearchEntry, error)
	// SearchEntries returns the entries of those concepts that there are.
	SearchEntries(ctx context.Context, model string, ids []int) ([]questions.SearchEntry, error)
	// OntologyNumbers returns the numbers of the ontologies by their names.
	OntologyNumbers(ctx context.Context) (map[string]int, error)
}

// Config is what a Follower needs.
type Config struct {
	Store    store
	ModelNow func() string // returns the model whose embeddings are held; the follower is woken when that changes
	Memory   int64         // bytes that the index may take; 0 = it is off
	Heard    func() bool   // reports whether wake-ups arrive: it polls rarely then; nil is never
	Log      *slog.Logger
}

// Follower loads an Index and keeps it as the tables are.
type Follower struct {
	cfg   Config
	wake  kappa.Waker
	asked kappa.Waker  // somebody waits for the next reading
	heard atomic.Int64 // wake-ups

	mu   sync.Mutex
	read chan struct{} // closed and replaced when the log has been read
	has  int64         // of the wake-ups: what they were about is in the index

	index atomic.Pointer[Index] // nil: not ready
	state atomic.Pointer[State]
	loads atomic.Int64
}

// State says how a Follower is.
type State struct {
	Ready    bool
	Reason   string    // why it is not
	Concepts int       // in the index
	Bytes    int64     // about what it takes
	Vectors  bool      // the index holds the embeddings too
	Current  time.Time // when it last knew all that the tables held
}

// Status returns how the follower is, as an operator is shown it.
func (f *Follower) Status() knowledge.SearchIndexStatus {
	s := f.State()
	status := knowledge.SearchIndexStatus{
		Ready: s.Ready, Reason: s.Reason, Concepts: s.Concepts, Embeddings: s.Vectors,
		Bytes: s.Bytes, Limit: max(0, f.cfg.Memory), Loads: f.loads.Load(),
	}
	if s.Ready {
		lag := time.Since(s.Current).Seconds()
		status.Lag = &lag
	}
	return status
}

// errTooLarge reports that the index would take more memory than it may.
var errTooLarge = errors.New("the index would take more memory than it may")

// NewFollower returns a Follower that has nothing loaded.
func NewFollower(cfg Config) *Follower {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	f := &Follower{cfg: cfg, wake: kappa.NewWaker(), asked: kappa.NewWaker(), read: make(chan struct{})}
	f.state.Store(&State{Reason: "loading"})
	return f
}

// Index returns the index for a model, or nil when it is not ready: the tables answer
// then. It is to be asked at once and not kept.
func (f *Follower) Index(model string) *Index {
	x := f.index.Load()
	if x == nil || x.model != model {
		return nil
	}
	return x
}

// State returns how the follower is.
func (f *Follower) State() State { return *f.state.Load() }

// Wake has the log read soon. It never waits.
func (f *Follower) Wake() {
	f.heard.Add(1)
	f.wake.Wake()
}

// Fresh waits until the index has what the wake-ups so far were about, so that a search after
// the end of a job finds what the job has stored. It waits for a fifth of a second at most,
// and not at all for an index that is not ready.
func (f *Follower) Fresh(ctx context.Context) {
	heard := f.heard.Load()
	ctx, cancel := context.WithTimeout(ctx, freshWithin)
	defer cancel()
	for f.index.Load() != nil {
		f.mu.Lock()
		has, read := f.has, f.read
		f.mu.Unlock()
		if has >= heard {
			return
		}
		f.asked.Wake()
		select {
		case <-read:
		case <-ctx.Done():
			return
		}
	}
}

// took says that the index has what so many wake-ups were about.
func (f *Follower) took(heard int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.has = heard
	close(f.read)
	f.read = make(chan struct{})
}

// Run loads the index and follows the log until ctx ends. After an error it goes on, and
// loads anew what it may have missed.
func (f *Follower) Run(ctx context.Context) error {
	if f.cfg.Memory <= 0 {
		f.unready("switched off")
		<-ctx.Done()
		return nil
	}
	defer f.unready("stopped")
	pause := pollEvery
	for ctx.Err() == nil {
		err := f.follow(ctx, &pause)
		if ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, errTooLarge) {
			f.cfg.Log.WarnContext(ctx, "search reads the tables: raise KG_SEARCH_MEMORY", "err", err, "limit", f.cfg.Memory)
			f.unready(knowledge.SearchIndexTooLarge)
			kappa.Sleep(ctx, retryLarge)
			continue
		}
		f.unready("loading")
		if errors.Is(err, knowledge.ErrGraphReload) {
			f.cfg.Log.InfoContext(ctx, "index of the search is loaded anew", "reason", err)
			continue
		}
		f.cfg.Log.WarnContext(ctx, "index of the search failed, trying again", "err", err, "pause", pause)
		kappa.Sleep(ctx, pause)
		pause = min(2*pause, mostPause)
	}
	return nil
}

func (f *Follower) unready(reason string) {
	f.index.Store(nil)
	f.state.Store(&State{Reason: reason})
}

// follow loads the index and keeps it current until an error or a change that is not
// known. It resets pause when it has loaded.
func (f *Follower) follow(ctx context.Context, pause *time.Duration) error {
	began := time.Now()
	mark, err := f.cfg.Store.GraphMark(ctx)
	if err != nil {
		return err
	}
	x, err := f.load(ctx)
	if err != nil {
		return err
	}
	loaded := false
	for {
		heard := f.heard.Load()
		read := time.Now()
		if model := f.cfg.ModelNow(); model != x.model {
			return fmt.Errorf("%w: %s embeds in place of %s", knowledge.ErrGraphReload, model, x.model)
		}
		changes, err := f.cfg.Store.GraphChanges(ctx, mark, mostChanges)
		if err != nil {
			return err
		}
		concepts, all := touched(changes.Changes)
		if all {
			return fmt.Errorf("%w: ontologies or documents were renamed or moved", knowledge.ErrGraphReload)
		}
		if concepts, err = f.show(ctx, x, changes.Changes, concepts); err != nil {
			return err
		}
		if err := f.apply(ctx, x, concepts); err != nil {
			return err
		}
		mark = changes.Until
		if !loaded {
			loaded, *pause = true, pollEvery
			f.loads.Add(1)
			f.index.Store(x)
			f.cfg.Log.InfoContext(ctx, "index of the search is loaded", "concepts", x.Len(), "bytes", x.Bytes(), "vectors", x.HoldsVectors(), "took", time.Since(began))
		}
		f.state.Store(&State{Ready: true, Concepts: x.Len(), Bytes: x.Bytes(), Vectors: x.HoldsVectors(), Current: read})
		f.took(heard)
		rests := min(max(leastPause, pauseShare*time.Since(read)), longPause)
		if !kappa.Sleep(ctx, leastPause) || !wait(ctx, rests-leastPause, f.asked.C()) || !f.rest(ctx, read) {
			return nil
		}
	}
}

// rest waits until the log is to be read again, and returns false when ctx has ended.
// While wake-ups arrive it polls rarely, and asks each interval whether they still do.
func (f *Follower) rest(ctx context.Context, read time.Time) bool {
	for {
		timer := time.NewTimer(pollEvery)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-f.wake.C():
			timer.Stop()
			return true
		case <-timer.C:
		}
		if f.cfg.Heard == nil || !f.cfg.Heard() || time.Since(read) >= pollHeard {
			return true
		}
	}
}

// touched returns the concepts that changes name, each once; all says that it may be
// any.
func touched(changes []knowledge.GraphChange) (concepts []int, all bool) {
	for _, c := range changes {
		switch c.Op {
		case knowledge.OpAddConcept, knowledge.OpRemoveConcept, questions.OpTouchConcept:
			if c.Concept.Number == 0 {
				return nil, true
			}
			concepts = append(concepts, int(c.Concept.Number))
		}
	}
	slices.Sort(concepts)
	return slices.Compact(concepts), false
}

// show adds the ontologies that show a concept, and returns the concepts that are to be
// read: those of anew, for which it does not matter, and the ones that x does not have.
func (f *Follower) show(ctx context.Context, x *Index, changes []knowledge.GraphChange, anew []int) ([]int, error) {
	for _, c := range changes {
		if c.Op != questions.OpShowConcept {
			continue
		}
		if !x.knows(c.Ontology) {
			if err := f.nameOntologies(ctx, x); err != nil {
				return nil, err
			}
		}
		if id := int(c.Concept.Number); !x.Show(id, c.Ontology) {
			anew = append(anew, id)
		}
	}
	slices.Sort(anew)
	return slices.Compact(anew), nil
}

// wait returns true after a time or at a wake-up, and false when ctx has ended.
func wait(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
	case <-wake:
	}
	return true
}

// load reads every concept, page by page, each as of its own moment: what changes
// meanwhile is in the log.
func (f *Follower) load(ctx context.Context) (*Index, error) {
	x := NewIndex(true)
	x.model = f.cfg.ModelNow()
	if err := f.nameOntologies(ctx, x); err != nil {
		return nil, err
	}
	for after := 0; ; {
		entries, err := f.cfg.Store.SearchPage(ctx, x.model, after, pageSize)
		if err != nil {
			return nil, err
		}
		if err := f.put(ctx, x, entries); err != nil {
			return nil, err
		}
		if len(entries) < pageSize {
			x.Tidy(true)
			return x, f.fit(ctx, x)
		}
		after = entries[len(entries)-1].ID
	}
}

// apply reads concepts anew. Those that are not there any more are removed.
func (f *Follower) apply(ctx context.Context, x *Index, ids []int) error {
	for len(ids) > 0 {
		some := ids[:min(pageSize, len(ids))]
		ids = ids[len(some):]
		entries, err := f.cfg.Store.SearchEntries(ctx, x.model, some)
		if err != nil {
			return err
		}
		there := make(map[int]bool, len(entries))
		for _, e := range entries {
			there[e.ID] = true
		}
		var gone []int
		for _, id := range some {
			if !there[id] {
				gone = append(gone, id)
			}
		}
		x.Remove(gone)
		if err := f.put(ctx, x, entries); err != nil {
			return err
		}
		x.Tidy(false)
	}
	return nil
}

func (f *Follower) put(ctx context.Context, x *Index, entries []questions.SearchEntry) error {
	unknown := false
	for _, e := range entries {
		if len(e.Embedding) > math.MaxUint16 {
			return fmt.Errorf("the embedding of concept %d has %d dimensions", e.ID, len(e.Embedding))
		}
		unknown = unknown || !x.knows(e.Ontologies...)
	}
	if unknown {
		if err := f.nameOntologies(ctx, x); err != nil {
			return err
		}
	}
	x.Put(entries)
	return f.fit(ctx, x)
}

func (f *Follower) nameOntologies(ctx context.Context, x *Index) error {
	names, err := f.cfg.Store.OntologyNumbers(ctx)
	if err == nil {
		x.SetOntologies(names)
	}
	return err
}

// fit gives up the vectors when the index takes too much, and then the index.
func (f *Follower) fit(ctx context.Context, x *Index) error {
	if x.HoldsVectors() && x.Bytes() > f.cfg.Memory {
		x.DropVectors()
		f.cfg.Log.WarnContext(ctx, "search reads embeddings from the tables: raise KG_SEARCH_MEMORY to hold them", "limit", f.cfg.Memory)
	}
	if x.Bytes() > f.cfg.Memory {
		return fmt.Errorf("%d concepts take %d bytes: %w", x.Len(), x.Bytes(), errTooLarge)
	}
	return nil
}
