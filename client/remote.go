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

// RunLog returns what remote workers have logged about a job, after a line; the zero
// line is the beginning.
func (c *Client) RunLog(ctx context.Context, jobID string, after work.RunLogLine) (RunLog, error) {
	query := url.Values{}
	if after.Line > 0 {
		query.Set("after_attempt", strconv.FormatInt(after.Token, 10))
		query.Set("after_line", strconv.Itoa(after.Line))
	}
	return fetch[RunLog](ctx, c, get("/jobs/"+url.PathEscape(jobID)+"/log", query))
}

// RegroupRemote gives a remote worker slot groups in place of its own, or those back without
// any.
func (c *Client) RegroupRemote(ctx context.Context, workerID string, groups []work.SlotGroup) error {
	_, err := fetchJSON[struct{}](ctx, c, http.MethodPut, "/admin/workers/remote/"+url.PathEscape(workerID)+"/groups", map[string]any{"groups": groups})
	return err
}

// OperateRemote has a remote worker drain, undrain, disconnect or be blocked.
func (c *Client) OperateRemote(ctx context.Context, workerID, what string) error {
	_, err := fetchJSON[struct{}](ctx, c, http.MethodPost, "/admin/workers/remote/"+url.PathEscape(workerID)+"/"+what, nil)
	return err
}
