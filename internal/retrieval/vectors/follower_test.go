package vectors

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// compass is a model that embeds a text by its first letter, and knows the time that it takes.
type compass struct {
	mu    sync.Mutex
	name  string
	names bool // it compares names only
	takes time.Duration
	err   error
}

func (c *compass) set(change func(*compass)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(c)
}

func (c *compass) Model() models.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	return models.Model{Name: c.name, NamesOnly: c.names}
}

func (c *compass) Embed(ctx context.Context, texts []string) ([]models.Embedding, error) {
	c.mu.Lock()
	takes, err := c.takes, c.err
	c.mu.Unlock()
	if takes > 0 && !kappa.Sleep(ctx, takes) {
		return nil, ctx.Err()
	}
	var all []models.Embedding
	for _, t := range texts {
		all = append(all, pointing(t))
	}
	return all, err
}

// pointing is an embedding into the direction of the first letter of a text.
func pointing(text string) models.Embedding {
	e := make(models.Embedding, 26)
	e[strings.ToLower(text)[0]-'a'] = 1
	return e
}

// shelf is a store whose log is a list of chunks; a mark is a place in it. A passage is its text,
// and a chunk of its own.
type shelf struct {
	mu    sync.Mutex
	texts map[string]map[int32]string // by model
	log   []int32
	reads int
	err   error // what the log fails with, once
}

func (s *shelf) put(model string, id int32, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil {
		s.texts = map[string]map[int32]string{}
	}
	if s.texts[model] == nil {
		s.texts[model] = map[int32]string{}
	}
	if s.texts[model][id] = text; text == "" {
		delete(s.texts[model], id)
	}
	s.log = append(s.log, id)
}

func (s *shelf) GraphMark(context.Context) (knowledge.GraphMark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	return knowledge.GraphMark{Epoch: int64(len(s.log))}, nil
}

func (s *shelf) PassagesEmbedded(_ context.Context, since knowledge.GraphMark, _ int) (knowledge.PassagesTouched, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if err := s.err; err != nil {
		s.err = nil
		return knowledge.PassagesTouched{}, err
	}
	return knowledge.PassagesTouched{Until: knowledge.GraphMark{Epoch: int64(len(s.log))}, Sources: slices.Clone(s.log[since.Epoch:])}, nil
}

func (s *shelf) PassageSignatures(_ context.Context, model string, sources []int32) (all []corpus.SignedPassage, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, text := range s.texts[model] {
		if slices.Contains(sources, id) {
			all = append(all, signed(id, id, pointing(text)))
		}
	}
	return all, nil
}

func (s *shelf) EachPassageSignature(_ context.Context, model string, yield func(corpus.SignedPassage) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, text := range s.texts[model] {
		if err := yield(signed(id, id, pointing(text))); err != nil {
			return err
		}
	}
	return nil
}

func (s *shelf) PassageVectors(_ context.Context, model string, ids []int32) (map[int32]models.Embedding, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[int32]models.Embedding{}
	for _, id := range ids {
		if text, ok := s.texts[model][id]; ok {
			all[id] = pointing(text)
		}
	}
	return all, nil
}

