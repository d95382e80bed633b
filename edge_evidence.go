package kappa

// SampleEdgeEvidence is how many quotes an answer shows of each of its relationships.
const SampleEdgeEvidence = 3

// MaxEdgeEvidence is how many quotes of one relationship one answer lists at most.
const MaxEdgeEvidence = 200

// MarkedEnd is an end of a relationship in a quote, as it is shown.
type MarkedEnd struct {
	Mark
	Text string `json:"text"` // what stands there; "" when nothing does
}

// ShownMark returns a mark with what stands there.
func ShownMark(quote string, m Mark) MarkedEnd {
	if !m.Kind.InQuote() || m.Start < 0 || m.End > len(quote) || m.Start > m.End {
		return MarkedEnd{Mark: Mark{Kind: m.Kind}}
	}
	return MarkedEnd{Mark: m, Text: quote[m.Start:m.End]}
}

// SentenceBefore is a sentence that says what a quote refers to. Span counts bytes of the
// document.
type SentenceBefore struct {
	Quote string `json:"quote"`
	Span
}

// EdgeEvidence is a sentence that states a relationship.
type EdgeEvidence struct {
	Evidence
	Confidence float64         `json:"confidence"`
	From       MarkedEnd       `json:"from"`
	To         MarkedEnd       `json:"to"`
	Before     *SentenceBefore `json:"before"` // null unless the quote refers to it
	CreatedAt  Time            `json:"created_at"`
	JobID      *string         `json:"job_id"`  // that read it; null when a person or a program wrote it
	Reader     *string         `json:"reader"`  // the model that read it; likewise
	MadeBy     *string         `json:"made_by"` // the user who wrote it by hand; null when it was read
}

// EdgeEvidenceQuery asks for a relationship with its quotes.
type EdgeEvidenceQuery struct {
	FromID string
	Type   string
	ToID   string
	Limit  int // quotes, 1 to 200
	Offset int // 0 or more

	Ontology string // what this one says alone; "" = all
}

// Validate reports every rule that q breaks, in the names of the API's path and query.
func (q EdgeEvidenceQuery) Validate() error {
	var r rules
	r.add("path", "from", checkConceptID(q.FromID))
	r.add("path", "type", checkName(q.Type, maxRelationshipTypeName))
	r.add("path", "to", checkConceptID(q.ToID))
	r.add("query", "limit", checkRange(q.Limit, 1, MaxEdgeEvidence))
	r.add("query", "offset", checkRange(q.Offset, 0, maxOffset))
	r.add("query", "ontology", checkOptionalName(q.Ontology, MaxOntologyName))
	return r.err()
}

// EdgeDetails is a relationship with a page of the sentences that state it, the surest
// first.
type EdgeDetails struct {
	ListedEdge
	Total  int `json:"total"` // quotes in all
	Offset int `json:"offset"`
	Limit  int `json:"limit"`
}
