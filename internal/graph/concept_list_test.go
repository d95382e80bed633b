package graph

import (
	"context"
	"errors"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// shelf lists three concepts, the first of them in two ontologies.
type shelf struct {
	library
	asked []questions.ConceptFilter
}

func (s *shelf) ConceptsByEvidence(_ context.Context, f questions.ConceptFilter) ([]knowledge.ConceptEvidence, int, error) {
	s.asked = append(s.asked, f)
	return []knowledge.ConceptEvidence{
		{ID: 4, ConceptID: "c_4", Label: "Four", Sources: 8, Quotes: 11, SearchTerms: []string{"four"}, CreationMethod: "llm_extraction", HasEmbedding: true},
		{ID: 2, ConceptID: "c_2", Sources: 2},
		{ID: 9, ConceptID: "c_9", Sources: 1, HasEmbedding: true},
	}, 30, nil
}

func (s *shelf) ConceptOntologies(context.Context, []int) (map[int][]string, error) {
	return map[int][]string{4: {"apples", "zebras"}, 2: {"zebras"}}, nil
}

func (s *shelf) NarrowedCounted(_ context.Context, counted []knowledge.ConceptEvidence, ontology string, _ int) (map[int]questions.Narrowed, error) {
	within := map[int]questions.Narrowed{}
	for _, c := range counted {
		within[c.ID] = questions.Narrowed{Sources: 1, Instances: 2, Evidence: []knowledge.Evidence{{Quote: "q", Document: ontology}}}
	}
	return within, nil
}

func TestListConcepts(t *testing.T) {
	list := func(t *testing.T, s *shelf, f questions.ConceptFilter) ([]questions.ListedConcept, int) {
		t.Helper()
		f.Limit = 50
		concepts, total, err := New(Config{View: viewOf(s)}).ListConcepts(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		return concepts, total
	}
	t.Run("each concept with what clients read of it", func(t *testing.T) {
		s := &shelf{}
		got, total := list(t, s, questions.ConceptFilter{LabelContains: "label"})
		if len(got) != 3 || total != 30 || s.asked[0].LabelContains != "label" {
			t.Fatalf("%+v of %d, asked for %+v", got, total, s.asked)
		}
		if c := got[0]; c.ConceptID != "c_4" || c.Score != 1 || *c.Ontology != "apples" || len(c.Documents) != 2 || !c.HasEmbedding ||
			c.SearchTerms[0] != "four" || c.CreationMethod != "llm_extraction" || c.MatchedExisting {
			t.Errorf("the first is %+v", c)
		}
		if c := got[1]; c.Score != 0.25 || *c.Ontology != "zebras" || c.HasEmbedding || c.SearchTerms == nil {
			t.Errorf("the second is %+v", c)
		}
		if c := got[2]; c.Ontology != nil {
			t.Errorf("the third is %+v", c)
		}
	})
	t.Run("the ontology that was asked for", func(t *testing.T) {
		if got, _ := list(t, &shelf{}, questions.ConceptFilter{Ontology: "zebras"}); *got[0].Ontology != "zebras" {
			t.Errorf("got %s", *got[0].Ontology)
		}
	})
	t.Run("the store selects how they came about", func(t *testing.T) {
		s := &shelf{}
		list(t, s, questions.ConceptFilter{CreationMethod: "agent"})
		if len(s.asked) != 1 || s.asked[0].CreationMethod != "agent" {
			t.Errorf("asked %+v", s.asked)
		}
	})
	t.Run("a filter that breaks rules", func(t *testing.T) {
		_, _, err := New(Config{View: viewOf(&shelf{})}).ListConcepts(t.Context(), questions.ConceptFilter{Limit: 501, LabelContains: "a\x00"})
		if kappa.ErrorMessage(err) != `label_contains: must not contain control characters, got "a\x00"; limit: must be at most 500, got 501` {
			t.Errorf("got %v", err)
		}
	})
}

// counting is a shelf that is asked for no counts: its list has counted already.
type counting struct{ *shelf }

func (c counting) ConceptSummaries(context.Context, []int) (map[int]knowledge.ConceptSummary, error) {
	return nil, errors.New("the quotes of each concept are counted again")
}

func (c counting) TypeProjections(context.Context) (map[int32]float64, error) { return nil, nil }

// TestListedConceptsAreCountedOnce lists concepts whose relationships are in memory: what the
// list has counted is shown, and nothing is counted again.
func TestListedConceptsAreCountedOnce(t *testing.T) {
	load := adjacency.NewBuilder(0)
	load.AddType(adjacency.Type{Number: 1, Name: "PART_OF"})
	for _, n := range []int32{2, 4, 9} {
		if err := load.AddConcept(adjacency.Concept{Number: n, ID: conceptID(int(n))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := load.AddEdge(adjacency.Edge{Src: 4, Dst: 2, Type: 1, Confidence: 1}); err != nil {
		t.Fatal(err)
	}
	loaded, err := load.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	g := New(Config{View: viewOf(counting{&shelf{}}), Memory: loaded.View})
	list, _, err := g.ListConcepts(t.Context(), questions.ConceptFilter{Limit: 50})
	if err != nil || len(list) != 3 || list[0].Label != "Four" || list[0].EvidenceCount != 11 {
		t.Errorf("%+v, %v", list, err)
	}
}
