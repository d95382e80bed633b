package retrieval

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/knowledge"
)

// shelf is a store whose log is a list of chunks; a mark is a place in it.
type shelf struct {
	mu       sync.Mutex
	passages map[int32]corpus.StoredPassage
	log      []int32
	names    map[string]int
	takes    time.Duration // to read the log
	reads    int           // of the log
	pages    int           // of passages
	err      error         // what the log fails with, once
}

func newShelf(passages int) *shelf {
	s := &shelf{passages: map[int32]corpus.StoredPassage{}, names: map[string]int{"one": 1, "two": 2}}
	for id := range int32(passages) {
		s.put(id+1, fmt.Sprintf("passage number%d", id+1))
	}
	s.log = nil
	return s
}

// put stores a passage and logs its chunk; two passages are a chunk.
func (s *shelf) put(id int32, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	source := (id + 1) / 2
	s.passages[id] = corpus.StoredPassage{
		PassageKey: corpus.PassageKey{ID: id, Source: source, Document: (source + 9) / 10, Ontology: 1, Stamp: int32(len(s.log))},
		Passage:    corpus.Passage{Text: text, Language: "en", Class: corpus.ClassProse},
	}
	s.log = append(s.log, source)
}

func (s *shelf) remove(id int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, s.passages[id].Source)
	delete(s.passages, id)
}

func (s *shelf) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// read returns how often the log was read.
func (s *shelf) read() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads
}

func (s *shelf) GraphMark(context.Context) (knowledge.GraphMark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return knowledge.GraphMark{Epoch: int64(len(s.log)), Origin: "here"}, nil
}

func (s *shelf) PassagesTouched(_ context.Context, since knowledge.GraphMark, _ int) (knowledge.PassagesTouched, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if err := s.err; err != nil {
		s.err = nil
		return knowledge.PassagesTouched{}, err
	}
	touched := knowledge.PassagesTouched{
		Until: knowledge.GraphMark{Epoch: int64(len(s.log)), Origin: "here"}, Sources: slices.Clone(s.log[since.Epoch:]), Ontologies: int64(len(s.names)),
	}
	takes := s.takes
	s.mu.Unlock()
	time.Sleep(takes) // after its snapshot was taken
	s.mu.Lock()
	return touched, nil
}

func (s *shelf) PassageKeys(ctx context.Context, yield func(corpus.PassageKey) error) (knowledge.GraphMark, error) {
	s.mu.Lock()
	for _, p := range s.passages {
		if err := yield(p.PassageKey); err != nil {
			return knowledge.GraphMark{}, err
		}
	}
	s.mu.Unlock()
	return s.GraphMark(ctx)
}

func (s *shelf) PassagesOfSources(_ context.Context, sources []int32) ([]corpus.StoredPassage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages++
	var list []corpus.StoredPassage
	for _, p := range s.passages {
		if slices.Contains(sources, p.Source) {
			list = append(list, p)
		}
	}
	return list, nil
}

func (s *shelf) OntologyNumbers(context.Context) (map[string]int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.names), nil
}

// start runs a follower of the shelf until the test ends.
func (s *shelf) start(t *testing.T, dir string) *Follower {
	t.Helper()
	f := NewFollower(Config{Store: s, Dir: dir, DefinedKey: strings.ToLower})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	synctest.Wait()
	return f
}

