package questions

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// SearchQuery asks for the concepts nearest to a phrase.
type SearchQuery struct {
	Query           string
	Limit           int      // 1 to 100
	Offset          int      // 0 or more
	MinSimilarity   *float64 // 0 to 1; nil = DefaultSimilarity
	Ontology        *string  // only concepts with a source in it
	IncludeEvidence bool
	Measures
}

// Validate reports every rule that q breaks.
func (q SearchQuery) Validate() error {
	var r check.Rules
	r.Add("body", "query", check.Phrase(q.Query, check.MaxQuery))
	r.Add("body", "limit", check.Range(q.Limit, 1, check.MaxSearchLimit))
	r.Add("body", "offset", check.Range(q.Offset, 0, check.MaxOffset))
	if q.Ontology != nil {
		r.Add("body", "ontology", check.Name(*q.Ontology, kappa.MaxOntologyName))
	}
	if q.MinSimilarity != nil {
		r.Add("body", "min_similarity", check.Share(*q.MinSimilarity))
	}
	q.Measures.check(&r, "body")
	return r.Err()
}

// SearchResult is the answer to a SearchQuery, best first.
type SearchResult struct {
	Query     string       `json:"query"`
	Count     int          `json:"count"`
	Results   []ConceptHit `json:"results"`
	Offset    int          `json:"offset"`
	Threshold float64      `json:"threshold_used"`
	TopMatch  *ConceptHit  `json:"top_match"`
	// Passages are chunks that have all words of the query in their text, best first.
	// They are searched for only when no concept was found.
	Passages []corpus.SourceHit `json:"passages,omitempty"`
	// BelowThreshold is how many more concepts a looser threshold would find;
	// nil when there were enough.
	BelowThreshold *int     `json:"below_threshold_count"`
	Suggested      *float64 `json:"suggested_threshold"`
}

// ConceptHit is a concept that a search found.
type ConceptHit struct {
	ConceptID     string               `json:"concept_id"`
	Label         string               `json:"label"`
	Description   *string              `json:"description"`
	Score         float64              `json:"score"`
	Documents     []string             `json:"documents"` // ontology names
	EvidenceCount int                  `json:"evidence_count"`
	Sample        []knowledge.Evidence `json:"sample_evidence" nullable:"true"` // null unless asked for
	knowledge.Grounding
}
