package client

import (
	"context"
	"net/http"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Ask returns the passages that answer a question, best first, and the concepts and
// relationships that connect them.
func (s Graph) Ask(ctx context.Context, q questions.Question) (questions.AskAnswer, error) {
	return fetchJSON[questions.AskAnswer](ctx, s.c, http.MethodPost, "/query/ask", questionBody(q))
}

func questionBody(q questions.Question) any {
	body := struct {
		Question string `json:"question"`
		Limit    int    `json:"limit,omitempty"`
		Offset   int    `json:"offset,omitempty"`

		Ontology    string      `json:"ontology,omitempty"` // one alone, as servers of a version before know it
		Ontologies  []string    `json:"ontologies,omitempty"`
		DocumentIDs []string    `json:"document_ids,omitempty"`
		Kinds       []string    `json:"kinds,omitempty"`
		Languages   []string    `json:"languages,omitempty"`
		Classes     []string    `json:"classes,omitempty"`
		Since       *kappa.Time `json:"since,omitempty"`

		Thread          []string `json:"thread,omitempty"`
		Exact           bool     `json:"exact,omitempty"`
		IncludeEvidence bool     `json:"include_evidence,omitempty"`
		Explain         bool     `json:"explain,omitempty"`
		Rerank          *bool    `json:"rerank,omitempty"`
		OfferOnly       bool     `json:"offer_only,omitempty"`
	}{
		Question: q.Text, Limit: q.Limit, Offset: q.Offset, Ontologies: q.Ontologies, DocumentIDs: q.DocumentIDs, Kinds: q.Kinds, Languages: q.Languages, Classes: q.Classes,
		Thread: q.Thread, Exact: q.Exact, IncludeEvidence: q.IncludeEvidence, Explain: q.Explain, OfferOnly: q.OfferOnly,
	}
	if len(q.Ontologies) == 1 {
		body.Ontology, body.Ontologies = q.Ontologies[0], nil
	}
	if q.Plain {
		body.Rerank = new(false)
	}
	if !q.Since.IsZero() {
		body.Since = new(kappa.At(q.Since))
	}
	return body
}
