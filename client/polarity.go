package client

import (
	"context"
	"net/http"
	"time"

	"github.com/kappagraph/kappa"
)

// polarityMargin is how much longer than the analysis a call may take.
const polarityMargin = 15 * time.Second

// Polarity places concepts on the axis between two poles. A query without a time for
// the analysis is refused: see kappa.NewPolarityQuery.
func (c *Client) Polarity(ctx context.Context, q kappa.PolarityQuery) (kappa.PolarityResult, error) {
	in, err := withJSON(http.MethodPost, "/query/polarity-axis", q)
	if err != nil {
		return kappa.PolarityResult{}, err
	}
	in.timeout = q.Timeout() + polarityMargin
	return fetch[kappa.PolarityResult](ctx, c, in)
}

// SubmitPolarity does the same in a job, which is approved at once; see
// kappa.NewPolarityJob.
func (c *Client) SubmitPolarity(ctx context.Context, job kappa.PolarityJob) (JobReply, error) {
	return fetchJSONOnce[JobReply](ctx, c, http.MethodPost, "/query/polarity-axis/jobs", job)
}
