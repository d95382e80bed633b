package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/work"
)

// jobActRequest is an act as the server takes it.
type jobActRequest struct {
	Act    work.Act   `json:"act"`
	Filter url.Values `json:"filter,omitempty"`
	IDs    []string   `json:"ids,omitempty"`
	All    bool       `json:"all,omitempty"`
	Expect *int64     `json:"expect,omitempty"`
	DryRun bool       `json:"dry_run,omitempty"`
	work.ActOptions
	Budget string `json:"budget,omitempty"` // in place of that of the options
}

func actRequest(a work.JobAct, dryRun bool) jobActRequest {
	in := jobActRequest{Act: a.Act, Filter: a.Filter.Words(), IDs: a.Filter.IDs, All: a.All, Expect: a.Expect, DryRun: dryRun, ActOptions: a.ActOptions}
	if a.Budget != nil {
		in.Budget = a.Budget.String()
	}
	return in
}

// Act acts on many jobs: on up to 500 at once, with what became of each, and on more by a job
// that the reply names. When other jobs are selected than a expects, by more than a tenth, the
// Error has kappa.CodeConflict and nothing is changed.
func (s Jobs) Act(ctx context.Context, a work.JobAct) (api.JobActReply, error) {
	in, err := withJSON(http.MethodPost, "/jobs/actions", actRequest(a, false))
	if err != nil {
		return api.JobActReply{}, err
	}
	return fetchOnce[api.JobActReply](ctx, s.c, in)
}

// PreviewAct says how many jobs Act would act on and shows the first of them. It changes nothing.
func (s Jobs) PreviewAct(ctx context.Context, a work.JobAct) (api.JobActReply, error) {
	in, err := withJSON(http.MethodPost, "/jobs/actions", actRequest(a, true))
	if err != nil {
		return api.JobActReply{}, err
	}
	return fetch[api.JobActReply](ctx, s.c, in)
}

// ActStatus says how far the act of a job is, with a page of what became of each job: those of
// a kind, "" for all. The cursor is "" or that of the page before.
func (s Jobs) ActStatus(ctx context.Context, jobID string, kind work.OutcomeKind, cursor string, limit int) (api.JobActStatus, error) {
	query := url.Values{}
	setTexts(query, map[string]string{"outcome": string(kind), "cursor": cursor})
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return fetch[api.JobActStatus](ctx, s.c, get("/jobs/actions/"+url.PathEscape(jobID), query))
}
