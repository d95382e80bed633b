package retrieval

import (
	"context"
	"errors"
	"time"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/knowledge"
)

// errLate ends a wait for what has changed.
var errLate = errors.New("the index has more to read than a question waits for")

// Snapshot is the index at one moment.
type Snapshot struct {
	View  *index.View
	Epoch int64 // of the graph that it shows at least; 0 is not known
	State knowledge.PassageIndexState
	// Mark is when the tables were read that it shows at least. It is of what Latest returns.
	Mark knowledge.PassagesMark
	// Version is another one when passages, or names of documents or ontologies, have changed.
	Version int64

	ontologies map[string]int
}

// Latest returns the index as it is, when it is whole and little changes: whoever asks the tables
// whether something has since its Mark is spared the wait for Fresh. ok is false when that is
// likely.
func (f *Follower) Latest() (s Snapshot, ok bool) {
	now := f.current.Load()
	if !now.ready || time.Since(now.changed) < calmAfter {
		return s, false
	}
	s = f.snapshot(now)
	s.Mark = now.mark
	return s, true
}

// Fresh returns the index with everything that was committed before the call. It is not
// whole while it loads, or when what has changed takes longer to read than a question waits.
// The error is that of the database.
func (f *Follower) Fresh(ctx context.Context) (Snapshot, error) {
	var epoch int64
	ready := f.current.Load().ready
	if ready {
		limited, cancel := context.WithTimeoutCause(ctx, freshWithin, errLate)
		defer cancel()
		r := f.rounds.join()
		f.asked.Wake()
		var err error
		if epoch, err = r.wait(limited); errors.Is(err, errLate) {
			ready = false
		} else if err != nil {
			return Snapshot{}, err
		}
	}
	s := f.snapshot(f.current.Load())
	s.Epoch, s.State.Ready = epoch, ready && s.State.Ready
	return s, nil
}

// snapshot returns the index as it is.
func (f *Follower) snapshot(now *current) Snapshot {
	s := Snapshot{View: emptyView, Version: now.version, ontologies: *f.ontologies.Load()}
	if now.index != nil {
		s.View = now.index.View()
	}
	n := s.View.Passages()
	s.State = knowledge.PassageIndexState{Ready: now.ready, Passages: n, Of: max(n, now.of)}
	return s
}

// Ontology returns the number of an ontology.
func (s Snapshot) Ontology(name string) (int32, bool) {
	n, ok := s.ontologies[name]
	return int32(n), ok
}

// Ontologies returns how many ontologies there are.
func (s Snapshot) Ontologies() int { return len(s.ontologies) }

// Status returns how the index is, as an operator is shown it.
func (f *Follower) Status() knowledge.PassageIndexStatus {
	now := f.current.Load()
	s := knowledge.PassageIndexStatus{Reason: now.reason, Loads: f.loads.Load()}
	s.Ready = now.ready
	if now.index != nil {
		size := now.index.Size()
		s.Passages, s.Segments, s.Heap, s.Mapped = size.Passages, size.Segments, size.Heap, size.Mapped
	}
	s.Of = max(s.Passages, now.of)
	if now.ready {
		s.Lag = new(time.Since(now.read).Seconds())
	}
	return s
}

// emptyView has no passage.
var emptyView = func() *index.View {
	x, err := index.Open("", "", nil)
	if err != nil {
		panic(err) // in memory nothing can fail
	}
	return x.View()
}()
