package knowledge

import (
	"math"

	"github.com/kappagraph/kappa/corpus/models"
)

// MaxDiversityConcepts is how many concepts around another one its diversity is made
// of at most: the nearest ones.
const MaxDiversityConcepts = 100

// scepticism is how much grounding it takes until a diversity counts for half.
const scepticism = 0.3

// Diversity returns how different embeddings are: 1 minus the mean cosine of all
// pairs, and nil for fewer than two. Above 0.35 they come from independent fields,
// below 0.25 they say the same.
//
// It takes one pass over the embeddings: the sum of all products of pairs is the
// square of the sum of the vectors without the squares of each.
func Diversity(embeddings []models.Embedding) *float64 {
	n := float64(len(embeddings))
	if n < 2 {
		return nil
	}
	sum := make([]float64, len(embeddings[0]))
	squares := 0.0
	for _, e := range embeddings {
		if len(e) != len(sum) {
			return nil // of different models
		}
		length := 0.0
		for _, x := range e {
			length += float64(x) * float64(x)
		}
		if length == 0 {
			continue // its cosine with any other is 0
		}
		scale := 1 / math.Sqrt(length)
		for i, x := range e {
			sum[i] += float64(x) * scale
		}
		squares++
	}
	total := 0.0
	for _, x := range sum {
		total += x * x
	}
	return Rounded(1 - (total-squares)/(n*(n-1)))
}

// AuthenticatedDiversity returns diversity with the sign of the grounding, and the
// smaller the less grounding there is. It is nil when either is.
func AuthenticatedDiversity(grounding, diversity *float64) *float64 {
	if grounding == nil || diversity == nil {
		return nil
	}
	return Rounded(*grounding / (math.Abs(*grounding) + scepticism) * *diversity)
}
