package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa/knowledge"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeStore is a graph of concepts 1, 2, 3 … in a row, and a list of its changes; the
// mark is the number of them.
type fakeStore struct {
	mu       sync.Mutex
	concepts int32
	log      []knowledge.GraphChange
	epoch    int64
	err      error // what everything fails with, if set
	reload   bool  // at the next read
	loads    int
	reads    int
	hang     bool // loading does not end
	types    int32
	stall    time.Duration // how long the next read takes
}

func (s *fakeStore) LoadGraph(ctx context.Context, sink knowledge.GraphSink) (knowledge.GraphMark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads++
	if s.hang {
		<-ctx.Done()
		return knowledge.GraphMark{}, ctx.Err()
	}
	if s.err != nil {
		return knowledge.GraphMark{}, s.err
	}
	if err := sink.AddType(knowledge.GraphType{Number: 1, Name: "TYPE_1"}); err != nil {
		return knowledge.GraphMark{}, err
	}
	for n := range s.concepts {
		if err := sink.AddConcept(knowledge.GraphConcept{Number: n + 1, ID: fmt.Sprint("c_", n+1)}); err != nil {
			return knowledge.GraphMark{}, err
		}
		if n > 0 {
			if err := sink.AddEdge(knowledge.GraphEdge{Src: n, Dst: n + 1, Type: 1, Confidence: 0.5}); err != nil {
				return knowledge.GraphMark{}, err
			}
		}
	}
	return s.mark(), nil
}

func (s *fakeStore) mark() knowledge.GraphMark {
	return knowledge.GraphMark{Epoch: s.epoch, Snapshot: fmt.Sprint(len(s.log))}
}

func (s *fakeStore) since(mark knowledge.GraphMark) []knowledge.GraphChange {
	var known int
	_, _ = fmt.Sscan(mark.Snapshot, &known)
	return s.log[known:]
}

func (s *fakeStore) GraphChanges(_ context.Context, since knowledge.GraphMark, _ int) (knowledge.GraphChanges, error) {
	s.mu.Lock()
	stall := s.stall
	s.stall = 0
	s.mu.Unlock()
	time.Sleep(stall)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.reload {
		s.reload = false
		return knowledge.GraphChanges{}, fmt.Errorf("%w: for the test", knowledge.ErrGraphReload)
	}
	list := s.since(since)
	return knowledge.GraphChanges{Until: s.mark(), Changes: list, Transactions: len(list)}, s.err
}

func (s *fakeStore) GraphTypes(context.Context) ([]knowledge.GraphType, error) {
	return []knowledge.GraphType{{Number: s.types, Name: fmt.Sprint("TYPE_", s.types)}}, nil
}

func (s *fakeStore) GraphBehind(_ context.Context, since knowledge.GraphMark, _ int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.since(since)), s.err
}

// commit has changes committed, at the next epoch.
func (s *fakeStore) commit(changes ...knowledge.GraphChange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, changes...)
	s.epoch++
}

func (s *fakeStore) fail(err error) { s.set(func() { s.err = err }) }

// set changes what the store does from now on.
func (s *fakeStore) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func edge(src, dst int32) knowledge.GraphChange {
	return knowledge.GraphChange{Op: knowledge.OpSetEdge, Edge: knowledge.GraphEdge{Src: src, Dst: dst, Type: 1, Confidence: 0.5}}
}

func concept(op knowledge.GraphOp, n int32) knowledge.GraphChange {
	return knowledge.GraphChange{Op: op, Concept: knowledge.GraphConcept{Number: n, ID: fmt.Sprint("c_", n)}}
}

// run has a Follower of a store run, in time that passes at once.
func run(t *testing.T, s *fakeStore, limit int64, test func(t *testing.T, f *Follower)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := New(Config{Store: s, Limit: limit, Log: slog.New(slog.DiscardHandler)})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- f.Run(ctx) }()
		synctest.Wait()
		test(t, f)
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
		if got := f.Figures(); f.View() != nil || got.State != knowledge.GraphOff || got.Reason == "" {
			t.Errorf("after the end: %+v", got)
		}
	})
}

const enough = 64 << 20

