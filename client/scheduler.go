package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/work"
)

// SchedulerStatus returns how the scheduler is set and when it cleans up.
func (c *Client) SchedulerStatus(ctx context.Context) (work.SchedulerStatus, error) {
	return fetch[work.SchedulerStatus](ctx, c, get("/admin/scheduler/status", nil))
}

// CleanupReply is what a cleanup did.
type CleanupReply struct {
	Message string `json:"message"`
	Note    string `json:"note"` // in words
	work.Cleanup
}

// CleanUp has the server clean up now. Without a leader the Error has
// kappa.CodeUnavailable.
func (c *Client) CleanUp(ctx context.Context) (CleanupReply, error) {
	return fetch[CleanupReply](ctx, c, withForm("/admin/scheduler/cleanup", nil))
}

// Schedules returns the scheduled jobs by name.
func (c *Client) Schedules(ctx context.Context) ([]work.Schedule, error) {
	out, err := fetch[struct {
		Schedules []work.Schedule `json:"schedules"`
	}](ctx, c, get("/admin/schedules", nil))
	return out.Schedules, err
}

// ScheduleRuns returns how the last due instants of a schedule were answered,
// newest first. A limit of 0 leaves the number to the server.
func (c *Client) ScheduleRuns(ctx context.Context, name string, limit int) ([]work.ScheduleRun, error) {
	query := url.Values{}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	out, err := fetch[struct {
		Runs []work.ScheduleRun `json:"runs"`
	}](ctx, c, get(schedulePath(name)+"/runs", query))
	return out.Runs, err
}

// AddSchedule adds a scheduled job. A name that is taken is an Error with
// kappa.CodeConflict.
func (c *Client) AddSchedule(ctx context.Context, n work.NewSchedule) (work.Schedule, error) {
	return fetchJSONOnce[work.Schedule](ctx, c, http.MethodPost, "/admin/schedules", n)
}

// UpdateSchedule changes settings of a scheduled job.
func (c *Client) UpdateSchedule(ctx context.Context, name string, u work.ScheduleUpdate) (work.Schedule, error) {
	return fetchJSON[work.Schedule](ctx, c, http.MethodPatch, schedulePath(name), u)
}

// RemoveSchedule removes a scheduled job; the jobs that it submitted stay.
func (c *Client) RemoveSchedule(ctx context.Context, name string) error {
	_, _, err := c.exchange(ctx, call{method: http.MethodDelete, path: schedulePath(name)})
	return err
}

// RunSchedule submits a scheduled job now, whatever its condition says.
func (c *Client) RunSchedule(ctx context.Context, name string) (JobReply, error) {
	return fetchOnce[JobReply](ctx, c, withForm(schedulePath(name)+"/run", nil))
}

func schedulePath(name string) string { return "/admin/schedules/" + url.PathEscape(name) }
