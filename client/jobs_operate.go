package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/work"
)

// Log returns what remote workers have logged about a job, after a line; the zero
// line is the beginning.
func (s Jobs) Log(ctx context.Context, jobID string, after work.RunLogLine) (api.RunLog, error) {
	query := url.Values{}
	if after.Line > 0 {
		query.Set("after_attempt", strconv.FormatInt(after.Token, 10))
		query.Set("after_line", strconv.Itoa(after.Line))
	}
	return fetch[api.RunLog](ctx, s.c, get("/jobs/"+url.PathEscape(jobID)+"/log", query))
}

// Retry submits the work of a failed or cancelled job again, as a new job; the
// reply names it. In any other status the Error has kappa.CodeConflict.
func (s Jobs) Retry(ctx context.Context, id string) (api.JobReply, error) {
	return s.RetryWith(ctx, work.Retry{JobID: id})
}

// RetryWith is Retry as r says: from its checkpoint, from the start, with gaps, with other
// data. Its JobID names the old job; its UserID is nobody's.
func (s Jobs) RetryWith(ctx context.Context, r work.Retry) (api.JobReply, error) {
	in := withForm(jobPath(r.JobID)+"/retry", nil)
	if r.Data != nil {
		var err error
		if in, err = withJSON(http.MethodPost, jobPath(r.JobID)+"/retry", map[string]json.RawMessage{"data": r.Data}); err != nil {
			return api.JobReply{}, err
		}
	}
	in.query = url.Values{}
	if r.From != "" {
		in.query.Set("from", string(r.From))
	}
	if r.Gaps {
		in.query.Set("gaps", "true")
	}
	return fetchOnce[api.JobReply](ctx, s.c, in)
}

// Delete deletes a job and its history for good. One that is being processed is
// deleted only by force; without it the Error has kappa.CodeConflict.
func (s Jobs) Delete(ctx context.Context, id string, force bool) (api.JobReply, error) {
	query := url.Values{"purge": {"true"}}
	if force {
		query.Set("force", "true")
	}
	return fetch[api.JobReply](ctx, s.c, call{method: http.MethodDelete, path: jobPath(id), query: query})
}

// Prune says which jobs to delete for good. The zero value selects all that are
// not being processed.
type Prune struct {
	Status    work.Status // "" = any
	System    bool        // only jobs of the system
	OlderThan string      // 1h, 24h, 7d or 30d; "" = any age
	Type      string      // "" = any
}

// PreviewPrune returns what Prune would delete, and deletes nothing.
func (s Jobs) PreviewPrune(ctx context.Context, p Prune) (api.PrunePreview, error) {
	return fetch[api.PrunePreview](ctx, s.c, p.call("dry_run"))
}

// Prune deletes the jobs that p selects with their histories, but none that
// is being processed.
func (s Jobs) Prune(ctx context.Context, p Prune) (api.Pruned, error) {
	return fetch[api.Pruned](ctx, s.c, p.call("confirm"))
}

// call returns the call that deletes what p selects, or says what it would.
func (p Prune) call(how string) call {
	query := url.Values{how: {"true"}}
	setTexts(query, map[string]string{"status": string(p.Status), "older_than": p.OlderThan, "job_type": p.Type})
	if p.System {
		query.Set("system", "true")
	}
	return call{method: http.MethodDelete, path: "/jobs", query: query}
}

// CancelRunning asks the worker of a running job to stop. For a job in any other
// status the Error has kappa.CodeConflict.
func (s Jobs) CancelRunning(ctx context.Context, id string) (api.JobReply, error) {
	return fetch[api.JobReply](ctx, s.c, withForm("/admin/workers"+jobPath(id)+"/cancel", nil))
}

// Reprioritize changes the priority of an approved job. In any other status the
// Error has kappa.CodeConflict.
func (s Jobs) Reprioritize(ctx context.Context, id string, priority int) (api.PriorityReply, error) {
	return fetch[api.PriorityReply](ctx, s.c, call{
		method: http.MethodPatch, path: "/admin/workers" + jobPath(id) + "/priority",
		query: url.Values{"priority": {strconv.Itoa(priority)}},
	})
}
