// Package polarity is the part of the HTTP API that places concepts between two opposite
// ones, at once or as a job.
package polarity

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// answerMargin is how much longer than the longest analysis its answer may take.
const answerMargin = 10 * time.Second

// analyst places concepts; see graph.Graph.Polarity.
type analyst interface {
	Polarity(ctx context.Context, q questions.PolarityQuery, yield func(p work.Progress) error) (questions.PolarityResult, error)
}

// submitter stores jobs.
type submitter interface {
	SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	Analyst analyst
	Jobs    submitter
}

// API analyses axes.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{
		Method: "POST", Path: "/query/polarity-axis", Permission: access.GraphRead, ByRow: true, ID: "query.polarity",
		Summary: "Place concepts between two opposite ones", AnswerWithin: questions.MaxPolaritySeconds*time.Second + answerMargin,
	}, a.analyse)
	http.Register(r, http.Route{
		Method: "POST", Path: "/query/polarity-axis/jobs", Submits: true, Permission: access.JobsWrite, ID: "query.polarity-job",
		Summary: "Place concepts between two opposite ones in a job, and keep the answer",
	}, a.submit)
	return http.CheckConfig("http/polarity", a.cfg)
}

type axisInput struct{ Body polarityAxisRequest }

type polarityAxisRequest struct {
	Poles
	MaxHops *int `json:"max_hops,omitempty" default:"2" doc:"Of the search for candidates, 1 to 3"`
}

type jobInput struct{ Body polarityJobRequest }

type polarityJobRequest struct {
	Poles
	MaxHops        *int  `json:"max_hops,omitempty" default:"1" doc:"Of the search for candidates, 1 to 3"`
	CreateArtifact *bool `json:"create_artifact,omitempty" default:"true" doc:"Keep the answer as an artifact"`
}

func (a *API) analyse(ctx context.Context, in *axisInput) (questions.PolarityResult, error) {
	q := in.Body.query(*in.Body.MaxHops)
	if err := q.Validate(); err != nil || http.OnlyChecks(ctx) {
		return questions.PolarityResult{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.PolarityResult{}, err
	}
	return a.cfg.Analyst.Polarity(ctx, q, nil)
}

func (a *API) submit(ctx context.Context, in *jobInput) (api.JobReply, error) {
	p := http.PrincipalOf(ctx)
	job := questions.PolarityJob{PolarityQuery: in.Body.query(*in.Body.MaxHops), CreateArtifact: *in.Body.CreateArtifact}
	if err := job.Validate(); err != nil {
		return api.JobReply{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &job.Ontology); err != nil {
		return api.JobReply{}, err
	}
	submitted, err := a.cfg.Jobs.SubmitJob(ctx, work.NewJob{
		Type: questions.TypePolarity, Queue: work.DefaultQueue, Data: http.EncodeJSON(job), AutoApprove: true,
		MaxRetries: work.DefaultMaxRetries, UserID: p.User.ID,
	})
	if err != nil {
		return api.JobReply{}, err
	}
	return http.Approved(submitted), nil
}
