package graph

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// TestWeakRelationshipsAreHidden asks each question with and without what is only
// mentioned together, of the tables and of memory.
func TestWeakRelationshipsAreHidden(t *testing.T) {
	m := &memory{concepts: 4, edges: []knowledge.Edge{
		{From: 0, To: 1, Type: vocabulary.TypeRelatedTo, Confidence: 0.3, Forward: true},
		{From: 1, To: 2, Type: vocabulary.TypeRelatedTo, Confidence: 0.4, Forward: true},
		{From: 2, To: 3, Type: "CAUSES", Confidence: 0.2, Forward: true}, // uncertain, but stated
	}}
	tables, memory := m.both(t, defaultLimits())
	for name, g := range map[string]*Graph{"tables": tables, "memory": memory} {
		for _, weak := range []bool{false, true} {
			filter := questions.EpistemicFilter{IncludeWeak: weak}
			from0, from1 := "", "c_2 c_3"
			if weak {
				from0, from1 = "c_1 c_2 c_3", "c_0 c_2 c_3"
			}
			for start, want := range map[string]string{"c_0": from0, "c_1": from1} {
				related, err := g.Related(t.Context(), questions.RelatedQuery{ConceptID: start, MaxDepth: 3, EpistemicFilter: filter})
				var ids []string
				for _, c := range related.Results {
					ids = append(ids, c.ConceptID)
				}
				if got := strings.Join(ids, " "); err != nil || len(ids) != len(strings.Fields(want)) || weak == false && got != want {
					t.Errorf("%s, weak %t: related to %s are %q, want %q; %v", name, weak, start, got, want, err)
				}
				around, err := g.Neighborhood(t.Context(), questions.NeighborhoodQuery{ConceptID: start, MaxHops: 3, Limit: 10, EpistemicFilter: filter})
				if err != nil || around.NodeCount != len(ids)+1 || around.EdgeCount != len(ids) {
					t.Errorf("%s, weak %t: around %s are %d concepts and %d relationships, want one more than %q; %v", name, weak, start, around.NodeCount, around.EdgeCount, want, err)
				}
			}
			path, err := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_0", ToID: "c_3", MaxHops: 5, EpistemicFilter: filter})
			if err != nil || (path.Count == 1) != weak {
				t.Errorf("%s, weak %t: paths %+v, %v", name, weak, path.Paths, err)
			}
			path, err = g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_1", ToID: "c_3", MaxHops: 5, EpistemicFilter: filter})
			if err != nil || path.Count != 1 {
				t.Errorf("%s, weak %t: paths over shown ones %+v, %v", name, weak, path.Paths, err)
			}
		}
	}
}

// TestWeakOfAnUnknownType hides nothing where no type is called so.
func TestWeakOfAnUnknownType(t *testing.T) {
	var v adjacency.View
	s := v.Types(nil).From(vocabulary.TypeRelatedTo, vocabulary.LeastRelated, &v)
	if !s.Follows(adjacency.Neighbour{Type: 0, Confidence: 0.1}) {
		t.Error("an edge of another type is hidden")
	}
}
