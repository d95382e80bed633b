package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// chain is 0 —CAUSES→ 1 —PART_OF→ 2 —CAUSES→ 3, and 0 —WAS_PART_OF→ 3.
func chain() *memory {
	return &memory{
		concepts: 4,
		edges: []knowledge.Edge{
			{From: 0, To: 1, Type: "CAUSES", Confidence: 1, Forward: true},
			{From: 1, To: 2, Type: "PART_OF", Confidence: 1, Forward: true},
			{From: 2, To: 3, Type: "CAUSES", Confidence: 1, Forward: true},
			{From: 0, To: 3, Type: "WAS_PART_OF", Confidence: 1, Forward: true},
		},
		statuses: map[string]string{"CAUSES": knowledge.StatusWellGrounded, "PART_OF": "", "WAS_PART_OF": knowledge.StatusHistorical},
	}
}

// TestEpistemicFilters asks for what relationships of some statuses lead to.
func TestEpistemicFilters(t *testing.T) {
	for _, c := range []struct {
		filter  questions.EpistemicFilter
		types   []string
		related []string
		hops    int // from 0 to 3; 0 without a path
	}{
		{questions.EpistemicFilter{}, nil, []string{"c_1", "c_3", "c_2"}, 1},
		{questions.EpistemicFilter{Include: []string{knowledge.StatusWellGrounded}}, nil, []string{"c_1"}, 0},
		{questions.EpistemicFilter{Include: []string{knowledge.StatusHistorical}}, nil, []string{"c_3"}, 1},
		{questions.EpistemicFilter{Exclude: []string{knowledge.StatusHistorical}}, nil, []string{"c_1", "c_2", "c_3"}, 3},
		{questions.EpistemicFilter{Exclude: []string{knowledge.StatusInsufficientData}}, nil, []string{"c_1", "c_3", "c_2"}, 1},
		{questions.EpistemicFilter{Include: []string{knowledge.StatusHistorical, knowledge.StatusWellGrounded}, Exclude: []string{knowledge.StatusHistorical}}, nil, []string{"c_1"}, 0},
		{questions.EpistemicFilter{Include: []string{knowledge.StatusContradicted}}, nil, nil, 0}, // a filter nobody matches
		{questions.EpistemicFilter{Exclude: []string{knowledge.StatusHistorical}}, []string{"causes", "WAS_PART_OF"}, []string{"c_1"}, 3},
		{questions.EpistemicFilter{Exclude: []string{knowledge.StatusHistorical}}, []string{"was_part_of"}, nil, 3},
	} {
		t.Run(fmt.Sprint(c.filter, c.types), func(t *testing.T) {
			g := New(Config{View: viewOf(chain())})
			related, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_0", MaxDepth: 3, RelationshipFilter: questions.RelationshipFilter{Types: c.types}, EpistemicFilter: c.filter})
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, r := range related.Results {
				ids = append(ids, r.ConceptID)
			}
			if !slices.Equal(ids, c.related) {
				t.Errorf("related: %v, want %v", ids, c.related)
			}
			connected, err := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_0", ToID: "c_3", MaxHops: 4, EpistemicFilter: c.filter})
			if err != nil {
				t.Fatal(err)
			}
			hops := 0
			if connected.Count > 0 {
				hops = connected.Paths[0].Hops
			}
			if hops != c.hops {
				t.Errorf("the shortest path has %d hops, want %d", hops, c.hops)
			}
		})
	}
}

func TestDiversityOfConcepts(t *testing.T) {
	angles := []float64{0, 0, 60, 180}
	m := chain()
	m.unmeasured = true
	m.vectors = func(c int) models.Embedding {
		a := angles[c] * math.Pi / 180
		return models.Embedding{float32(math.Cos(a)), float32(math.Sin(a))}
	}
	g := New(Config{View: viewOf(m)})
	connect := func(measures questions.Measures) questions.PathNode {
		t.Helper()
		found, err := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_1", ToID: "c_2", MaxHops: 1, Measures: measures})
		if err != nil {
			t.Fatal(err)
		}
		return found.Paths[0].Nodes[0]
	}
	if node := connect(questions.Measures{}); node.Diversity != nil || node.Related != nil || node.Level == nil || m.embeddings != 0 {
		t.Errorf("unasked: %+v, %d queries of embeddings", node.Grounding, m.embeddings)
	}
	if node := connect(questions.Measures{NoGrounding: true}); node.Strength != nil || node.Level != nil || node.Confidence != nil || node.Display != nil {
		t.Errorf("without grounding: %+v", node.Grounding)
	}
	// Around concept 1 are 0 and 2, 60 degrees apart.
	node := connect(questions.Measures{Diversity: true, DiversityHops: new(1)})
	if node.Diversity == nil || *node.Diversity != 0.5 || *node.Related != 2 || node.Authentic != nil {
		t.Errorf("one hop: %+v, want 0.5 of two concepts, and none that is authentic: the grounding is not known", node.Grounding)
	}
	// Two hops reach 3 too: the cosines are 1/2, -1 and -1/2.
	if node = connect(questions.Measures{Diversity: true}); *node.Diversity != 1.3333 || *node.Related != 3 {
		t.Errorf("two hops: %v of %d, want 1.3333 of 3", *node.Diversity, *node.Related)
	}
	t.Run("an epoch is measured once", func(t *testing.T) {
		asked := m.embeddings
		if connect(questions.Measures{Diversity: true}); m.embeddings != asked {
			t.Errorf("%d more queries", m.embeddings-asked)
		}
		angles[3], m.at = 60, 9
		if node := connect(questions.Measures{Diversity: true}); *node.Diversity != 0.3333 {
			t.Errorf("after a change: %v, want 0.3333", *node.Diversity)
		}
	})
}

