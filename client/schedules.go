package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/work"
)

// Schedules are what a server runs by the clock.
type Schedules struct{ c *Client }

// Status returns how the scheduler is set and when it cleans up.
func (s Schedules) Status(ctx context.Context) (work.SchedulerStatus, error) {
	return fetch[work.SchedulerStatus](ctx, s.c, get("/admin/scheduler/status", nil))
}

// CleanUp has the server clean up now. Without a leader the Error has
// kappa.CodeUnavailable.
func (s Schedules) CleanUp(ctx context.Context) (api.CleanupReply, error) {
	return fetch[api.CleanupReply](ctx, s.c, withForm("/admin/scheduler/cleanup", nil))
}

// List returns the scheduled jobs by name.
func (s Schedules) List(ctx context.Context) ([]work.Schedule, error) {
	out, err := fetch[api.ScheduleList](ctx, s.c, get("/admin/schedules", nil))
	return out.Schedules, err
}

// Runs returns how the last due instants of a schedule were answered,
// newest first. A limit of 0 leaves the number to the server.
func (s Schedules) Runs(ctx context.Context, name string, limit int) ([]work.ScheduleRun, error) {
	query := url.Values{}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	out, err := fetch[api.ScheduleRunList](ctx, s.c, get(schedulePath(name)+"/runs", query))
	return out.Runs, err
}

// Add adds a scheduled job. A name that is taken is an Error with
// kappa.CodeConflict.
func (s Schedules) Add(ctx context.Context, n work.NewSchedule) (work.Schedule, error) {
	return fetchJSONOnce[work.Schedule](ctx, s.c, http.MethodPost, "/admin/schedules", n)
}

// Update changes settings of a scheduled job.
func (s Schedules) Update(ctx context.Context, name string, u work.ScheduleUpdate) (work.Schedule, error) {
	return fetchJSON[work.Schedule](ctx, s.c, http.MethodPatch, schedulePath(name), u)
}

// Remove removes a scheduled job; the jobs that it submitted stay.
func (s Schedules) Remove(ctx context.Context, name string) error {
	_, _, err := s.c.exchange(ctx, call{method: http.MethodDelete, path: schedulePath(name)})
	return err
}

// Run submits a scheduled job now, whatever its condition says.
func (s Schedules) Run(ctx context.Context, name string) (api.JobReply, error) {
	return fetchOnce[api.JobReply](ctx, s.c, withForm(schedulePath(name)+"/run", nil))
}

func schedulePath(name string) string { return "/admin/schedules/" + url.PathEscape(name) }
