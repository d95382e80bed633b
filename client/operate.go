package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/work"
)

// Retry submits the work of a failed or cancelled job again, as a new job; the
// reply names it. In any other status the Error has kappa.CodeConflict.
func (c *Client) Retry(ctx context.Context, id string) (JobReply, error) {
	return fetchOnce[JobReply](ctx, c, withForm(jobPath(id)+"/retry", nil))
}

// RetryGaps submits an ingestion again that completed with chunks that could not be read,
// or failed: only what was not read before is read.
func (c *Client) RetryGaps(ctx context.Context, id string) (JobReply, error) {
	in := withForm(jobPath(id)+"/retry", nil)
	in.query = url.Values{"gaps": {"true"}}
	return fetchOnce[JobReply](ctx, c, in)
}

// Delete deletes a job and its history for good. One that is being processed is
// deleted only by force; without it the Error has kappa.CodeConflict.
func (c *Client) Delete(ctx context.Context, id string, force bool) (JobReply, error) {
	query := url.Values{"purge": {"true"}}
	if force {
		query.Set("force", "true")
	}
	return fetch[JobReply](ctx, c, call{method: http.MethodDelete, path: jobPath(id), query: query})
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

// PreviewPrune returns what DeleteJobs would delete, and deletes nothing.
func (c *Client) PreviewPrune(ctx context.Context, p Prune) (PruneReply, error) {
	return c.prune(ctx, p, "dry_run")
}

// DeleteJobs deletes the jobs that p selects with their histories, but none that
// is being processed.
func (c *Client) DeleteJobs(ctx context.Context, p Prune) (PruneReply, error) {
	return c.prune(ctx, p, "confirm")
}

func (c *Client) prune(ctx context.Context, p Prune, how string) (PruneReply, error) {
	query := url.Values{how: {"true"}}
	for name, value := range map[string]string{"status": string(p.Status), "older_than": p.OlderThan, "job_type": p.Type} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if p.System {
		query.Set("system", "true")
	}
	return fetch[PruneReply](ctx, c, call{method: http.MethodDelete, path: "/jobs", query: query})
}

// CancelRunning asks the worker of a running job to stop. For a job in any other
// status the Error has kappa.CodeConflict.
func (c *Client) CancelRunning(ctx context.Context, id string) (JobReply, error) {
	return fetch[JobReply](ctx, c, withForm("/admin/workers"+jobPath(id)+"/cancel", nil))
}

// PriorityReply is a job's priority before and after a change.
type PriorityReply struct {
	JobID string `json:"job_id"`
	Old   int    `json:"old_priority"`
	New   int    `json:"new_priority"`
}

// Reprioritize changes the priority of an approved job. In any other status the
// Error has kappa.CodeConflict.
func (c *Client) Reprioritize(ctx context.Context, id string, priority int) (PriorityReply, error) {
	return fetch[PriorityReply](ctx, c, call{
		method: http.MethodPatch, path: "/admin/workers" + jobPath(id) + "/priority",
		query: url.Values{"priority": {strconv.Itoa(priority)}},
	})
}