// wantCurrent wants every passage of the shelf to be found by its own word, and no other.
func (s *shelf) wantCurrent(t *testing.T, f *Follower) {
	t.Helper()
	fresh, err := f.Fresh(t.Context())
	if err != nil || !fresh.State.Ready {
		t.Fatalf("fresh: %+v, %v", fresh.State, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if fresh.View.Passages() != len(s.passages) || fresh.Epoch != int64(len(s.log)) {
		t.Errorf("%d passages as of %d, want %d as of %d", fresh.View.Passages(), fresh.Epoch, len(s.passages), len(s.log))
	}
	for id, p := range s.passages {
		word := strings.Fields(p.Text)[1]
		found, err := fresh.View.Candidates(t.Context(), index.Query{Terms: []index.Term{{Field: index.Stems, Text: word, Weight: 1}}, Limit: 9})
		if err != nil || len(found) != 1 || found[0].ID != id {
			t.Errorf("%q finds %v, %v", word, found, err)
		}
	}
}

func TestFollower(t *testing.T) {
	t.Run("the latest is there while nothing changes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(20)
			f := s.start(t, "")
			if latest, ok := f.Latest(); !ok || !latest.State.Ready || latest.View.Passages() != 20 || latest.Mark.Epoch != int64(len(s.log)) || latest.Mark.Origin != "here" {
				t.Errorf("%+v, %t", latest, ok)
			}
			s.put(21, "passage late")
			s.wantCurrent(t, f)
			if _, ok := f.Latest(); ok {
				t.Error("it is there just after a change")
			}
			time.Sleep(calmAfter)
			if latest, ok := f.Latest(); !ok || latest.View.Passages() != 21 || latest.Mark.Epoch != int64(len(s.log)) || latest.Mark.Ontologies != int64(len(s.names)) {
				t.Errorf("afterwards: %+v, %t", latest, ok)
			}
			s.fail(errors.New("away"))
			f.Wake()
			synctest.Wait()
			if _, ok := f.Latest(); ok {
				t.Error("it is there while the database is away")
			}
		})
	})
	t.Run("a question finds what was committed before it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(20)
			f := s.start(t, "")
			s.wantCurrent(t, f)
			s.put(21, "passage late")
			s.put(3, "passage anew")
			s.remove(8)
			s.wantCurrent(t, f)
			s.remove(7)
			s.wantCurrent(t, f)
		})
	})
	t.Run("a reading that has begun is not enough", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(2)
			f := s.start(t, "")
			s.takes = 50 * time.Millisecond
			f.Wake()
			time.Sleep(1020 * time.Millisecond)
			s.put(3, "passage late") // within that reading
			s.wantCurrent(t, f)
		})
	})
	t.Run("questions share a reading", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(2)
			f := s.start(t, "")
			s.mu.Lock()
			s.takes = 10 * time.Millisecond
			s.mu.Unlock()
			time.Sleep(pollEvery / 2)
			before := s.read()
			var all sync.WaitGroup
			for range 100 {
				all.Go(func() {
					if _, err := f.Fresh(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if n := s.read() - before; n > 3 {
				t.Errorf("%d readings for a hundred questions at once", n)
			}
		})
	})
	t.Run("after a change that no list describes all is compared, and answers go on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(20)
			f := s.start(t, "")
			s.mu.Lock()
			delete(s.passages, 5) // not in the log
			s.mu.Unlock()
			s.fail(fmt.Errorf("%w: tables were restored", knowledge.ErrGraphReload))
			f.Wake()
			time.Sleep(2 * time.Second)
			s.wantCurrent(t, f)
			if n := f.Status().Loads; n != 2 {
				t.Errorf("%d loads, want 2", n)
			}
		})
	})
	t.Run("nobody waits for a database that is away", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(4)
			f := s.start(t, "")
			s.fail(fmt.Errorf("away"))
			before := time.Now()
			if _, err := f.Fresh(t.Context()); err == nil {
				t.Error("no error")
			}
			if got, err := f.Fresh(t.Context()); err != nil || got.State.Ready || got.View.Passages() != 4 {
				t.Errorf("%+v, %v", got.State, err)
			}
			if time.Since(before) > 100*time.Millisecond {
				t.Errorf("waited %s", time.Since(before))
			}
			time.Sleep(3 * time.Second)
			s.wantCurrent(t, f)
		})
	})
	t.Run("a new ontology is known by its name", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(2)
			f := s.start(t, "")
			s.mu.Lock()
			s.names["three"] = 3
			s.mu.Unlock()
			got, err := f.Fresh(t.Context())
			if n, ok := got.Ontology("three"); err != nil || !ok || n != 3 {
				t.Errorf("%d, %v, %v", n, ok, err)
			}
		})
	})
}

// TestVersion: what was read with an index of one version is still so: another one is shown when
// passages or names of ontologies have changed, or may have, and the same when nothing has.
func TestVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(4)
		f := s.start(t, "")
		version := func() int64 {
			fresh, err := f.Fresh(t.Context())
			if err != nil || !fresh.State.Ready {
				t.Fatalf("fresh: %+v, %v", fresh.State, err)
			}
			return fresh.Version
		}
		before := version()
		for _, c := range []struct {
			what string
			do   func()
			same bool
		}{
			{"nothing", func() {}, true},
			{"a passage", func() { s.put(1, "another text") }, false},
			{"no other one", func() {}, true},
			{"a name of an ontology", func() { s.mu.Lock(); s.names["three"] = 3; s.mu.Unlock() }, false},
			{"what nobody knows", func() {
				s.fail(knowledge.ErrGraphReload)
				if _, err := f.Fresh(t.Context()); !errors.Is(err, knowledge.ErrGraphReload) {
					t.Errorf("a log that does not reach back: %v", err)
				}
				synctest.Wait()
			}, false},
		} {
			c.do()
			if after := version(); (after == before) != c.same {
				t.Errorf("%s has changed: version %d after %d", c.what, after, before)
			} else {
				before = after
			}
		}
	})
}

func TestCompare(t *testing.T) {
	key := func(id, source, stamp int32) corpus.PassageKey {
		return corpus.PassageKey{ID: id, Source: source, Stamp: stamp}
	}
	got := compare(
		[]corpus.PassageKey{key(9, 5, 0), key(1, 1, 0), key(2, 1, 0), key(4, 2, 0), key(5, 3, 0)},
		[]corpus.PassageKey{key(7, 4, 0), key(2, 1, 0), key(4, 2, 1), key(5, 3, 0), key(3, 1, 0)},
	)
	if want := (difference{passages: 5, sources: []int32{1, 2, 4}, gone: []int32{1, 9}}); !slices.Equal(got.sources, want.sources) || !slices.Equal(got.gone, want.gone) || got.passages != want.passages {
		t.Errorf("%+v, want %+v", got, want)
	}
}