func TestFollower(t *testing.T) {
	t.Run("a notification is followed at once, and a poll does without", func(t *testing.T) {
		s := &fakeStore{concepts: 3}
		run(t, s, enough, func(t *testing.T, f *Follower) {
			if v := f.View(); v == nil || v.Degree(2) != 2 || v.Degree(1) != 1 {
				t.Fatalf("loaded %+v", f.Figures())
			}
			s.commit(edge(3, 1))
			f.Wake()
			synctest.Wait()
			if d := f.View().Degree(1); d != 2 {
				t.Errorf("after the notification the degree is %d", d)
			}
			s.commit(knowledge.GraphChange{Op: knowledge.OpRemoveEdge, Edge: knowledge.GraphEdge{Src: 3, Dst: 1, Type: 1}})
			time.Sleep(pollEvery + readAtMost)
			synctest.Wait()
			if v := f.View(); v.Degree(1) != 1 || v.Epoch() != 2 {
				t.Errorf("after a second the degree is %d, the epoch %d", v.Degree(1), v.Epoch())
			}
			if got := f.Figures(); got.Changes != 2 || got.Transactions != 2 || got.Loads != 1 || got.State != knowledge.GraphReady {
				t.Errorf("figures %+v", got)
			}
		})
	})
	t.Run("many commits are few reads", func(t *testing.T) {
		s := &fakeStore{concepts: 3}
		run(t, s, enough, func(t *testing.T, f *Follower) {
			for range 1000 {
				f.Wake()
				time.Sleep(time.Millisecond)
			}
			var reads int
			s.set(func() { reads = s.reads })
			if most := int(time.Second/readAtMost) + 3; reads > most {
				t.Errorf("%d reads in a second, want at most %d", reads, most)
			}
		})
	})
	t.Run("of what happened to a concept the last counts", func(t *testing.T) {
		s := &fakeStore{concepts: 3}
		run(t, s, enough, func(t *testing.T, f *Follower) {
			s.commit(concept(knowledge.OpAddConcept, 4), concept(knowledge.OpRemoveConcept, 4),
				concept(knowledge.OpRemoveConcept, 3), concept(knowledge.OpAddConcept, 3), concept(knowledge.OpAddConcept, 5))
			f.Wake()
			synctest.Wait()
			for n, want := range map[int32]string{3: "c_3", 4: "", 5: "c_5"} {
				if got := f.View().ID(n); got != want {
					t.Errorf("concept %d is %q, want %q", n, got, want)
				}
			}
		})
	})
	t.Run("a type that is not known is read", func(t *testing.T) {
		s := &fakeStore{concepts: 3, types: 7}
		run(t, s, enough, func(t *testing.T, f *Follower) {
			e := edge(1, 3)
			e.Edge.Type = 7
			s.commit(e)
			f.Wake()
			synctest.Wait()
			if name := f.View().TypeName(7); name != "TYPE_7" {
				t.Errorf("type 7 is %q", name)
			}
		})
	})
	t.Run("a graph is loaded anew when its changes are not known", func(t *testing.T) {
		s := &fakeStore{concepts: 3}
		run(t, s, enough, func(t *testing.T, f *Follower) {
			s.set(func() { s.concepts, s.reload = 5, true })
			f.Wake()
			synctest.Wait()
			if f.View() != nil || f.Figures().State != knowledge.GraphLoading {
				t.Errorf("an old graph is used: %+v", f.Figures())
			}
			time.Sleep(loadRetry)
			synctest.Wait()
			if v := f.View(); v == nil || v.Degree(4) != 2 || s.loads != 2 {
				t.Errorf("after %d loads: %+v", s.loads, f.Figures())
			}
		})
	})
	t.Run("none is used without memory for it", func(t *testing.T) {
		run(t, &fakeStore{concepts: 3}, 0, func(t *testing.T, f *Follower) {
			if got := f.Figures(); f.View() != nil || got.State != knowledge.GraphOff {
				t.Errorf("%+v", got)
			}
		})
	})
	t.Run("a load that is under way ends with Run", func(t *testing.T) {
		run(t, &fakeStore{hang: true}, enough, func(t *testing.T, f *Follower) {
			if got := f.Figures(); f.View() != nil || got.State != knowledge.GraphLoading {
				t.Errorf("%+v", got)
			}
		})
	})
}

var errAway = errors.New("the database is away")

