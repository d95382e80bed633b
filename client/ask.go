package client

import (
	"context"
	"net/http"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Ask returns the passages that answer a question, best first, and the concepts and
// relationships that connect them.
func (s Graph) Ask(ctx context.Context, q questions.Question) (questions.AskAnswer, error) {
	return fetchJSON[questions.AskAnswer](ctx, s.c, http.MethodPost, "/query/ask", api.AskRequestOf(q))
}
