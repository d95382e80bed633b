package kappa

import (
	"strings"
	"unicode"
)

// The thresholds of matching: a new concept is the known one when their
// embeddings are at least this similar, or a little less and the labels agree.
const (
	MatchSimilarity      = 0.85
	MatchSimilarityLabel = 0.75
)

// ConceptDraft is an extracted concept with its embedding, before it is known
// whether the graph has it already.
type ConceptDraft struct {
	ExtractedConcept
	Embedding Embedding
}

// EmbeddingText is the text of a concept that is embedded: the label, the
// description and the search terms, in sections that end with a period.
func (c ExtractedConcept) EmbeddingText() string {
	parts := []string{c.Label}
	if c.Description != "" {
		parts = append(parts, strings.TrimSuffix(c.Description, "."))
	}
	if len(c.SearchTerms) > 0 {
		parts = append(parts, strings.Join(c.SearchTerms, " "))
	}
	return strings.Join(parts, ". ")
}

// Candidate is a known concept that a draft might be.
type Candidate struct {
	ID        int
	Label     string
	Embedding Embedding
}

// Match returns the candidate that d is, by cosine similarity: the best one at
// 0.85 and above, or at 0.75 and above when the labels are equal or one
// contains the other. One at 0.85 and above that bears the same label wins over
// those that do not; it need not be compared with them. Ties go to the oldest,
// the smallest ID.
func (d ConceptDraft) Match(candidates []Candidate) (Candidate, bool) {
	if c, ok := d.Namesake(candidates); ok {
		return c, true
	}
	best, bestSimilarity := d.nearest(candidates)
	switch {
	case bestSimilarity >= MatchSimilarity:
		return best, true
	case bestSimilarity >= MatchSimilarityLabel && labelsAgree(d.Label, best.Label):
		return best, true
	}
	return Candidate{}, false
}

// Namesake returns the best candidate that bears d's label, when it is at 0.85
// and above.
func (d ConceptDraft) Namesake(candidates []Candidate) (Candidate, bool) {
	key := LabelKey(d.Label)
	var named []Candidate
	for _, c := range candidates {
		if LabelKey(c.Label) == key {
			named = append(named, c)
		}
	}
	best, similarity := d.nearest(named)
	return best, similarity >= MatchSimilarity
}

// nearest returns the candidate with the highest cosine similarity, which is -1
// without any.
func (d ConceptDraft) nearest(candidates []Candidate) (best Candidate, similarity float64) {
	similarity = -1
	for _, c := range candidates {
		s := d.Embedding.Cosine(c.Embedding)
		if s > similarity || (s == similarity && c.ID < best.ID) {
			best, similarity = c, s
		}
	}
	return best, similarity
}

// LabelKey is a label for comparison: lower case, white space folded.
func LabelKey(label string) string { return strings.Join(strings.Fields(strings.ToLower(label)), " ") }

func labelsAgree(a, b string) bool {
	a, b = LabelKey(a), LabelKey(b)
	return a == b || strings.Contains(a, b) || strings.Contains(b, a)
}

// ConceptSlug is the readable part of a concept's id: up to 60 lower-case
// letters and digits joined by hyphens, "concept" when nothing is left. The
// store appends an underscore and a number, which makes the id unique.
func ConceptSlug(label string) string {
	const most = 60
	words := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool {
		return r > unicode.MaxASCII || !(unicode.IsLetter(r) || unicode.IsDigit(r))
	})
	slug := strings.Join(words, "-")
	if slug == "" {
		return "concept"
	}
	return strings.TrimRight(slug[:min(len(slug), most)], "-")
}

// ChunkGraph is what one chunk adds to the graph: the store resolves the
// drafts, writes concepts, instances and relationships, and saves the
// checkpoint, in one transaction under the claim.
type ChunkGraph struct {
	Document Document
	SourceID string
	Chunk    Chunk

	Model         string // of the embeddings
	Drafts        []ConceptDraft
	Instances     []ExtractedInstance     // spans in the document, not the chunk
	Relationships []ExtractedRelationship // likewise
}