func TestFollowerFaults(t *testing.T) {
	t.Run("a graph that nobody refreshes is not used for ever", func(t *testing.T) {
		s := &fakeStore{concepts: 3}
		run(t, s, enough, func(t *testing.T, f *Follower) {
			s.fail(errAway)
			time.Sleep(usableFor - 2*time.Second)
			if f.View() == nil {
				t.Error("a short outage takes the graph away")
			}
			time.Sleep(4 * time.Second)
			if got := f.Status(t.Context()); f.View() != nil || got.State != knowledge.GraphBehind || got.Behind != nil || *got.Lag < usableFor.Seconds() {
				t.Errorf("after the bound: %+v", got)
			}
			s.fail(nil)
			s.commit(edge(3, 1))
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if v := f.View(); v == nil || v.Degree(1) != 2 || s.loads != 1 {
				t.Errorf("afterwards, %d loads: %+v", s.loads, f.Figures())
			}
		})
	})
	t.Run("a graph is used again at the first read after a stall", func(t *testing.T) {
		s := &fakeStore{concepts: 3}
		run(t, s, enough, func(t *testing.T, f *Follower) {
			s.set(func() { s.stall = usableFor + time.Second }) // as when the process itself is stopped
			f.Wake()
			time.Sleep(usableFor + time.Second/2)
			if got := f.Figures(); f.View() != nil || got.State != knowledge.GraphBehind {
				t.Errorf("during the stall: %+v", got)
			}
			time.Sleep(time.Second/2 + 2*readAtMost)
			synctest.Wait()
			if got := f.Figures(); f.View() == nil || got.State != knowledge.GraphReady || got.Loads != 1 {
				t.Errorf("after it: %+v", got)
			}
		})
	})
	t.Run("a load that fails is tried again", func(t *testing.T) {
		s := &fakeStore{concepts: 3, err: errAway}
		run(t, s, enough, func(t *testing.T, f *Follower) {
			if got := f.Figures(); f.View() != nil || got.State != knowledge.GraphLoading || got.Reason == "" {
				t.Errorf("%+v", got)
			}
			s.fail(nil)
			time.Sleep(loadRetry)
			synctest.Wait()
			if got := f.Figures(); f.View() == nil || got.State != knowledge.GraphReady || got.Reason != "" {
				t.Errorf("%+v", got)
			}
		})
	})
	t.Run("a graph that is too large is given up, and tried again much later", func(t *testing.T) {
		s := &fakeStore{concepts: 100_000}
		run(t, s, 1<<20, func(t *testing.T, f *Follower) {
			if got := f.Figures(); f.View() != nil || got.State != knowledge.GraphTooLarge || got.Reason == "" {
				t.Errorf("%+v", got)
			}
			time.Sleep(sizeRetry - time.Second)
			s.set(func() {
				if s.loads != 1 {
					t.Errorf("%d loads too early", s.loads-1)
				}
				s.concepts = 100
			})
			time.Sleep(time.Second)
			synctest.Wait()
			if f.View() == nil || s.loads != 2 {
				t.Errorf("after %d loads: %+v", s.loads, f.Figures())
			}
		})
	})
	t.Run("one that grows too large is given up", func(t *testing.T) {
		s := &fakeStore{concepts: 100}
		run(t, s, 1<<20, func(t *testing.T, f *Follower) {
			var many []knowledge.GraphChange
			for n := int32(1); n < 100; n++ {
				for m := int32(1); m < 2000; m++ {
					many = append(many, edge(n, 1000+m))
				}
			}
			s.commit(many...)
			f.Wake()
			synctest.Wait()
			if got := f.Figures(); f.View() != nil || got.State != knowledge.GraphTooLarge {
				t.Errorf("%+v", got)
			}
		})
	})
}

func TestAwait(t *testing.T) {
	s := &fakeStore{concepts: 3}
	run(t, s, enough, func(t *testing.T, f *Follower) {
		s.commit(edge(3, 1))
		if err := f.Await(t.Context(), 1); err != nil || f.View().Degree(1) != 2 { // without a notification
			t.Errorf("the epoch that is there: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if err := f.Await(ctx, 2); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an epoch that nobody has reached: %v", err)
		}
		go func() {
			time.Sleep(time.Second)
			s.commit()
		}()
		if err := f.Await(t.Context(), 2); err != nil || f.View().Epoch() != 2 {
			t.Errorf("an epoch that is reached meanwhile: %v", err)
		}
	})
}
