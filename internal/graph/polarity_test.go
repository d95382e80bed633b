package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// sphere is a memory whose concepts have embeddings, but for those in bare.
type sphere struct {
	*memory
	vectors map[int]models.Embedding
	slow    int // the level of a walk that never ends; 0 = none
	slowAll bool
	asked   []string // the queries for embeddings and degrees
}

// newSphere returns a path 0–1–2–…, with embeddings on a line from concept 0 to 1.
func newSphere(concepts int) *sphere {
	s := &sphere{memory: &memory{concepts: concepts}, vectors: map[int]models.Embedding{}}
	for c := range concepts {
		s.vectors[c] = models.Embedding{1 - float32(c), float32(c)}
	}
	return s
}

func (s *sphere) view(ctx context.Context, read func(s Snapshot) error) error {
	return read(&sphereView{s, ctx})
}

// sphereView is a view of a sphere, which ends with its context.
type sphereView struct {
	*sphere
	ctx context.Context
}

func (s *sphereView) EdgesAround(ctx context.Context, concepts []int, types []string, most int) ([]knowledge.Edge, error) {
	edges, err := s.sphere.EdgesAround(ctx, concepts, types, most)
	if s.slow > 0 && s.queries >= s.slow {
		<-ctx.Done()
		return nil, fmt.Errorf("read relationships: %w", ctx.Err())
	}
	return edges, err
}

func (s *sphereView) Neighbors(ctx context.Context, q questions.NeighborQuery) ([]int32, error) {
	ctx, cancel := context.WithTimeout(ctx, q.Within)
	defer cancel()
	return farEnds(s.EdgesAround(ctx, toInts(q.Concepts), q.Types, q.Most))
}

func (s *sphereView) GraphEpoch(context.Context) (int64, error) { return max(7, s.at), s.ctx.Err() }

func (s *sphereView) ConceptNumbers(ctx context.Context, ids []string) (map[string]int, error) {
	numbers := map[string]int{}
	for _, id := range ids {
		if n, err := s.ConceptNumber(ctx, id); err == nil {
			numbers[id] = n
		}
	}
	return numbers, s.ctx.Err()
}

func (s *sphereView) ConceptDegrees(_ context.Context, _ string, ids []int) (map[int]int, error) {
	s.asked = append(s.asked, fmt.Sprint("degrees of ", len(ids)))
	degrees := map[int]int{}
	for _, id := range ids {
		if len(s.vectors[id]) > 0 {
			degrees[id] = 0
		}
		for _, e := range s.edges {
			if _, known := degrees[id]; known && (e.From == id || e.To == id) {
				degrees[id]++
			}
		}
	}
	return degrees, s.ctx.Err()
}

func (s *sphereView) ConceptEmbeddings(_ context.Context, _ string, ids []int) ([]knowledge.EmbeddedConcept, error) {
	s.asked = append(s.asked, fmt.Sprint("embeddings of ", len(ids)))
	if s.slowAll {
		<-s.ctx.Done()
	}
	var list []knowledge.EmbeddedConcept
	for _, id := range ids {
		if len(s.vectors[id]) > 0 {
			list = append(list, knowledge.EmbeddedConcept{ID: id, ConceptID: conceptID(id), Embedding: s.vectors[id]})
		}
	}
	return list, s.ctx.Err()
}

func polarityOf(t *testing.T, s *sphere, q questions.PolarityQuery) (questions.PolarityResult, error) {
	t.Helper()
	return New(Config{View: s.view, Embedder: wholeOnly{}}).Polarity(t.Context(), q, nil)
}

func placed(r questions.PolarityResult) []string {
	ids := make([]string, len(r.Projections))
	for i, p := range r.Projections {
		ids[i] = p.ConceptID
	}
	return ids
}

