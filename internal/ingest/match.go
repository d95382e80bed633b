package ingest

import (
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
)

// The thresholds of matching: a draft is a known concept when their embeddings are at
// least this similar, or a little less and the labels agree.
const (
	sameSimilarity      = 0.85
	sameLabelSimilarity = 0.75
)

// newConcept is added to the place of a draft to make the ID of a concept that has no
// row yet: above that of every row, so that of two equally similar concepts the known
// one wins.
const newConcept = 1 << 40

// matcher is the rules by which two mentions are the same concept.
type matcher struct{}

// LeastSimilarity is the lowest threshold.
func (matcher) LeastSimilarity() float64 { return sameLabelSimilarity }

// Certain reports whether a known concept bears the draft's label and is similar
// enough: nothing wins over that.
func (matcher) Certain(d kappa.ConceptDraft, namesakes []kappa.Candidate) bool {
	_, certain := namesake(d, namesakes)
	return certain
}

// Match decides in the order of the drafts. A draft may also be the new concept that
// an earlier draft of the chunk becomes.
func (matcher) Match(drafts []kappa.ConceptDraft, candidates [][]kappa.Candidate) []kappa.ConceptMatch {
	matches := make([]kappa.ConceptMatch, len(drafts))
	var fresh []kappa.Candidate // concepts that earlier drafts become
	for i, d := range drafts {
		c, known := match(d, append(slices.Clip(candidates[i]), fresh...))
		switch {
		case !known:
			matches[i].Draft = i
			fresh = append(fresh, kappa.Candidate{ID: newConcept + i, Label: d.Label, Embedding: d.Embedding})
		case c.ID >= newConcept:
			matches[i].Draft = c.ID - newConcept
		default:
			matches[i].Known = c.ID
		}
	}
	return matches
}

// match returns the candidate that d is: the best that bears its label, from 0.85 on;
// else the best of all, from 0.85 on, or from 0.75 on when one label contains the
// other.
func match(d kappa.ConceptDraft, candidates []kappa.Candidate) (kappa.Candidate, bool) {
	if c, ok := namesake(d, candidates); ok {
		return c, true
	}
	best, similarity := nearest(d, candidates)
	if similarity >= sameSimilarity || similarity >= sameLabelSimilarity && labelsAgree(d.Label, best.Label) {
		return best, true
	}
	return kappa.Candidate{}, false
}

// namesake returns the best candidate that bears d's label, from 0.85 on.
func namesake(d kappa.ConceptDraft, candidates []kappa.Candidate) (kappa.Candidate, bool) {
	key := kappa.LabelKey(d.Label)
	var named []kappa.Candidate
	for _, c := range candidates {
		if kappa.LabelKey(c.Label) == key {
			named = append(named, c)
		}
	}
	best, similarity := nearest(d, named)
	return best, similarity >= sameSimilarity
}

// nearest returns the candidate with the highest cosine similarity, which is -1
// without any. Of equals it is the oldest, with the smallest ID.
func nearest(d kappa.ConceptDraft, candidates []kappa.Candidate) (best kappa.Candidate, similarity float64) {
	similarity = -1
	for _, c := range candidates {
		s := d.Embedding.Cosine(c.Embedding)
		if s > similarity || s == similarity && c.ID < best.ID {
			best, similarity = c, s
		}
	}
	return best, similarity
}

// labelsAgree reports whether two labels are equal or one contains the other.
func labelsAgree(a, b string) bool {
	a, b = kappa.LabelKey(a), kappa.LabelKey(b)
	return strings.Contains(a, b) || strings.Contains(b, a)
}
