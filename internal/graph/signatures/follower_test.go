package signatures

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// shelf is a store whose log is a list of changes; a mark is a place in it.
type shelf struct {
	mu      sync.Mutex
	entries map[int]questions.SearchEntry
	log     []knowledge.GraphChange
	names   map[string]int
	pages   int
	takes   time.Duration // to read the log
	reads   int           // of the log
	read    []int         // concepts that were read by their numbers
	err     error         // what the log fails with, once
}

func newShelf(concepts int) *shelf {
	s := &shelf{entries: map[int]questions.SearchEntry{}, names: map[string]int{"one": 1, "two": 2, "three": 3}}
	r := rand.New(rand.NewPCG(5, 5))
	for id := 1; id <= concepts; id++ {
		s.entries[id] = randomEntry(r, id)
	}
	return s
}

// change stores an entry, or removes a concept when it has no name, and logs it.
func (s *shelf) change(op knowledge.GraphOp, e questions.SearchEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.ConceptID == "" {
		delete(s.entries, e.ID)
	} else {
		s.entries[e.ID] = e
	}
	s.log = append(s.log, knowledge.GraphChange{Op: op, Concept: knowledge.GraphConcept{Number: int32(e.ID)}})
}

func (s *shelf) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *shelf) GraphMark(context.Context) (knowledge.GraphMark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return knowledge.GraphMark{Epoch: int64(len(s.log))}, nil
}

func (s *shelf) GraphChanges(_ context.Context, since knowledge.GraphMark, _ int) (knowledge.GraphChanges, error) {
	time.Sleep(s.takes)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if err := s.err; err != nil {
		s.err = nil
		return knowledge.GraphChanges{}, err
	}
	return knowledge.GraphChanges{Until: knowledge.GraphMark{Epoch: int64(len(s.log))}, Changes: slices.Clone(s.log[since.Epoch:])}, nil
}

func (s *shelf) SearchPage(_ context.Context, _ string, after, most int) ([]questions.SearchEntry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages++
	list := slices.SortedFunc(maps.Values(s.entries), func(a, b questions.SearchEntry) int { return cmp.Compare(a.ID, b.ID) })
	list = slices.DeleteFunc(list, func(e questions.SearchEntry) bool { return e.ID <= after })
	return list[:min(most, len(list))], nil
}

func (s *shelf) SearchEntries(_ context.Context, _ string, ids []int) ([]questions.SearchEntry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = append(s.read, ids...)
	var list []questions.SearchEntry
	for _, id := range ids {
		if e, ok := s.entries[id]; ok {
			list = append(list, e)
		}
	}
	return list, nil
}

func (s *shelf) OntologyNumbers(context.Context) (map[string]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.names), nil
}

// show stores that an ontology shows a concept, and logs it.
func (s *shelf) show(id, ontology int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.entries[id]
	if !slices.Contains(e.Ontologies, ontology) {
		e.Ontologies = append(slices.Clone(e.Ontologies), ontology)
	}
	s.entries[id] = e
	s.log = append(s.log, knowledge.GraphChange{Op: questions.OpShowConcept, Concept: knowledge.GraphConcept{Number: int32(id)}, Ontology: ontology})
}

// start runs a follower of the shelf until the test ends.
func (s *shelf) start(t *testing.T, memory int64) *Follower {
	t.Helper()
	f := NewFollower(Config{Store: s, ModelNow: func() string { return "model" }, Memory: memory})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		if f.Index("model") != nil {
			t.Error("an index is offered after the end")
		}
	})
	synctest.Wait()
	return f
}