func TestPolarityOfNamedCandidates(t *testing.T) {
	s := newSphere(6)
	s.vectors[4] = nil
	q := questions.NewPolarityQuery("c_0", "c_1")
	q.Candidates = []string{"c_2", "c_5", "c_0", "c_4", "c_99", "c_2"}
	r, err := polarityOf(t, s, q)
	if err != nil {
		t.Fatal(err)
	}
	if got := placed(r); !slices.Equal(got, []string{"c_2", "c_5"}) || !slices.Equal(r.Skipped, []string{"c_4", "c_99"}) {
		t.Errorf("placed %v, skipped %v", got, r.Skipped)
	}
	if r.Projections[0].Position != -3 || r.Projections[0].Label != "label 002" || r.Statistics.PositionRange != [2]float64{-9, -3} {
		t.Errorf("got %+v", r)
	}
	if !r.Success || !r.Complete || r.GraphEpoch != 7 || r.Axis.Positive.Label != "label 000" || r.Axis.Quality != questions.AxisStrong {
		t.Errorf("got %+v", r)
	}
	if want := []string{"embeddings of 2", "embeddings of 3"}; !slices.Equal(s.asked, want) || s.queries != 0 {
		t.Errorf("asked for %v and %d levels, want %v and none", s.asked, s.queries, want)
	}
}

func TestPolarityDiscovers(t *testing.T) {
	t.Run("around both poles, with one query for the degrees and one for the embeddings", func(t *testing.T) {
		s := newSphere(8)
		s.edges = append(star(0, 2, 3), star(1, 3, 4)...)
		s.edges = append(s.edges, star(4, 5, 6, 7)...)
		s.vectors[6] = nil
		r, err := polarityOf(t, s, questions.NewPolarityQuery("c_0", "c_1"))
		if err != nil || !r.Complete {
			t.Fatalf("%+v, %v", r, err)
		}
		if got := placed(r); !slices.Equal(got, []string{"c_2", "c_3", "c_4", "c_5", "c_7"}) {
			t.Errorf("placed %v", got)
		}
		if want := []string{"embeddings of 2", "degrees of 6", "embeddings of 5"}; !slices.Equal(s.asked, want) {
			t.Errorf("asked for %v, want %v", s.asked, want)
		}
	})
	t.Run("not at all when it is told not to, or nothing is there", func(t *testing.T) {
		s := newSphere(3)
		s.edges = star(0, 2)
		q := questions.NewPolarityQuery("c_0", "c_1")
		q.AutoDiscover = false
		for _, s := range []*sphere{s, newSphere(3)} {
			r, err := polarityOf(t, s, q)
			if err != nil || len(r.Projections) != 0 || r.Projections == nil || r.Skipped == nil || r.Correlation.P != 1 || !r.Complete {
				t.Errorf("got %+v, %v", r, err)
			}
			q.AutoDiscover = true
		}
	})
	t.Run("over the relationships that the query follows", func(t *testing.T) {
		edge := func(from, to int, kind string, confidence float64) knowledge.Edge {
			return knowledge.Edge{From: from, To: to, Type: kind, Confidence: confidence, Forward: true}
		}
		edges := []knowledge.Edge{edge(0, 2, "CAUSES", 0.9), edge(0, 3, "USES", 0.9), edge(1, 4, "CAUSES", 0.2), edge(5, 1, "CAUSES", 0.9), edge(2, 6, "CAUSES", 0.9)}
		for name, c := range map[string]struct {
			filter questions.RelationshipFilter
			hops   int
			want   []string
		}{
			"all":              {questions.RelationshipFilter{}, 1, []string{"c_2", "c_3", "c_4", "c_5"}},
			"of a type":        {questions.RelationshipFilter{Types: []string{"CAUSES"}}, 2, []string{"c_2", "c_4", "c_5", "c_6"}},
			"that are sure":    {questions.RelationshipFilter{MinConfidence: 0.5}, 1, []string{"c_2", "c_3", "c_5"}},
			"in one direction": {questions.RelationshipFilter{Direction: questions.HeadingIn}, 1, []string{"c_5"}},
		} {
			s := newSphere(7)
			s.edges = edges
			q := questions.NewPolarityQuery("c_0", "c_1")
			q.RelationshipFilter, q.MaxHops = c.filter, c.hops
			r, err := polarityOf(t, s, q)
			got := placed(r)
			if slices.Sort(got); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%s: placed %v, want %v; %v", name, got, c.want, err)
			}
		}
	})
	t.Run("what the limit leaves out is said", func(t *testing.T) {
		s := newSphere(5)
		s.edges = star(0, 2, 3, 4)
		g := New(Config{View: s.view, Embedder: wholeOnly{}})
		g.limits.visited = 2
		r, err := g.Polarity(t.Context(), questions.NewPolarityQuery("c_0", "c_1"), nil)
		if err != nil || r.Complete || !r.Truncated || r.Missing == "" || len(r.Projections) != 2 {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

// TestPolarityEpoch asks while memory, at epoch 7, is behind the tables: an answer that
// was read from memory must not be taken for one of the graph as it is. That of a job is
// one: it is kept, and would be outdated from the beginning.
func TestPolarityEpoch(t *testing.T) {
	s := newSphere(5)
	s.edges, s.at = star(0, 2, 3), 9
	loaded := s.load(t)
	s.concepts = 7
	s.vectors[5], s.vectors[6] = models.Embedding{3, 1}, models.Embedding{1, 3}
	s.edges = append(s.edges, star(5, 2, 3, 4)...)
	g := New(Config{View: s.view, Embedder: wholeOnly{}, Memory: loaded.View})
	for _, c := range []struct {
		poles  [2]string
		yield  func(work.Progress) error
		epoch  int64
		placed int
	}{
		{[2]string{"c_0", "c_1"}, nil, 7, 2},                                      // of memory, without what is around 5
		{[2]string{"c_5", "c_6"}, nil, 9, 4},                                      // poles that the tables alone know
		{[2]string{"c_0", "c_1"}, func(work.Progress) error { return nil }, 9, 3}, // with 5, which the tables alone know
	} {
		q := questions.NewPolarityQuery(c.poles[0], c.poles[1])
		r, err := g.Polarity(t.Context(), q, c.yield)
		if err != nil || r.GraphEpoch != c.epoch || len(r.Projections) != c.placed {
			t.Errorf("between %v: epoch %d, placed %v, %v; want epoch %d, %d placed", c.poles, r.GraphEpoch, placed(r), err, c.epoch, c.placed)
		}
	}
}

func TestChoose(t *testing.T) {
	degrees := map[int]int{}
	for c := range 100 {
		degrees[c] = c
	}
	t.Run("by degree, at random, and both", func(t *testing.T) {
		if got := choose(degrees, 3, 0, 1); !slices.Equal(got, []int{99, 98, 97}) {
			t.Errorf("got %v", got)
		}
		if got := choose(degrees, 10, 0.2, 1); !slices.Equal(got[:8], []int{99, 98, 97, 96, 95, 94, 93, 92}) || slices.Equal(got[8:], []int{91, 90}) {
			t.Errorf("got %v", got)
		}
		if one, other := choose(degrees, 10, 1, 1), choose(degrees, 10, 1, 2); slices.Equal(one, other) {
			t.Errorf("two seeds give %v", one)
		}
	})
	t.Run("as many as are wanted, each once, and the same again", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			most, share := rapid.IntRange(1, 120).Draw(t, "most"), rapid.Float64Range(0, 1).Draw(t, "share")
			seed := rapid.Uint64().Draw(t, "seed")
			got := choose(degrees, most, share, seed)
			if len(distinct(got)) != min(most, 100) || len(got) != min(most, 100) || !slices.Equal(got, choose(degrees, most, share, seed)) {
				t.Fatalf("got %v", got)
			}
		})
	})
}

func TestPolarityRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(q *questions.PolarityQuery, s *sphere)
		code    kappa.Code
		message string
	}{
		"an unknown pole": {func(q *questions.PolarityQuery, _ *sphere) { q.NegativePole = "c_77" }, kappa.CodeMalformed, "Concept 'c_77' not found"},
		"the same pole":   {func(q *questions.PolarityQuery, _ *sphere) { q.NegativePole = "c_0" }, kappa.CodeMalformed, "The poles are the same concept, c_0"},
		"a pole without an embedding": {
			func(_ *questions.PolarityQuery, s *sphere) { s.vectors[1] = nil },
			kappa.CodeMalformed, "Concept 'c_1' has no embedding of the model model",
		},
		"poles that are too similar": {
			func(_ *questions.PolarityQuery, s *sphere) { s.vectors[1] = s.vectors[0] }, kappa.CodeMalformed, "The poles 'c_0' and 'c_1' are too similar",
		},
		"a pole with another alphabet": {
			func(q *questions.PolarityQuery, _ *sphere) { q.PositivePole = "c_0'; DROP" },
			kappa.CodeInvalid, "positive_pole_id: must consist of letters",
		},
		"values out of range": {
			func(q *questions.PolarityQuery, _ *sphere) { q.MaxHops, q.TimeoutSeconds, q.RandomShare = 4, 0, 2 },
			kappa.CodeInvalid, "max_hops: must be at most 3, got 4; discovery_slot_pct: must be between 0 and 1, got 2; timeout_seconds: must be at least 1, got 0",
		},
		"101 candidates": {
			func(q *questions.PolarityQuery, _ *sphere) { q.Candidates = make([]string, 101) },
			kappa.CodeInvalid, "candidate_ids: must be at most 100, got 101",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, q := newSphere(3), questions.NewPolarityQuery("c_0", "c_1")
			c.change(&q, s)
			_, err := polarityOf(t, s, q)
			if kappa.ErrorCode(err) != c.code || !strings.HasPrefix(kappa.ErrorMessage(err), c.message) {
				t.Errorf("got %v, want %s", err, c.message)
			}
		})
	}
	t.Run("candidates are placed by chunks, and it may be cancelled between them", func(t *testing.T) {
		s := newSphere(9)
		q := questions.NewPolarityQuery("c_0", "c_1")
		q.Candidates, q.ChunkSize = []string{"c_2", "c_3", "c_4", "c_5", "c_6"}, 2
		var placed []int
		ask := func(ctx context.Context, between func()) error {
			placed = nil
			_, err := New(Config{View: s.view, Embedder: wholeOnly{}}).Polarity(ctx, q, func(p work.Progress) error {
				if p.Stage == "placing candidates" && p.Percent > 70 {
					placed = append(placed, p.ItemsProcessed)
					between()
				}
				return nil
			})
			return err
		}
		if err := ask(t.Context(), func() {}); err != nil || !slices.Equal(placed, []int{2, 4, 5}) {
			t.Errorf("placed %v, %v", placed, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := ask(ctx, cancel); !errors.Is(err, context.Canceled) || !slices.Equal(placed, []int{2}) {
			t.Errorf("after it was cancelled it placed %v, %v", placed, err)
		}
	})
	t.Run("what the yield point refuses", func(t *testing.T) {
		g := New(Config{View: newSphere(3).view, Embedder: wholeOnly{}})
		_, err := g.Polarity(t.Context(), questions.NewPolarityQuery("c_0", "c_1"), func(work.Progress) error { return kappa.ErrCancelled })
		if !errors.Is(err, kappa.ErrCancelled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestPolarityDeadline(t *testing.T) {
	ask := func(t *testing.T, s *sphere) (r questions.PolarityResult, took time.Duration, err error) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			q := questions.NewPolarityQuery("c_0", "c_1")
			q.TimeoutSeconds = 8
			r, err = polarityOf(t, s, q)
			took = time.Since(begin)
		})
		return r, took, err
	}
	for level, want := range map[int]int{1: 0, 2: 2, 3: 2} {
		t.Run("a search that stalls at query "+strconv.Itoa(level)+" is ended, and what it had found is used", func(t *testing.T) {
			s := newSphere(6)
			s.edges = append(star(0, 2, 3), star(3, 4, 5)...)
			s.slow = level
			r, took, err := ask(t, s)
			if err != nil || took > 6*time.Second || took < 4*time.Second || len(r.Projections) != want || r.Complete || !r.TimedOut || r.Missing == "" {
				t.Errorf("after %s: %+v, %v", took, r, err)
			}
		})
	}
	t.Run("when nothing can be read in time the answer is 503", func(t *testing.T) {
		s := newSphere(3)
		s.slowAll = true
		_, took, err := ask(t, s)
		if kappa.ErrorCode(err) != kappa.CodeUnavailable || took != 8*time.Second || !strings.Contains(kappa.ErrorMessage(err), "longer than 8s") {
			t.Errorf("after %s: %v", took, err)
		}
	})
	t.Run("a caller who leaves gets no answer about time", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := New(Config{View: newSphere(3).view, Embedder: wholeOnly{}}).Polarity(ctx, questions.NewPolarityQuery("c_0", "c_1"), nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}
