package serve

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset"
	"github.com/kappagraph/kappa/internal/dataset/files"
	"github.com/kappagraph/kappa/internal/fetch"
	datasetsapi "github.com/kappagraph/kappa/internal/http/datasets"
	"github.com/kappagraph/kappa/internal/jobs"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/sandbox/frame"
	"github.com/kappagraph/kappa/work"
)

// askDatasetWorker is how long a first worker may take to say what it is protected by.
const askDatasetWorker = 15 * time.Second

// datasets are the parts that answer questions to datasets.
type datasetPart struct {
	settings datasetSettings
	dir      *datasetDir  // nil without workers
	files    *files.Files // nil without workers
	pool     *dataset.Pool
	service  *dataset.Service
	log      *slog.Logger
}

// openDatasets makes the directory of the files and connects the parts. Without workers
// they answer nothing.
func (s *server) openDatasets(context.Context) (err error) {
	d := &datasetPart{settings: s.settings.Datasets, log: s.log}
	s.datasets = d
	config := dataset.Config{Bin: d.settings.program(), Workers: d.settings.Workers, Memory: uint64(d.settings.Memory), Log: s.log, Ready: d.ready}
	if config.Bin != "" && config.Workers > 0 {
		if d.dir, err = newDatasetDir(d.settings.Dir, dirOfDatasets); err != nil {
			return err
		}
		config.Dir = d.dir.files()
		d.files, err = files.New(files.Config{
			Get: fetch.New(fetch.Config{Private: d.settings.Private == privateAllow, Allow: d.settings.hosts()}),
			Dir: config.Dir, MaxFile: d.settings.MaxFile, Quota: d.settings.Quota, Fresh: d.settings.Fresh, Log: s.log,
		})
		if err != nil {
			return errors.Join(err, d.dir.remove())
		}
	}
	d.pool = dataset.New(config)
	d.service = dataset.NewService(dataset.ServiceConfig{
		Pool: d.pool, Files: d.files, Within: d.settings.Within, JobTime: d.settings.JobsWithin, Graph: s.graph.questions, Log: s.log,
	})
	return nil
}

// run runs the workers until ctx ends. Then it removes the files.
func (d *datasetPart) run(ctx context.Context) error {
	if d.files == nil {
		d.log.InfoContext(ctx, "no questions to datasets are answered", "reason", kappa.ErrorMessage(d.pool.Check(ctx)))
	}
	var tables sync.WaitGroup
	tables.Go(func() { d.service.Run(ctx) })
	err := d.pool.Run(ctx)
	tables.Wait()
	if d.files == nil {
		return err
	}
	return errors.Join(err, d.files.Close(), d.dir.remove())
}

// export runs the query of a job.
func (d *datasetPart) export(ctx context.Context, job datasets.Job, progress func(work.Progress) error) (jobs.DatasetResult, error) {
	e, err := d.service.Export(ctx, job, progress)
	if err != nil {
		return jobs.DatasetResult{}, err
	}
	return jobs.DatasetResult{Columns: e.Columns, Rows: e.Rows, Content: e.Content, Close: e.Close}, nil
}

// ready logs what a worker is protected by.
func (d *datasetPart) ready(h frame.Hello) {
	log := d.log.Info
	if frame.LacksProtection(h.NotInForce) {
		log = d.log.Warn
	}
	log("dataset workers start", "duckdb", h.Version, "in_force", h.InForce, "not_in_force", h.NotInForce)
}

// api is what the resource of the API needs.
func (d *datasetPart) api(store postgres.JobStore) datasetsapi.Config {
	return datasetsapi.Config{
		Service: datasetQuestions{d.service}, Jobs: store, Status: d.status, Figures: d.figures, Within: d.service.Within(),
		Limits: datasetsapi.Limits{UploadBytes: d.settings.MaxFile},
	}
}

// datasetQuestions asks questions whose answers write themselves.
type datasetQuestions struct{ *dataset.Service }

// Query answers a question.
func (d datasetQuestions) Query(ctx context.Context, q datasets.Query) (datasetsapi.Answer, error) {
	result, err := d.Service.Query(ctx, q)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// QueryGraph answers a question to the graph.
func (d datasetQuestions) QueryGraph(ctx context.Context, q datasets.GraphQuery) (datasetsapi.Answer, error) {
	result, err := d.Service.QueryGraph(ctx, q)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// status says whether questions are answered, by asking one, and behind which walls.
func (d *datasetPart) status(ctx context.Context) datasets.Status {
	ctx, cancel := context.WithTimeout(ctx, askDatasetWorker)
	defer cancel()
	status := datasets.Status{Workers: d.settings.Workers}
	if err := d.pool.Probe(ctx); err != nil {
		status.Problem = new(kappa.ErrorMessage(err))
	}
	status.Figures = d.figures()
	if h := d.pool.Hello(); h != nil {
		status.Version, status.InForce, status.NotInForce = h.Version, h.InForce, h.NotInForce
	}
	return status
}

func (d *datasetPart) figures() datasets.Figures {
	s := d.pool.Stats()
	f := datasets.Figures{
		Alive: s.Alive, Busy: s.Busy, Tasks: s.Tasks, Started: s.Started, Killed: s.Killed, Crashed: s.Crashed, Retired: s.Retired,
	}
	if d.files != nil {
		f.DiskBytes = d.files.Used()
	}
	return f
}
