// Package datasets is the part of the HTTP API that asks questions in SQL to Parquet
// files, which are named by URL or sent along, and to the tables of the graph.
package datasets

import (
	"context"
	"io"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

const (
	answerMargin = 15 * time.Second // how much longer than a question its answer may take
	uploadGrace  = 30 * time.Second // files that are sent may pause so long
	uploadPace   = 64 << 10         // bytes a second that they must arrive at
)

// service answers questions; see dataset.Service. Its failures are datasets.Errors.
type service interface {
	Validate(ctx context.Context, url string) (datasets.Validity, error)
	Schema(ctx context.Context, url string) (datasets.Schema, error)
	Query(ctx context.Context, q datasets.Query) (Answer, error)
	QueryGraph(ctx context.Context, q datasets.GraphQuery) (Answer, error)
	// Upload stores a file until it is released. Meanwhile the address stands for it where
	// a URL would.
	Upload(ctx context.Context, content io.Reader) (address string, release func(), err error)
}

// Answer is the answer to a question: a datasets.Rows, which writes itself, once, until
// it is closed.
type Answer interface {
	http.JSONWriter

	Close()
}

// submitter stores jobs.
type submitter interface {
	SubmitJob(ctx context.Context, j work.NewJob) (work.Job, error)
}

// Config is what an API needs. Service and Jobs are required.
type Config struct {
	Service service
	Jobs    submitter
	Status  func(ctx context.Context) datasets.Status
	Figures func() datasets.Figures // for the metrics; nil = not reported
	Within  time.Duration           // that a question may take
	Limits  Limits
}

// Limits bound what uploads may cost. The zero value of a field takes its default.
type Limits struct {
	UploadBytes int64 // of all files of a request; default 2 GiB

	uploads int // requests at once; 0 = 8
}

func (l Limits) withDefaults() Limits {
	http.Fill(&l.UploadBytes, 2<<30)
	http.Fill(&l.uploads, 8)
	return l
}

// API asks questions to datasets.
type API struct {
	cfg     Config
	uploads chan struct{} // a place for each upload that is under way
}

// New returns the resource.
func New(cfg Config) *API {
	cfg.Limits = cfg.Limits.withDefaults()
	return &API{cfg: cfg, uploads: make(chan struct{}, max(0, cfg.Limits.uploads))}
}

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	within := a.cfg.Within + answerMargin
	http.Register(r, http.Route{
		Method: "POST", Path: "/datasets/validate", Permission: access.DatasetsQuery, ID: "datasets.validate",
		Summary: "Say whether a URL leads to a Parquet file", AnswerWithin: within,
	}, a.validate)
	http.Register(r, http.Route{
		Method: "POST", Path: "/datasets/schema", Permission: access.DatasetsQuery, ID: "datasets.schema",
		Summary: "Show the columns and the size of a Parquet file", AnswerWithin: within,
	}, a.schema)
	http.Register(r, http.Route{
		Method: "POST", Path: "/datasets/query", Permission: access.DatasetsQuery, ID: "datasets.query",
		Summary: "Ask a question in SQL to Parquet files", AnswerWithin: within,
	}, a.query)
	http.Register(r, http.Route{
		Method: "POST", Path: "/datasets/jobs", Submits: true, Permission: access.DatasetsQuery, ID: "datasets.job",
		Summary: "Ask a question to Parquet files in a job, and keep its whole answer as a file",
	}, a.submit)
	http.Register(r, http.Route{
		Method: "GET", Path: "/datasets/status", Permission: access.WorkersView, ID: "datasets.status", Summary: "Show what dataset workers are protected by",
	}, a.status)
	a.registerUploads(r, within)
	a.registerGraph(r, within)
	a.registerMetrics(r.Metrics())
	return http.CheckConfig("http/datasets", a.cfg)
}

type urlInput struct{ Body datasetURLRequest }

type datasetURLRequest struct {
	_   struct{} `additionalProperties:"false"`
	URL string   `json:"url" doc:"Of the file, http or https"`
}