// start runs a follower of the shelf until the test ends.
func (s *shelf) start(t *testing.T, c *compass, memory int64) *Follower {
	t.Helper()
	f := NewFollower(Config{Store: s, Embedder: c, Memory: memory})
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

// settle lets the follower read what has changed.
func settle(f *Follower) {
	f.Wake()
	time.Sleep(2 * pollHeard)
	synctest.Wait()
}

func (f *Follower) find(t *testing.T, question string) questions.SimilarPassages {
	t.Helper()
	return f.Similar(t.Context(), question, []int32{3}, 2, func(id int32) bool { return id != 9 })
}

const room = 1 << 20

func TestFollower(t *testing.T) {
	t.Run("finds what is similar, and follows what changes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, c := &shelf{}, &compass{name: "m"}
			s.put("m", 1, "apples")
			s.put("m", 3, "bread")
			s.put("m", 9, "apricots, which may not be shown")
			f := s.start(t, c, room)
			got := f.find(t, "avocado")
			if got.Reason != "" || got.Nearest[0] != 1 || got.Of[1] <= got.Of[3] || got.Of[9] != 0 {
				t.Errorf("found %+v", got)
			}
			s.put("m", 4, "almonds")
			s.put("m", 1, "")
			settle(f)
			if got := f.find(t, "avocado"); got.Nearest[0] != 4 || slices.Contains(got.Nearest, 1) {
				t.Errorf("after a change found %+v", got)
			}
			if is := f.Status(); !is.Ready || is.Passages != 3 || is.Model != "m" || is.Bytes != 3*perPassage || is.Loads != 1 {
				t.Errorf("the status is %+v", is)
			}
		})
	})
	t.Run("another model takes its place when it is loaded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, c := &shelf{}, &compass{name: "old"}
			s.put("old", 1, "apples")
			f := s.start(t, c, room)
			c.set(func(c *compass) { c.name = "new" })
			if got := f.find(t, "avocado"); got.Model != "new" || got.Compared() || got.Reason == "" {
				t.Errorf("with embeddings by another model found %+v", got)
			}
			settle(f)
			if got := f.find(t, "avocado"); got.Compared() || !strings.Contains(got.Reason, "no passage is embedded") {
				t.Errorf("before any is embedded found %+v", got)
			}
			s.put("new", 1, "apples")
			settle(f)
			if got := f.find(t, "avocado"); !got.Compared() || got.Nearest[0] != 1 {
				t.Errorf("found %+v", got)
			}
		})
	})
	t.Run("without a model, or memory, nothing is read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &shelf{}
			s.put("m", 1, "apples")
			names, none := s.start(t, &compass{name: "m", names: true}, room), s.start(t, &compass{name: "m"}, 0)
			settle(names)
			settle(none)
			for _, f := range []*Follower{names, none} {
				if got := f.find(t, "avocado"); got.Model != "" || got.Compared() || f.Status() != nil {
					t.Errorf("found %+v, status %+v", got, f.Status())
				}
			}
			if s.reads != 0 {
				t.Errorf("the database was asked %d times", s.reads)
			}
		})
	})
	t.Run("beyond its memory the words alone answer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &shelf{}
			s.put("m", 1, "apples")
			s.put("m", 2, "almonds")
			f := s.start(t, &compass{name: "m"}, perPassage)
			if got := f.find(t, "avocado"); got.Compared() || !strings.Contains(got.Reason, "KG_SEARCH_MEMORY") || f.Status().Reason != knowledge.SearchIndexTooLarge {
				t.Errorf("found %+v, status %+v", got, f.Status())
			}
		})
	})
	t.Run("goes on after errors", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, c := &shelf{}, &compass{name: "m"}
			s.put("m", 1, "apples")
			f := s.start(t, c, room)
			for _, err := range []error{errors.New("away"), knowledge.ErrGraphReload} {
				s.mu.Lock()
				s.err = err
				s.mu.Unlock()
				settle(f)
				if got := f.find(t, "avocado"); !got.Compared() {
					t.Errorf("after %v: %+v", err, got)
				}
			}
			if n := f.Status().Loads; n != 3 {
				t.Errorf("loaded %d times", n)
			}
		})
	})
	t.Run("a model that is slow or fails is waited for no longer than two seconds", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, c := &shelf{}, &compass{name: "m"}
			s.put("m", 1, "apples")
			f := s.start(t, c, room)
			c.set(func(c *compass) { c.takes = time.Hour })
			began := time.Now()
			if got := f.find(t, "avocado"); got.Compared() || !strings.Contains(got.Reason, "2s") || time.Since(began) != embedWithin {
				t.Errorf("after %s: %+v", time.Since(began), got)
			}
			c.set(func(c *compass) {
				c.takes, c.err = 0, kappa.NewError(kappa.CodeUnavailable, "openai limits our calls")
			})
			if got := f.find(t, "avocado"); got.Compared() || got.Reason != "openai limits our calls" {
				t.Errorf("after an error: %+v", got)
			}
		})
	})
}
