package kappa_test

import (
	"math/rand/v2"
	"testing"

	"github.com/kappagraph/kappa"
)

func TestMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for name, c := range map[string]struct {
		cosine float64
		label  string // of the candidate; the draft's is "Worker lane"
		same   bool
	}{
		"near enough":                          {0.86, "fast lane", true},
		"not near enough":                      {0.84, "fast lane", false},
		"less near with the same label":        {0.76, "worker  LANE", true},
		"less near with a label within it":     {0.76, "lane", true},
		"less near with a label around it":     {0.76, "interactive worker lane", true},
		"the same label and not near":          {0.74, "worker lane", false},
		"the same label for a different thing": {0.1, "worker lane", false},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := pair(r, 768, c.cosine)
			draft := kappa.ConceptDraft{ExtractedConcept: kappa.ExtractedConcept{Label: "Worker lane"}, Embedding: a}
			got, same := draft.Match([]kappa.Candidate{{ID: 7, Label: c.label, Embedding: b}})
			if same != c.same || (same && got.ID != 7) {
				t.Errorf("is the same: %v, want %v", same, c.same)
			}
		})
	}
	t.Run("a namesake wins over a nearer stranger, and the older one of equals", func(t *testing.T) {
		a, near := pair(r, 768, 0.99)
		draft := kappa.ConceptDraft{ExtractedConcept: kappa.ExtractedConcept{Label: "lane"}, Embedding: a}
		got, ok := draft.Match([]kappa.Candidate{
			{ID: 3, Label: "street", Embedding: a}, {ID: 5, Label: "Lane", Embedding: near}, {ID: 4, Label: "lane", Embedding: near},
		})
		if !ok || got.ID != 4 {
			t.Errorf("matched %d, want 4", got.ID)
		}
	})
	t.Run("nothing is known yet", func(t *testing.T) {
		if _, ok := (kappa.ConceptDraft{}).Match(nil); ok {
			t.Error("matched nothing")
		}
	})
}
