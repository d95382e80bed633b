package english

import (
	"testing"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// TestGroundingAxis holds the built-in embedding to what the measures of grounding need
// of it: the texts of the types place agreement and disagreement far apart, and what is
// neither in the middle.
func TestGroundingAxis(t *testing.T) {
	types := map[string]models.Embedding{}
	for _, ty := range vocabulary.BuiltinTypes() {
		types[ty.Name] = embed(t, vocabulary.TextOf(ty.Name))
	}
	axis := vocabulary.GroundingAxis(types)
	if axis == nil {
		t.Fatal("no axis")
	}
	lowest, highest := 1.0, -1.0
	for _, ty := range vocabulary.BuiltinTypes() {
		p := axis.Projection(types[ty.Name])
		t.Logf("%-15s %+.3f", ty.Name, p)
		lowest, highest = min(lowest, p), max(highest, p)
	}
	if highest < 0.5 || lowest > -0.5 {
		t.Errorf("the types spread from %.3f to %.3f, want beyond -0.5 and 0.5", lowest, highest)
	}
	for name, want := range map[string][2]float64{
		"SUPPORTS": {0.5, 1}, "VALIDATES": {0.5, 1}, "ENABLES": {0.2, 1},
		"CONTRADICTS": {-1, -0.5}, "REFUTES": {-1, -0.5}, "PREVENTS": {-1, -0.2},
		"RELATED_TO": {-0.15, 0.15}, "PART_OF": {-0.15, 0.15}, "PRECEDES": {-0.15, 0.15},
	} {
		if p := axis.Projection(types[name]); p < want[0] || p > want[1] {
			t.Errorf("%s projects to %.3f, want it in %v", name, p, want)
		}
	}
}
