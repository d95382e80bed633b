package knowledge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kappagraph/kappa/corpus/models"
)

// pairwise is the definition of diversity, pair by pair.
func pairwise(embeddings []models.Embedding) float64 {
	sum, pairs := 0.0, 0
	for i := range embeddings {
		for j := range i {
			sum += embeddings[i].Cosine(embeddings[j])
			pairs++
		}
	}
	return 1 - sum/float64(pairs)
}

func TestDiversity(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 2; n <= MaxDiversityConcepts; n += 7 {
		embeddings := make([]models.Embedding, n)
		for i := range embeddings {
			embeddings[i] = make(models.Embedding, 16)
			if i == 3 {
				continue // the zero vector has no direction
			}
			for d := range embeddings[i] {
				embeddings[i][d] = float32(random.NormFloat64() + 0.5) // of any length
			}
		}
		got, want := Diversity(embeddings), pairwise(embeddings)
		if got == nil || math.Abs(*got-want) > 1e-4 {
			t.Errorf("%d embeddings: %v, want %v", n, got, want)
		}
	}
	for name, embeddings := range map[string][]models.Embedding{"none": nil, "one": {{1, 0}}, "two models": {{1, 0}, {1, 0, 0}}} {
		if d := Diversity(embeddings); d != nil {
			t.Errorf("%s: %v, want null", name, *d)
		}
	}
	if d := Diversity([]models.Embedding{{1, 0}, {2, 0}, {3, 0}}); *d != 0 {
		t.Errorf("the same direction: %v, want 0", *d)
	}
}

func TestAuthenticatedDiversity(t *testing.T) {
	for _, c := range []struct{ grounding, diversity, want float64 }{{0.3, 0.5, 0.25}, {-0.3, 0.5, -0.25}, {0, 0.5, 0}, {0.7, 1, 0.7}} {
		if got := AuthenticatedDiversity(&c.grounding, &c.diversity); *got != c.want {
			t.Errorf("g %v, d %v: %v, want %v", c.grounding, c.diversity, *got, c.want)
		}
	}
	one := 1.0
	if AuthenticatedDiversity(nil, &one) != nil || AuthenticatedDiversity(&one, nil) != nil {
		t.Error("not null when one of them is")
	}
}
