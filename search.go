package kappa

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
	var r rules
	r.add("body", "query", checkName(q.Query, maxQueryCharacters))
	r.add("body", "limit", checkRange(q.Limit, 1, MaxSearchLimit))
	r.add("body", "offset", checkRange(q.Offset, 0, maxOffset))
	if q.Ontology != nil {
		r.add("body", "ontology", checkName(*q.Ontology, MaxOntologyName))
	}
	if q.MinSimilarity != nil {
		r.add("body", "min_similarity", checkShare(*q.MinSimilarity))
	}
	q.Measures.check(&r, "body")
	return r.err()
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
	Passages []SourceHit `json:"passages,omitempty"`
	// BelowThreshold is how many more concepts a looser threshold would find;
	// nil when there were enough.
	BelowThreshold *int     `json:"below_threshold_count"`
	Suggested      *float64 `json:"suggested_threshold"`
}

// ConceptHit is a concept that a search found.
type ConceptHit struct {
	ConceptID     string     `json:"concept_id"`
	Label         string     `json:"label"`
	Description   *string    `json:"description"`
	Score         float64    `json:"score"`
	Documents     []string   `json:"documents"` // ontology names
	EvidenceCount int        `json:"evidence_count"`
	Sample        []Evidence `json:"sample_evidence"` // null unless asked for
	Grounding
}
