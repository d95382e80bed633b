package http

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
)

type submitInput struct {
	Key  string `header:"Idempotency-Key" doc:"Makes sending again safe: for 24 hours the same key gets the same job. At most 255 characters"`
	Body jobRequest
}

// jobRequest asks for a job of any type but ingestion.
type jobRequest struct {
	Type        string          `json:"job_type" doc:"A job type of this server"`
	Queue       string          `json:"queue,omitempty" doc:"Default: default"`
	Priority    int             `json:"priority,omitempty" doc:"-100 to 100; the highest is claimed first"`
	Data        json.RawMessage `json:"data,omitempty" doc:"What the job type takes"`
	RunAt       *kappa.Time     `json:"run_at,omitempty" format:"date-time" doc:"Not before this instant"`
	AutoApprove bool            `json:"auto_approve,omitempty" doc:"Approve the job at once"`
	MaxRetries  *int            `json:"max_retries,omitempty" doc:"0 to 100; default: 3"`
}

func (s *Server) submitJob(ctx context.Context, in *submitInput) (DecisionAnswer, error) {
	j := in.Body.newJob()
	j.UserID, j.Key = PrincipalOf(ctx).User.ID, in.Key
	if err := j.Validate(); err != nil {
		return DecisionAnswer{}, err
	}
	if err := s.checkJobType(j.Type); err != nil {
		return DecisionAnswer{}, err
	}
	job, err := s.cfg.Jobs.SubmitJob(ctx, j)
	if err != nil {
		return DecisionAnswer{}, err
	}
	return Submitted(job), nil
}

func (r jobRequest) newJob() kappa.NewJob {
	j := kappa.NewJob{
		Type: r.Type, Queue: r.Queue, Priority: r.Priority, Data: NotNull(r.Data), RunAt: r.RunAt,
		AutoApprove: r.AutoApprove, MaxRetries: Or(r.MaxRetries, kappa.DefaultMaxRetries),
	}
	if j.Queue == "" {
		j.Queue = kappa.DefaultQueue
	}
	return j
}

// checkJobType refuses job types that nobody here works on.
func (s *Server) checkJobType(jobType string) error {
	rule := ""
	switch {
	case jobType == kappa.TypeIngestion:
		rule = "is not submitted here: use POST /ingest or POST /ingest/text"
	case slices.Contains(s.cfg.JobTypes, jobType):
		return nil
	case len(s.cfg.JobTypes) == 0:
		rule = "is not known: this server has no job types to submit here"
	default:
		rule = "must be one of " + strings.Join(s.cfg.JobTypes, ", ") + ", got " + Printable(jobType)
	}
	return kappa.Invalid(kappa.FieldError{In: "body", Name: "job_type", Rule: rule})
}
