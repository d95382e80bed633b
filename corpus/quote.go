package corpus

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// MaxQuotesListed is how many quotes a page has at most.
const MaxQuotesListed = 5000

// DocumentQuote is a place of a document that shows concepts or states relationships. Its span
// counts bytes of the text that was read.
type DocumentQuote struct {
	Quote    string `json:"quote"`
	SourceID string `json:"source_id"` // a chunk that has it
	Span
	Concepts      []QuotedConcept      `json:"concepts"`
	Relationships []QuotedRelationship `json:"relationships"`
}

// QuotedConcept is a concept that a quote shows.
type QuotedConcept struct {
	ConceptID string `json:"concept_id"`
	Name      string `json:"name"`
}

// QuotedRelationship is a relationship that a quote states.
type QuotedRelationship struct {
	FromID     string  `json:"from_concept_id"`
	From       string  `json:"from_name"`
	Type       string  `json:"relationship_type"`
	ToID       string  `json:"to_concept_id"`
	To         string  `json:"to_name"`
	Confidence float64 `json:"confidence"` // of this quote
}

// Place is where the quote stands in the list of those of its document.
func (q DocumentQuote) Place() kappa.Cursor {
	return kappa.Cursor{List: kappa.ListQuotes, Keys: []int64{int64(q.Start), int64(q.End)}}
}

// QuoteQuery asks for a page of the quotes of a document.
type QuoteQuery struct {
	Ontology string // that has the document; "": the one that took it last
	Limit    int    // 1 to MaxQuotesListed
	Cursor   string // of the page before; "" = the first one
}

// Validate reports every rule that q breaks.
func (q QuoteQuery) Validate() error {
	var r check.Rules
	r.Add("query", "ontology", check.OptionalName(q.Ontology, kappa.MaxOntologyName))
	r.Add("query", "limit", check.Range(q.Limit, 1, MaxQuotesListed))
	r.Add("query", "cursor", check.Cursor(kappa.ListQuotes, q.Cursor, kappa.QuoteKeys, 0))
	return r.Err()
}
