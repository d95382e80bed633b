package postgres

import (
	"context"
	"math"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// DocumentQuotes returns a page of the places of a document that show concepts or state
// relationships, in the order of its text.
func (s LibraryStore) DocumentQuotes(ctx context.Context, id string, q corpus.QuoteQuery) ([]corpus.DocumentQuote, error) {
	found, err := s.find(ctx, id, q.Ontology)
	if err != nil {
		return nil, err
	}
	after, _ := kappa.ParseCursor(kappa.ListQuotes, q.Cursor, kappa.QuoteKeys)
	rows, err := s.queries().DocumentQuotes(ctx, db.DocumentQuotesParams{
		Document: found.ID, Ontology: found.Ontology, AfterStart: after.Key(0, -1), AfterEnd: after.Key(1, -1), Most: int32(q.Limit),
	})
	quotes := []corpus.DocumentQuote{}
	for _, r := range rows {
		span := corpus.Span{Start: int(r.StartByte), End: int(r.EndByte)}
		if n := len(quotes); n == 0 || quotes[n-1].Span != span {
			quotes = append(quotes, corpus.DocumentQuote{Quote: r.Quote, SourceID: r.SourceID, Span: span, Concepts: []corpus.QuotedConcept{}, Relationships: []corpus.QuotedRelationship{}})
		}
		addQuoted(&quotes[len(quotes)-1], r)
	}
	return quotes, translate(err, "read the quotes of a document")
}

// addQuoted adds what a row says to a quote. Chunks that overlap say it twice, one after the other.
func addQuoted(q *corpus.DocumentQuote, r db.DocumentQuotesRow) {
	if r.OtherID == "" {
		c := corpus.QuotedConcept{ConceptID: r.ConceptID, Name: r.Label}
		if n := len(q.Concepts); n == 0 || q.Concepts[n-1] != c {
			q.Concepts = append(q.Concepts, c)
		}
		return
	}
	e := corpus.QuotedRelationship{FromID: r.ConceptID, From: r.Label, Type: r.Type, ToID: r.OtherID, To: r.OtherLabel, Confidence: math.Round(r.Confidence*1000) / 1000}
	if n := len(q.Relationships); n > 0 && sameEdge(q.Relationships[n-1], e) {
		q.Relationships[n-1].Confidence = max(q.Relationships[n-1].Confidence, e.Confidence)
		return
	}
	q.Relationships = append(q.Relationships, e)
}

func sameEdge(a, b corpus.QuotedRelationship) bool {
	return a.FromID == b.FromID && a.Type == b.Type && a.ToID == b.ToID
}