// asked returns a context of work for who makes the request.
func asked(ctx context.Context) context.Context {
	return datasets.WithAsker(ctx, datasets.Asker{UserID: http.PrincipalOf(ctx).User.ID})
}

func (a *API) validate(ctx context.Context, in *urlInput) (datasets.Validity, error) {
	return a.cfg.Service.Validate(asked(ctx), in.Body.URL)
}

func (a *API) schema(ctx context.Context, in *urlInput) (datasets.Schema, error) {
	return a.cfg.Service.Schema(asked(ctx), in.Body.URL)
}

type queryInput struct{ Body datasetQueryRequest }

// datasetQueryRequest is a datasets.Query of which less is required.
type datasetQueryRequest struct {
	_        struct{}           `additionalProperties:"false"`
	SQL      string             `json:"sql" doc:"One SELECT of DuckDB"`
	Datasets []datasets.Dataset `json:"datasets,omitempty" doc:"At most 16"`
	Limit    *int               `json:"limit,omitempty" default:"1000" doc:"Rows of the answer, 1 to 1000"`
}

func (q datasetQueryRequest) query() datasets.Query {
	return datasets.Query{SQL: q.SQL, Datasets: q.Datasets, Limit: http.Or(q.Limit, datasets.MaxRows)}
}

func (a *API) query(ctx context.Context, in *queryInput) (datasetRows, error) {
	q := in.Body.query()
	if http.OnlyChecks(ctx) {
		return datasetRows{none{}}, q.Validate()
	}
	return a.ask(ctx, q)
}

// none is the answer to a question that was only checked.
type none struct{}

// WriteJSON writes an object without members.
func (none) WriteJSON(w io.Writer) error {
	_, err := io.WriteString(w, "{}")
	return err
}

// Close does nothing.
func (none) Close() {}

// datasetRows is an Answer that is described as what it writes.
type datasetRows struct{ Answer }

// Schema describes a datasets.Rows.
func (datasetRows) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[datasets.Rows](), true, "")
}

// ask asks a question. The answer is closed when the request has ended, however it does.
func (a *API) ask(ctx context.Context, q datasets.Query) (datasetRows, error) {
	answer, err := a.cfg.Service.Query(asked(ctx), q)
	if err != nil {
		return datasetRows{}, err
	}
	context.AfterFunc(ctx, answer.Close)
	http.AnswerBegins(ctx) // how long it may be read is bounded by the connection
	return datasetRows{answer}, nil
}

type jobInput struct{ Body datasetJobRequest }

type datasetJobRequest struct {
	_        struct{}           `additionalProperties:"false"`
	SQL      string             `json:"sql" doc:"One SELECT of DuckDB"`
	Datasets []datasets.Dataset `json:"datasets,omitempty" doc:"At most 16"`
	Format   *string            `json:"format,omitempty" default:"parquet" enum:"parquet,csv" doc:"Of the result"`
}

func (a *API) submit(ctx context.Context, in *jobInput) (api.JobReply, error) {
	p := http.PrincipalOf(ctx)
	if err := p.Permit(access.JobsWrite); err != nil {
		return api.JobReply{}, err
	}
	job := datasets.Job{SQL: in.Body.SQL, Datasets: in.Body.Datasets, Format: http.Or(in.Body.Format, datasets.FormatParquet)}
	if err := job.Validate(); err != nil {
		return api.JobReply{}, err
	}
	submitted, err := a.cfg.Jobs.SubmitJob(ctx, work.NewJob{
		Type: datasets.TypeQuery, Queue: work.DefaultQueue, Data: http.EncodeJSON(job), AutoApprove: true,
		MaxRetries: work.DefaultMaxRetries, UserID: p.User.ID,
	})
	if err != nil {
		return api.JobReply{}, err
	}
	return http.Approved(submitted), nil
}

func (a *API) status(ctx context.Context, _ *struct{}) (datasets.Status, error) {
	status := a.cfg.Status(ctx)
	return status, nil
}
