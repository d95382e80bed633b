package jobs

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

type submitInput struct {
	Key  string `header:"Idempotency-Key" doc:"Makes sending again safe: for 24 hours the same key gets the same job. At most 255 characters"`
	Body jobRequest
}

// jobRequest asks for a job of any type but ingestion.
type jobRequest struct {
	_           struct{}        `additionalProperties:"false"`
	Type        string          `json:"job_type" doc:"A job type of this server"`
	Queue       string          `json:"queue,omitempty" doc:"Default: default"`
	Priority    *int            `json:"priority,omitempty" doc:"-100 to 100; the highest is claimed first. Default: that of the job type; a higher one above 0 takes the permission workers:manage"`
	Data        json.RawMessage `json:"data,omitempty" doc:"What the job type takes"`
	RunAt       *kappa.Time     `json:"run_at,omitempty" format:"date-time" doc:"Not before this instant"`
	AutoApprove bool            `json:"auto_approve,omitempty" doc:"Approve the job at once"`
	DeadlineMS  *int            `json:"deadline_ms,omitempty" doc:"How long a remote worker may take for an attempt; default: 1800000"`
	MaxRetries  *int            `json:"max_retries,omitempty" doc:"0 to 100; default: that of the job type, 3 unless an operator has chosen otherwise"`
	Budget      string          `json:"budget,omitempty" doc:"What the job may spend on models: 2.50 are US dollars, 50000tokens tokens, with a comma both; it pauses when that is reached"`
}

func (a *API) submitJob(ctx context.Context, in *submitInput) (api.JobReply, error) {
	p := http.PrincipalOf(ctx)
	t, _ := a.cfg.Types.Find(in.Body.Type)
	j := in.Body.newJob(t.Priority)
	j.UserID, j.Key, j.Remote = p.User.ID, in.Key, t.Remote
	if in.Body.Budget != "" {
		b, err := corpus.ParseBudget(in.Body.Budget)
		if err != nil {
			return api.JobReply{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "budget", Rule: err.Error()})
		}
		j.Budget = &b
	}
	if err := j.Validate(); err != nil {
		return api.JobReply{}, err
	}
	if err := a.cfg.Types.CheckSubmission(j.Type, j.Data); err != nil {
		return api.JobReply{}, err
	}
	if t.Permission != "" {
		if err := p.Permit(t.Permission); err != nil {
			return api.JobReply{}, err
		}
	}
	if err := permitPriority(p, j.Priority, t.Priority); err != nil {
		return api.JobReply{}, err
	}
	if j.AutoApprove {
		if err := http.PermitAutoApprove(ctx); err != nil {
			return api.JobReply{}, err
		}
	}
	job, err := a.cfg.Jobs.SubmitJob(ctx, j)
	if err != nil {
		return api.JobReply{}, err
	}
	return http.Submitted(job), nil
}

// permitPriority returns a CodeForbidden Error unless p may submit a job of a priority:
// whoever goes before others takes the right by which priorities are changed.
func permitPriority(p access.Principal, priority, usual int) error {
	if priority <= max(usual, 0) {
		return nil
	}
	if err := p.Permit(access.WorkersManage); err != nil {
		return kappa.NewError(kappa.CodeForbidden, fmt.Sprintf("%s; without it a job has a priority of at most %d", kappa.ErrorMessage(err), max(usual, 0)))
	}
	return nil
}

// newJob returns the job that is asked for. priority is what it has when it names none.
func (r jobRequest) newJob(priority int) work.NewJob {
	j := work.NewJob{
		Type: r.Type, Queue: r.Queue, Priority: http.Or(r.Priority, priority), Data: http.NotNull(r.Data), RunAt: r.RunAt,
		AutoApprove: r.AutoApprove, MaxRetries: http.Or(r.MaxRetries, work.DefaultMaxRetries), RetriesAsked: r.MaxRetries != nil, DeadlineMS: r.DeadlineMS,
	}
	if j.Queue == "" {
		j.Queue = work.DefaultQueue
	}
	return j
}
