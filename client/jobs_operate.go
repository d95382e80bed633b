package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/work"
)

// RunLog is a part of what remote workers have logged about a job.
type RunLog struct {
	JobID string            `json:"job_id"`
	Lines []work.RunLogLine `json:"lines"`
	More  bool              `json:"more"` // there are more after them
}

// Log returns what remote workers have logged about a job, after a line; the zero
// line is the beginning.
func (s Jobs) Log(ctx context.Context, jobID string, after work.RunLogLine) (RunLog, error) {
	query := url.Values{}
	if after.Line > 0 {
		query.Set("after_attempt", strconv.FormatInt(after.Token, 10))
		query.Set("after_line", strconv.Itoa(after.Line))
	}
	return fetch[RunLog](ctx, s.c, get("/jobs/"+url.PathEscape(jobID)+"/log", query))
}

// Retry submits the work of a failed or cancelled job again, as a new job; the
// reply names it. In any other status the Error has kappa.CodeConflict.
func (s Jobs) Retry(ctx context.Context, id string) (JobReply, error) {
	return fetchOnce[JobReply](ctx, s.c, withForm(jobPath(id)+"/retry", nil))
}

// RetryGaps submits an ingestion again that completed with chunks that could not be read,
// or failed: only what was not read before is read.
func (s Jobs) RetryGaps(ctx context.Context, id string) (JobReply, error) {
	in := withForm(jobPath(id)+"/retry", nil)
	in.query = url.Values{"gaps": {"true"}}
	return fetchOnce[JobReply](ctx, s.c, in)
}

// Delete deletes a job and its history for good. One that is being processed is
// deleted only by force; without it the Error has kappa.CodeConflict.
func (s Jobs) Delete(ctx context.Context, id string, force bool) (JobReply, error) {
	query := url.Values{"purge": {"true"}}
	if force {
		query.Set("force", "true")
	}
	return fetch[JobReply](ctx, s.c, call{method: http.MethodDelete, path: jobPath(id), query: query})
}

// Prune says which jobs to delete for good. The zero value selects all that are
// not being processed.
type Prune struct {
	Status    work.Status // "" = any
	System    bool        // only jobs of the system
	OlderThan string      // 1h, 24h, 7d or 30d; "" = any age
	Type      string      // "" = any
}

// PruneReply is what the server deleted, or would delete.
type PruneReply struct {
	Deleted  int               `json:"jobs_deleted"`
	ToDelete int               `json:"jobs_to_delete"` // of a preview
	Jobs     []work.DeletedJob `json:"jobs"`           // of a preview: the newest of them
	Message  string            `json:"message"`
}

// PreviewPrune returns what Prune would delete, and deletes nothing.
func (s Jobs) PreviewPrune(ctx context.Context, p Prune) (PruneReply, error) {
	return s.prune(ctx, p, "dry_run")
}

// Prune deletes the jobs that p selects with their histories, but none that
// is being processed.
func (s Jobs) Prune(ctx context.Context, p Prune) (PruneReply, error) {
	return s.prune(ctx, p, "confirm")
}

func (s Jobs) prune(ctx context.Context, p Prune, how string) (PruneReply, error) {
	query := url.Values{how: {"true"}}
	setTexts(query, map[string]string{"status": string(p.Status), "older_than": p.OlderThan, "job_type": p.Type})
	if p.System {
		query.Set("system", "true")
	}
	return fetch[PruneReply](ctx, s.c, call{method: http.MethodDelete, path: "/jobs", query: query})
}

// CancelRunning asks the worker of a running job to stop. For a job in any other
// status the Error has kappa.CodeConflict.
func (s Jobs) CancelRunning(ctx context.Context, id string) (JobReply, error) {
	return fetch[JobReply](ctx, s.c, withForm("/admin/workers"+jobPath(id)+"/cancel", nil))
}

// PriorityReply is a job's priority before and after a change.
type PriorityReply struct {
	JobID string `json:"job_id"`
	Old   int    `json:"old_priority"`
	New   int    `json:"new_priority"`
}

// Reprioritize changes the priority of an approved job. In any other status the
// Error has kappa.CodeConflict.
func (s Jobs) Reprioritize(ctx context.Context, id string, priority int) (PriorityReply, error) {
	return fetch[PriorityReply](ctx, s.c, call{
		method: http.MethodPatch, path: "/admin/workers" + jobPath(id) + "/priority",
		query: url.Values{"priority": {strconv.Itoa(priority)}},
	})
}
