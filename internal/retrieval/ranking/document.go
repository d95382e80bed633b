package ranking

import "github.com/kappagraph/kappa/internal/retrieval/index"

// document is what the document of a candidate has of the question.
type document float64

// document returns what the document as a whole has, which is the same for all its passages.
func (c *comparer) document(candidate *index.Candidate, d *side) float64 {
	if has, ok := c.documents[candidate.Document]; ok {
		return float64(has)
	}
	length := float64(c.v.DocumentWords(candidate)) * float64(max(1, c.v.Documents())) / (c.q.mean * c.q.size)
	norm := k1Document * (1 - b + b*length)
	sum := 0.0
	for id, text := range d.loose.text[:d.loose.content] {
		if n := float64(c.v.InDocument(candidate, d.loose.field, text)); n > 0 {
			sum += d.loose.weight[id] * n / (n + norm)
		}
	}
	c.documents[candidate.Document] = document(sum)
	return sum
}
