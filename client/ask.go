package client

import (
	"context"
	"net/http"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// Ask returns the passages that answer a question, best first, and the concepts and
// relationships that connect them.
func (s Graph) Ask(ctx context.Context, q questions.Question) (questions.AskAnswer, error) {
	return fetchJSON[questions.AskAnswer](ctx, s.c, http.MethodPost, "/query/ask", questionBody(q))
}

func questionBody(q questions.Question) any {
	return struct {
		Question string `json:"question"`
		Ontology string `json:"ontology,omitempty"`
		Limit    int    `json:"limit,omitempty"`

		IncludeEvidence bool `json:"include_evidence,omitempty"`
	}{q.Text, q.Ontology, q.Limit, q.IncludeEvidence}
}
