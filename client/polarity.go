package client

import (
	"context"
	"net/http"
	"time"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// polarityMargin is how much longer than the analysis a call may take.
const polarityMargin = 15 * time.Second

// Polarity places concepts on the axis between two poles. A query without a time for
// the analysis is refused: see questions.NewPolarityQuery.
func (s Graph) Polarity(ctx context.Context, q questions.PolarityQuery) (questions.PolarityResult, error) {
	in, err := withJSON(http.MethodPost, "/query/polarity-axis", q)
	if err != nil {
		return questions.PolarityResult{}, err
	}
	in.timeout = q.Timeout() + polarityMargin
	return fetch[questions.PolarityResult](ctx, s.c, in)
}

// SubmitPolarity does the same in a job, which is approved at once; see
// questions.NewPolarityJob.
func (s Graph) SubmitPolarity(ctx context.Context, job questions.PolarityJob) (api.JobReply, error) {
	return fetchJSONOnce[api.JobReply](ctx, s.c, http.MethodPost, "/query/polarity-axis/jobs", job)
}
