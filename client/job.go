package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/work"
)

// Jobs returns the jobs that f selects and the caller may see, newest first.
// A Limit of 0 leaves the number to the server.
func (c *Client) Jobs(ctx context.Context, f work.JobFilter) ([]work.Job, error) {
	list, _, err := c.jobPage(ctx, f)
	return list, err
}

// jobPage returns a page of jobs, and the cursor of the next one.
func (c *Client) jobPage(ctx context.Context, f work.JobFilter) (list []work.Job, next *string, err error) {
	query := url.Values{}
	set := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	set("status", string(f.Status))
	set("ontology", f.Ontology)
	set("job_type", f.Type)
	set("client_id", f.User)
	set("cursor", f.Cursor)
	set("parent", f.Parent)
	if f.Limit > 0 {
		query.Set("limit", strconv.Itoa(f.Limit))
	}
	if f.Offset > 0 {
		query.Set("offset", strconv.Itoa(f.Offset))
	}
	in := get("/jobs", query)
	body, header, err := c.exchange(ctx, in)
	if err != nil {
		return nil, nil, err
	}
	if cursor := header.Get("X-Next-Cursor"); cursor != "" {
		next = &cursor
	}
	err = decode(in, body, &list)
	return list, next, err
}

// Job returns one job; an unknown id is an Error with kappa.CodeNotFound.
func (c *Client) Job(ctx context.Context, id string) (work.Job, error) {
	return fetch[work.Job](ctx, c, get(jobPath(id), nil))
}

// JobReply is what the server says to a change of a job.
type JobReply struct {
	JobID   string      `json:"job_id"`
	Status  work.Status `json:"status"` // not in the replies to Cancel and Delete
	Message string      `json:"message"`
}

// NoRetries as the MaxRetries of a new job means that it is never retried; 0
// leaves the number to the server.
const NoRetries = -1

// SubmitJob submits a job of any type except ingestion. A Priority of 0 is that of the job
// type. Its MaxRetries may be NoRetries. With a Key it may be called again when the answer was lost.
func (c *Client) SubmitJob(ctx context.Context, job work.NewJob) (JobReply, error) {
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
		return JobReply{}, err
	}
	if job.Key != "" {
		call.header = http.Header{keyHeader: {job.Key}}
	}
	return fetchOnce[JobReply](ctx, c, call)
}

// Approve approves a job that awaits it. In any other status the Error has
// kappa.CodeConflict.
func (c *Client) Approve(ctx context.Context, id string) (JobReply, error) {
	return fetch[JobReply](ctx, c, withForm(jobPath(id)+"/approve", nil))
}

// ApproveWithBudget is Approve, and gives the job what it may spend on models from now
// on, in the form of corpus.ParseBudget: a job that paused because it had reached its
// budget goes on.
func (c *Client) ApproveWithBudget(ctx context.Context, id, budget string) (JobReply, error) {
	in := withForm(jobPath(id)+"/approve", nil)
	in.query = url.Values{"budget": {budget}}
	return fetch[JobReply](ctx, c, in)
}

// Cancel cancels a job. One that is being processed is asked to stop and ends
// later; one that has ended is an Error with kappa.CodeConflict.
func (c *Client) Cancel(ctx context.Context, id string) (JobReply, error) {
	return fetch[JobReply](ctx, c, call{method: http.MethodDelete, path: jobPath(id)})
}

func jobPath(id string) string { return "/jobs/" + url.PathEscape(id) }
