// Package workers is the part of the HTTP API that remote workers connect to, that
// operators act on them with, and that shows what their runs leave behind.
package workers

import (
	"context"
	"fmt"
	nethttp "net/http"
	"regexp"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// server takes the connections of workers; see remote.Server.
type server interface {
	Serve(w nethttp.ResponseWriter, r *nethttp.Request) error
	Stop()
}

// operator acts on workers. An unknown worker is CodeNotFound.
type operator interface {
	Operate(ctx context.Context, workerID, what string, by int) error
	// Regroup gives a worker slot groups in place of its own, or those back without any. One
	// that takes none is CodeConflict.
	Regroup(ctx context.Context, workerID string, groups []work.SlotGroup) error
}

// records are what runs leave behind.
type records interface {
	Logs(ctx context.Context, jobID string, afterToken int64, afterLine, most int) ([]work.RunLogLine, error)
	Steps(ctx context.Context, jobID string) ([]work.RunStep, error)
}

// jobs shows jobs.
type jobs interface {
	Job(ctx context.Context, id string) (work.Job, error)
}

// Config is what an API needs. Every field but Figures is required.
type Config struct {
	Server   server
	Operator operator
	Records  records
	Jobs     jobs
	Figures  func() work.RemoteFigures // may be nil
}

// API serves remote workers.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Stop ends the connections of workers.
func (a *API) Stop() { a.cfg.Server.Stop() }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/worker/websocket", Permission: access.Public, Unrecorded: true, ID: "workers.connect",
		Summary: "Connect a remote worker: a WebSocket that takes a worker token",
		Document: func(op *huma.Operation) {
			text := &huma.Schema{Type: huma.TypeString}
			op.Parameters = []*huma.Param{
				{Name: "vsn", In: "query", Required: true, Description: "Version of the serializer, which begins with 2.", Schema: text},
				{Name: "token", In: "query", Description: "The worker token, unless it comes as a bearer or in the subprotocol", Schema: text},
			}
			op.Responses["101"] = &huma.Response{Description: "The connection is a WebSocket from here on"}
		},
	}, func(c *gin.Context) error { return a.cfg.Server.Serve(c.Writer, c.Request) })
	for _, what := range []struct{ verb, summary string }{
		{"drain", "Have a remote worker take nothing new"},
		{"undrain", "Have a remote worker that was drained work again"},
		{"disconnect", "End the connection of a remote worker, which comes back"},
		{"block", "Refuse a remote worker from now on"},
	} {
		http.Register(r, http.Route{
			Method: "POST", Path: "/admin/workers/remote/{worker_id}/" + what.verb, Permission: access.WorkersManage,
			ID: "workers." + what.verb + "-remote", Summary: what.summary, Status: nethttp.StatusAccepted,
		}, func(ctx context.Context, in *workerInput) (actedAnswer, error) {
			return a.operate(ctx, in.WorkerID, what.verb)
		})
	}
	http.Register(r, http.Route{
		Method: "PUT", Path: "/admin/workers/remote/{worker_id}/groups", Permission: access.WorkersManage,
		ID: "workers.groups-remote", Summary: "Give a remote worker slot groups in place of its own", Status: nethttp.StatusAccepted,
	}, a.regroup)
	http.Register(r, http.Route{Method: "GET", Path: "/jobs/{id}/log", Permission: access.JobsRead, ID: "jobs.log", Summary: "Show what a remote worker has logged about a job"}, a.log)
	http.Register(r, http.Route{Method: "GET", Path: "/jobs/{id}/steps", Permission: access.JobsRead, ID: "jobs.steps", Summary: "List the steps of a run"}, a.steps)
	if a.cfg.Figures != nil {
		r.Metrics().MustRegister(collector{a.cfg.Figures})
	}
	return http.CheckConfig("http/workers", a.cfg)
}

type workerInput struct {
	WorkerID string `path:"worker_id" doc:"UUID of a remote worker"`
}

type actedAnswer struct {
	WorkerID string `json:"worker_id"`
	Message  string `json:"message"`
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// workerID returns the id of a worker as it is stored, or CodeNotFound.
func workerID(id string) (string, error) {
	id = strings.ToLower(id)
	if !uuid.MatchString(id) {
		return "", kappa.NewError(kappa.CodeNotFound, "Worker not found: "+http.Printable(id))
	}
	return id, nil
}

type groupsInput struct {
	WorkerID string `path:"worker_id" doc:"UUID of a remote worker"`
	Body     struct {
		Groups []work.SlotGroup `json:"groups" nullable:"true" doc:"null or none: those that the worker was started with"`
	}
}

func (a *API) regroup(ctx context.Context, in *groupsInput) (actedAnswer, error) {
	id, err := workerID(in.WorkerID)
	if err != nil {
		return actedAnswer{}, err
	}
	if err := work.CheckSlotGroups(in.Body.Groups); err != nil {
		return actedAnswer{}, err
	}
	if err := a.cfg.Operator.Regroup(ctx, id, in.Body.Groups); err != nil {
		return actedAnswer{}, err
	}
	message := "The worker was given other slot groups"
	if len(in.Body.Groups) == 0 {
		message = "The worker was given its own slot groups back"
	}
	return actedAnswer{WorkerID: id, Message: message}, nil
}

func (a *API) operate(ctx context.Context, id, what string) (actedAnswer, error) {
	id, err := workerID(id)
	if err != nil {
		return actedAnswer{}, err
	}
	if err := a.cfg.Operator.Operate(ctx, id, what, http.PrincipalOf(ctx).User.ID); err != nil {
		return actedAnswer{}, err
	}
	return actedAnswer{WorkerID: id, Message: fmt.Sprintf("The worker was asked to %s", what)}, nil
}

type logInput struct {
	ID         string `path:"id" doc:"job_ and 12 hexadecimal digits"`
	AfterToken int64  `query:"after_attempt" doc:"attempt_token of the last line that was read"`
	AfterLine  int    `query:"after_line" doc:"line of the last line that was read"`
}

func (a *API) log(ctx context.Context, in *logInput) (api.RunLog, error) {
	job, err := http.PermittedJob(ctx, access.JobsRead, in.ID, a.cfg.Jobs.Job)
	if err != nil {
		return api.RunLog{}, err
	}
	lines, err := a.cfg.Records.Logs(ctx, job.ID, in.AfterToken, min(max(in.AfterLine, 0), 1<<30), work.MaxRunLogLines+1)
	more := len(lines) > work.MaxRunLogLines
	return api.RunLog{JobID: job.ID, Lines: lines[:min(len(lines), work.MaxRunLogLines)], More: more}, err
}

type stepsInput struct {
	ID string `path:"id" doc:"job_ and 12 hexadecimal digits"`
}

type stepsAnswer struct {
	JobID string         `json:"job_id"`
	Steps []work.RunStep `json:"steps"`
}

func (a *API) steps(ctx context.Context, in *stepsInput) (stepsAnswer, error) {
	job, err := http.PermittedJob(ctx, access.JobsRead, in.ID, a.cfg.Jobs.Job)
	if err != nil {
		return stepsAnswer{}, err
	}
	steps, err := a.cfg.Records.Steps(ctx, job.ID)
	return stepsAnswer{JobID: job.ID, Steps: steps}, err
}
