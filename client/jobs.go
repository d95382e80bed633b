package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/work"
)

// Jobs are the work of a server: submitted, approved, followed to their end, deleted.
type Jobs struct{ c *Client }

// List returns the jobs that f selects and the caller may see, newest first unless f sorts
// them: one page, which may be short of jobs that no index finds; see Page. A Limit of 0 leaves the number to the server.
func (s Jobs) List(ctx context.Context, f work.JobFilter) ([]work.Job, error) {
	page, err := s.Page(ctx, f)
	return page.Jobs, err
}

// All yields every job that f selects, page by page: jobs that are submitted meanwhile shift
// nothing. f.Limit is the size of a page.
func (s Jobs) All(ctx context.Context, f work.JobFilter) iter.Seq2[work.Job, error] {
	return pages(func(cursor string) ([]work.Job, *string, error) {
		f.Cursor = cursor
		page, err := s.Page(ctx, f)
		return page.Jobs, &page.Next, err
	}, f.Cursor)
}

// Page returns a page of jobs, the cursor of the next one, and how many there are in all when
// f asks for it. A page may have fewer jobs than its limit, or none, while there is a next one.
func (s Jobs) Page(ctx context.Context, f work.JobFilter) (page work.JobPage, err error) {
	in := get("/jobs", f.Words())
	body, header, err := s.c.exchange(ctx, in)
	if err != nil {
		return page, err
	}
	page.Next = header.Get("X-Next-Cursor")
	if n, err := strconv.ParseInt(header.Get("X-Total-Count"), 10, 64); err == nil {
		page.Total = &work.JobTotal{Jobs: n, Is: header.Get("X-Total-Count-Is")}
	}
	err = decode(in, body, &page.Jobs)
	return page, err
}

// Errors returns by which errors the jobs have failed that f selects.
func (s Jobs) Errors(ctx context.Context, f work.JobFilter) (api.JobErrors, error) {
	return fetch[api.JobErrors](ctx, s.c, get("/jobs/errors", f.Words()))
}

// Get returns one job; an unknown id is an Error with kappa.CodeNotFound.
func (s Jobs) Get(ctx context.Context, id string) (work.Job, error) {
	return fetch[work.Job](ctx, s.c, get(jobPath(id), nil))
}

// Wait says why a job does not run; an unknown id is an Error with kappa.CodeNotFound.
func (s Jobs) Wait(ctx context.Context, id string) (work.JobWait, error) {
	return fetch[work.JobWait](ctx, s.c, get(jobPath(id)+"/wait", nil))
}

// Attempts shows each attempt at a job; an unknown id is an Error with kappa.CodeNotFound.
func (s Jobs) Attempts(ctx context.Context, id string) (work.JobAttempts, error) {
	return fetch[work.JobAttempts](ctx, s.c, get(jobPath(id)+"/attempts", nil))
}

// NoRetries as the MaxRetries of a new job means that it is never retried; 0
// leaves the number to the server.
const NoRetries = -1

// Submit submits a job of any type except ingestion. A Priority of 0 is that of the job
// type. Its MaxRetries may be NoRetries. With a Key it may be called again when the answer was lost.
func (s Jobs) Submit(ctx context.Context, job work.NewJob) (api.JobReply, error) {
	in := struct {
		work.NewJob
		MaxRetries *int `json:"max_retries,omitempty"` // instead of those in NewJob
		Priority   int  `json:"priority,omitempty"`
	}{NewJob: job, Priority: job.Priority}
	if job.MaxRetries != 0 {
		retries := max(job.MaxRetries, 0)
		in.MaxRetries = &retries
	}
	call, err := withJSON(http.MethodPost, "/jobs", in)
	if err != nil {
		return api.JobReply{}, err
	}
	if job.Key != "" {
		call.header = http.Header{keyHeader: {job.Key}}
	}
	return fetchOnce[api.JobReply](ctx, s.c, call)
}

// Approve approves a job that awaits it. In any other status the Error has
// kappa.CodeConflict.
func (s Jobs) Approve(ctx context.Context, id string) (api.JobReply, error) {
	return fetch[api.JobReply](ctx, s.c, withForm(jobPath(id)+"/approve", nil))
}

// ApproveWithBudget is Approve, and gives the job what it may spend on models from now
// on, in the form of corpus.ParseBudget: a job that paused because it had reached its
// budget goes on.
func (s Jobs) ApproveWithBudget(ctx context.Context, id, budget string) (api.JobReply, error) {
	in := withForm(jobPath(id)+"/approve", nil)
	in.query = url.Values{"budget": {budget}}
	return fetch[api.JobReply](ctx, s.c, in)
}

// Cancel cancels a job. One that is being processed is asked to stop and ends
// later; one that has ended is an Error with kappa.CodeConflict.
func (s Jobs) Cancel(ctx context.Context, id string) (api.JobReply, error) {
	return fetch[api.JobReply](ctx, s.c, call{method: http.MethodDelete, path: jobPath(id)})
}

func jobPath(id string) string { return "/jobs/" + url.PathEscape(id) }
