package graph

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func (m *memory) OntologyNumber(_ context.Context, name string) (int, error) {
	return 0, kappa.NewError(kappa.CodeNotFound, "Ontology '"+name+"' does not exist")
}

func (m *memory) ConceptsOf(context.Context, int) ([]int, error) {
	numbers := make([]int, m.concepts)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers, nil
}

func (m *memory) NetworkEdges(_ context.Context, most int) ([]knowledge.Edge, error) {
	m.queries++
	return m.edges[:min(most, len(m.edges))], nil
}

func TestSurvey(t *testing.T) {
	m := &memory{concepts: 7, edges: append(star(0, 1, 2), star(3, 4, 5, 6)...)}
	g := New(Config{View: viewOf(m)})
	central, err := g.Centrality(t.Context(), questions.CentralityQuery{Limit: 2})
	if err != nil || len(central.Results) != 2 || central.Concepts != 7 || central.Relationships != 5 || central.Results[0].Rank < central.Results[1].Rank {
		t.Errorf("%+v, %v", central, err)
	}
	m.summed = 0
	if all, err := g.Communities(t.Context(), questions.CommunitiesQuery{Resolution: 1, Limit: 9, PerGroup: 9}); err != nil || len(all.Communities) != 2 || len(all.Communities[1].Concepts) != 3 || m.summed != 1 {
		t.Errorf("%+v, %v, named by %d questions, want 1", all, err, m.summed)
	}
	groups, err := g.Communities(t.Context(), questions.CommunitiesQuery{Resolution: 1, Limit: 1, PerGroup: 1})
	if err != nil || groups.Count != 2 || len(groups.Communities) != 1 {
		t.Fatalf("%+v, %v", groups, err)
	}
	if c := groups.Communities[0]; c.Size != 4 || c.Share != 0.5714 || len(c.Concepts) != 1 || c.Name != "label 004, label 005, label 006" {
		t.Errorf("%+v", c)
	}
	if m.queries != 1 {
		t.Errorf("the graph was read %d times in one epoch", m.queries)
	}
	m.at = 9
	if _, err := g.Centrality(t.Context(), questions.CentralityQuery{Limit: 2}); err != nil || m.queries != 2 {
		t.Errorf("after a change it was read %d times, %v, want 2", m.queries, err)
	}
	if _, err := g.Centrality(t.Context(), questions.CentralityQuery{Ontology: "no such", Limit: 2}); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("an unknown ontology: %v", err)
	}
	if _, err := g.Communities(t.Context(), questions.CommunitiesQuery{Resolution: 0, Limit: 1, PerGroup: 1}); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("no resolution: %v", err)
	}
}

// TestSurveyFlight has many ask for a survey at once: one of them makes it.
func TestSurveyFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := &surveys{}
		made := 0
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				for {
					s, wait := known.begin(7, 0)
					switch {
					case s != nil:
						return
					case wait != nil:
						<-wait
						continue
					}
					if made++; made > 1 { // the first one fails
						known.keep(7, 0, &survey{})
					}
					time.Sleep(time.Second)
					known.end(0)
					if made > 1 {
						return
					}
				}
			})
		}
		all.Wait()
		if made != 2 {
			t.Errorf("it was made %d times, of which one failed", made)
		}
	})
}
