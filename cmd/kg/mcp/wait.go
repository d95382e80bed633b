package mcp

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// maxWait is how long a tool waits for a job, in seconds: shorter than clients wait for a tool.
const maxWait = 300

func (t toolset) addWait(s *shelf) {
	add(s, tool[waitInput]{
		name: "wait_job", title: "Wait for a job", kind: reads, needs: access.JobsRead, do: t.waitJob,
		example: `{"id":"job_0123456789ab","seconds":60}`,
		about:   "Waits until a job has ended, or awaits approval, and shows it as job does. It tells its progress meanwhile to clients that ask for that.",
	})
}

type waitInput struct {
	ID      string `json:"id" jsonschema:"the job's id, such as job_0123456789ab"`
	Seconds int    `json:"seconds,omitempty" jsonschema:"how long to wait" bounds:"1..300" standard:"30"`
}

func (t toolset) waitJob(ctx context.Context, in waitInput, out *text) error {
	if err := t.awaitJob(ctx, in.ID, in.Seconds, out); err != nil {
		return err
	}
	return t.job(ctx, jobInput{ID: in.ID}, out)
}

// awaitJob returns when a job has ended or awaits approval, and after so many seconds.
func (t toolset) awaitJob(ctx context.Context, id string, seconds int, out *text) error {
	waiting, done := context.WithTimeout(ctx, time.Duration(max(1, seconds))*time.Second)
	defer done()
	for u, err := range t.c.Jobs.Watch(waiting, id) {
		switch {
		case err != nil && waiting.Err() != nil && ctx.Err() == nil:
			out.line("It has not ended within %s; wait_job waits on.", count(seconds, "second"))
			return nil
		case err != nil:
			return err
		case u.Progress != nil:
			tell(ctx, float64(u.Progress.Percent), oneLine(u.Progress.Message))
		case u.Job != nil && u.Job.Status == work.StatusAwaitingApproval, u.Change != nil && u.Change.Status == work.StatusAwaitingApproval:
			return nil
		}
	}
	return nil
}

type callKey struct{}

// calling returns a context that knows which call of a tool it belongs to.
func calling(ctx context.Context, call *mcp.CallToolRequest) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// tell tells a client how far a call is, 0 to 100, if it asked for that.
func tell(ctx context.Context, percent float64, message string) {
	call, ok := ctx.Value(callKey{}).(*mcp.CallToolRequest)
	if !ok || call.Params.GetProgressToken() == nil {
		return
	}
	// A client that has gone needs none.
	_ = call.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: call.Params.GetProgressToken(), Progress: percent, Total: 100, Message: message})
}
