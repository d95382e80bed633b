package vocabulary

import (
	"math"
	"testing"

	"github.com/kappagraph/kappa/corpus/models"
)

func TestGroundingAxis(t *testing.T) {
	t.Run("is the normalised mean of the pairs that are there", func(t *testing.T) {
		axis := GroundingAxis(map[string]models.Embedding{
			"SUPPORTS": {1, 0, 0}, "CONTRADICTS": {0, 1, 0},
			"ENABLES": {0, 0, 1}, "PREVENTS": {0, 1, 0},
			"CONFIRMS": {1, 1, 1}, // its opposite is not known
		})
		want := Axis{1 / math.Sqrt(6), -2 / math.Sqrt(6), 1 / math.Sqrt(6)}
		for i := range want {
			if math.Abs(axis[i]-want[i]) > 1e-12 {
				t.Fatalf("got %v, want %v", axis, want)
			}
		}
		if p := axis.Projection(models.Embedding{0, 1, 0}); math.Abs(p-want[1]) > 1e-7 {
			t.Errorf("projection %v, want %v", p, want[1])
		}
	})
	t.Run("without a pair there is none, and nothing projects", func(t *testing.T) {
		for _, types := range []map[string]models.Embedding{
			nil, {"SUPPORTS": {1, 0}}, {"SUPPORTS": {1, 0}, "CONTRADICTS": {1, 0, 0}}, {"SUPPORTS": {1, 0}, "CONTRADICTS": {1, 0}},
		} {
			axis := GroundingAxis(types)
			if axis != nil || axis.Projection(models.Embedding{1, 0}) != 0 {
				t.Errorf("%v has the axis %v", types, axis)
			}
		}
	})
	t.Run("an embedding of another model projects to 0", func(t *testing.T) {
		if p := (Axis{1, 0}).Projection(models.Embedding{1, 0, 0}); p != 0 {
			t.Errorf("got %v", p)
		}
	})
}

func TestTypeText(t *testing.T) {
	for _, ty := range BuiltinTypes() {
		if _, known := typeTexts[ty.Name]; !known {
			t.Errorf("%s has no text to embed", ty.Name)
		}
	}
	for _, pair := range opposedTypes {
		if typeTexts[pair[0]] == "" || typeTexts[pair[1]] == "" {
			t.Errorf("%v are a pair without texts", pair)
		}
	}
	if text := TextOf("HELD_BY"); text != "held by" {
		t.Errorf("got %q, want the words of the name", text)
	}
}