func TestDiversityOfOneNeighbour(t *testing.T) {
	m := &memory{concepts: 2, edges: star(0, 1), vectors: func(int) models.Embedding { return models.Embedding{1, 0} }}
	found, err := New(Config{View: viewOf(m)}).Connect(t.Context(), questions.ConnectQuery{FromID: "c_0", ToID: "c_0", MaxHops: 1, Measures: questions.Measures{Diversity: true}})
	if err != nil {
		t.Fatal(err)
	}
	if n := found.Paths[0].Nodes[0]; n.Diversity != nil || *n.Related != 1 {
		t.Errorf("%+v, want no diversity of one concept", n.Grounding)
	}
}

// patchy is a memory whose levels cannot always be read.
type patchy struct {
	*memory
	fails error // of the next levels
}

// Share implements Snapshot: whoever helps meets the same failures.
func (p *patchy) Share(context.Context) (questions.Beside, error) {
	return func(_ context.Context, read func(n questions.Neighbors) error) error { return read(p.Neighbors) }, nil
}

func (p *patchy) Neighbors(ctx context.Context, q questions.NeighborQuery) ([]int32, error) {
	if p.fails != nil && slices.Contains(q.Concepts, 1) {
		return nil, p.fails
	}
	return p.memory.Neighbors(ctx, q)
}

// TestDiversityOfACutReading asks twice in one epoch, the first time when not all around
// a concept can be read: what was measured then says nothing, and is not remembered.
func TestDiversityOfACutReading(t *testing.T) {
	for name, c := range map[string]struct {
		cut   func(p *patchy, s *knowledge.GraphSettings)
		whole func(p *patchy, s *knowledge.GraphSettings)
	}{
		"a chunk that fails": {
			func(p *patchy, _ *knowledge.GraphSettings) { p.fails = errors.New("the connection is lost") },
			func(p *patchy, _ *knowledge.GraphSettings) { p.fails = nil },
		},
		"a chunk that takes too long": {
			func(p *patchy, _ *knowledge.GraphSettings) { p.fails = context.DeadlineExceeded },
			func(p *patchy, _ *knowledge.GraphSettings) { p.fails = nil },
		},
		"a chunk with more relationships than are read": {
			func(_ *patchy, s *knowledge.GraphSettings) { s.MaxResultsPerChunk = 1 },
			func(_ *patchy, s *knowledge.GraphSettings) { s.MaxResultsPerChunk = 1000 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &patchy{memory: &memory{concepts: 6, edges: append(star(0, 1, 2), star(1, 3, 4, 5)...), vectors: func(c int) models.Embedding {
				return models.Embedding{float32(math.Cos(float64(c))), float32(math.Sin(float64(c)))}
			}}}
			settings := knowledge.DefaultGraphSettings()
			g := New(Config{View: viewOf(p), Settings: func() knowledge.GraphSettings { return settings }})
			ask := func() knowledge.Grounding {
				t.Helper()
				found, err := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_0", ToID: "c_0", MaxHops: 1, Measures: questions.Measures{Diversity: true}})
				if err != nil {
					t.Fatal(err)
				}
				return found.Paths[0].Nodes[0].Grounding
			}
			c.cut(p, &settings)
			if d := ask(); d.Diversity != nil || d.Authentic != nil {
				t.Errorf("of a part of what is around it: %v of %d", *d.Diversity, *d.Related)
			}
			c.whole(p, &settings)
			if d := ask(); d.Diversity == nil || *d.Related != 5 {
				t.Errorf("once all can be read: %+v, want that of five concepts", d)
			}
		})
	}
	t.Run("of more concepts than are compared it is that of the nearest", func(t *testing.T) {
		m := &memory{concepts: 200, vectors: func(c int) models.Embedding { return models.Embedding{1, float32(c)} }}
		for c := range 150 {
			m.edges = append(m.edges, star(0, c+1)...)
		}
		g := New(Config{View: viewOf(m)})
		for range 2 {
			found, err := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_0", ToID: "c_0", MaxHops: 1, Measures: questions.Measures{Diversity: true}})
			if err != nil || found.Paths[0].Nodes[0].Diversity == nil || *found.Paths[0].Nodes[0].Related != knowledge.MaxDiversityConcepts {
				t.Errorf("%+v, %v", found, err)
			}
		}
		if m.embeddings != 1 {
			t.Errorf("it was measured %d times", m.embeddings)
		}
	})
}