// wantCurrent compares the whole index with the shelf.
func (s *shelf) wantCurrent(t *testing.T, f *Follower) {
	t.Helper()
	x := f.Index("model")
	if x == nil {
		t.Fatalf("no index: %s", f.State().Reason)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	q := knowledge.NearQuery{Limit: 100_000}
	want := naive{s.entries}.near(q, nil, func(models.Signature) bool { return true })
	if got := x.Nearest(q); !slices.Equal(got, want) || x.Len() != len(s.entries) {
		t.Errorf("%d concepts, %d with embeddings, want %d and %d", x.Len(), len(got), len(s.entries), len(want))
	}
	terms := []string{"term 1", "term 2"}
	if got, want := x.TermHits(terms, new("two"), 1000), (naive{s.entries}).named(terms, new(2), 1000); !slices.Equal(got, want) {
		t.Errorf("%d names, want %d", len(got), len(want))
	}
}

func TestFollower(t *testing.T) {
	const enough = 1 << 30
	r := rand.New(rand.NewPCG(6, 6))

	t.Run("loads page by page, and follows the log at a wake-up and by polling", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(2*pageSize + 1)
			f := s.start(t, enough)
			s.wantCurrent(t, f)
			if s.pages != 3 || !f.State().Ready || f.State().Concepts != 2*pageSize+1 {
				t.Errorf("%d pages, %+v", s.pages, f.State())
			}
			if f.Index("other") != nil {
				t.Error("it answers for another model")
			}
			s.change(knowledge.OpAddConcept, randomEntry(r, 9000))
			s.change(questions.OpTouchConcept, randomEntry(r, 17))
			s.change(knowledge.OpRemoveConcept, questions.SearchEntry{ID: 18})
			f.Wake()
			time.Sleep(leastPause)
			synctest.Wait()
			s.wantCurrent(t, f)
			s.change(questions.OpTouchConcept, randomEntry(r, 19))
			time.Sleep(2 * time.Second)
			synctest.Wait()
			s.wantCurrent(t, f)
			if s.pages != 3 {
				t.Errorf("%d pages were read, want the 3 of the load", s.pages)
			}
		})
	})
	t.Run("an ontology that is new is known with its first concept", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(3)
			f := s.start(t, enough)
			s.names = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4}
			e := randomEntry(r, 5)
			e.Ontologies = []int{4}
			s.change(knowledge.OpAddConcept, e)
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if hits := f.Index("model").TermHits([]string{e.LabelKey}, new("four"), 10); len(hits) != 1 || hits[0].ID != 5 {
				t.Errorf("found %+v", hits)
			}
		})
	})
	t.Run("an ontology that shows a concept is added without reading the concept", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(20)
			f := s.start(t, enough)
			for id := 1; id <= 20; id++ {
				s.show(id, 2)
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if s.wantCurrent(t, f); len(s.read) != 0 {
				t.Errorf("concepts %v were read", s.read)
			}
			e := randomEntry(r, 21)
			s.change(knowledge.OpAddConcept, e)
			s.show(21, 3)
			s.show(5, 3)
			removed := s.entries[5]
			removed.Ontologies = []int{1}
			s.change(questions.OpTouchConcept, removed) // it is not shown there any more
			s.mu.Lock()
			s.names = map[string]int{"one": 1, "two": 2, "three": 3, "four": 4}
			s.entries[22] = randomEntry(r, 22) // as if it had been missed
			s.mu.Unlock()
			s.show(6, 4)
			s.show(22, 2)
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if s.wantCurrent(t, f); !slices.Equal(s.read, []int{5, 21, 22}) {
				t.Errorf("concepts %v were read", s.read)
			}
			term := []string{s.entries[6].LabelKey}
			if hits := f.Index("model").TermHits(term, new("four"), 10); len(hits) != 1 || hits[0].ID != 6 {
				t.Errorf("the new ontology shows %+v", hits)
			}
			if hits := f.Index("model").TermHits([]string{s.entries[5].LabelKey}, new("three"), 10); slices.ContainsFunc(hits, func(h knowledge.TermHit) bool { return h.ID == 5 }) {
				t.Errorf("what was removed is shown: %+v", hits)
			}
		})
	})
	t.Run("rests nine times as long as it reads, up to a second", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			for takes, want := range map[time.Duration]int{0: 10_000 / 10, 20 * time.Millisecond: 10_000 / 200, time.Second: 10_000 / 2000} {
				s := newShelf(1)
				s.takes = takes
				f := s.start(t, enough)
				time.Sleep(takes)
				s.mu.Lock()
				s.reads = 0
				s.mu.Unlock()
				for range 10_000 { // for ten seconds
					f.Wake()
					time.Sleep(time.Millisecond)
				}
				s.mu.Lock()
				if s.reads < want*9/10-1 || s.reads > want*11/10+1 {
					t.Errorf("a log that takes %s was read %d times, want %d", takes, s.reads, want)
				}
				s.mu.Unlock()
			}
		})
	})
	t.Run("who asks for what was said to have changed waits for it, and not for the rest", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(1)
			s.takes = 20 * time.Millisecond
			f := s.start(t, enough)
			time.Sleep(time.Second)
			fresh := func() time.Duration {
				began := time.Now()
				f.Fresh(t.Context())
				return time.Since(began)
			}
			if took := fresh(); took != 0 {
				t.Errorf("waited %s for nothing", took)
			}
			for id := 2; id < 9; id++ {
				s.change(knowledge.OpAddConcept, randomEntry(r, id))
				f.Wake()
				if took := fresh(); took > leastPause+2*s.takes || f.Index("model").Len() != id {
					t.Errorf("%d concepts after %s, want %d", f.Index("model").Len(), took, id)
				}
			}
			s.takes = time.Second
			f.Wake()
			if took := fresh(); took != freshWithin {
				t.Errorf("waited %s for a log that takes %s", took, s.takes)
			}
			time.Sleep(3 * time.Second)
		})
	})
	t.Run("is loaded anew when the log cannot say what changed, and after an error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(10)
			f := s.start(t, enough)
			s.change(questions.OpTouchConcept, questions.SearchEntry{}) // all concepts
			time.Sleep(2 * time.Second)
			synctest.Wait()
			s.wantCurrent(t, f)
			if s.pages != 2 {
				t.Errorf("%d pages, want two loads", s.pages)
			}
			for i, err := range []error{knowledge.ErrGraphReload, errors.New("connection refused")} {
				s.fail(err)
				time.Sleep(4 * time.Second)
				synctest.Wait()
				s.wantCurrent(t, f)
				if s.pages != 3+i {
					t.Errorf("after %v: %d pages, want %d", err, s.pages, 3+i)
				}
			}
		})
	})
	t.Run("offers nothing while the log cannot be read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(10)
			f := s.start(t, enough)
			s.fail(errors.New("connection refused"))
			time.Sleep(time.Second + leastPause)
			synctest.Wait()
			if f.Index("model") != nil || f.State().Ready || f.State().Reason != "loading" {
				t.Errorf("offers an index: %+v", f.State())
			}
		})
	})
	t.Run("gives up the vectors first, then the index, and says so", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(500)
			whole := s.start(t, enough).State().Bytes
			f := s.start(t, whole-1)
			if state := f.State(); !state.Ready || state.Vectors || state.Bytes >= whole {
				t.Errorf("%+v", state)
			}
			s.wantCurrent(t, f)
			f = s.start(t, 1000)
			if state := f.State(); state.Ready || !strings.Contains(state.Reason, "above its memory") {
				t.Errorf("%+v", state)
			}
		})
	})
	t.Run("may be switched off", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(5)
			if state := s.start(t, 0).State(); state.Ready || state.Reason != "switched off" || s.pages != 0 {
				t.Errorf("%+v, %d pages", state, s.pages)
			}
		})
	})
}
