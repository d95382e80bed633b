package client

import (
	"context"
	"net/http"

	"github.com/kappagraph/kappa"
)

// Ask returns the passages that answer a question, best first, and the concepts and
// relationships that connect them.
func (c *Client) Ask(ctx context.Context, q kappa.Question) (kappa.AskAnswer, error) {
	return fetchJSON[kappa.AskAnswer](ctx, c, http.MethodPost, "/query/ask", questionBody(q))
}

func questionBody(q kappa.Question) any {
	return struct {
		Question string `json:"question"`
		Ontology string `json:"ontology,omitempty"`
		Limit    int    `json:"limit,omitempty"`

		IncludeEvidence bool `json:"include_evidence,omitempty"`
	}{q.Text, q.Ontology, q.Limit, q.IncludeEvidence}
}
