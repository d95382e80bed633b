package dataset

import (
	"context"
	"errors"
	"io"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/frame"
	"github.com/kappagraph/kappa/work"
)

// Export is the whole result of a query, as a file.
type Export struct {
	Columns []datasets.Column
	Rows    int64
	Size    int64     // bytes
	Content io.Reader // until Close

	close func()
}

// Close removes the file.
func (e *Export) Close() { e.close() }

// Export runs the query of a job and writes its whole result into a file, which the caller
// closes. progress is called with each step, and ends the job when it returns an error.
func (s *Service) Export(ctx context.Context, job datasets.Job, progress func(work.Progress) error) (*Export, error) {
	if err := job.Validate(); err != nil {
		return nil, broken(err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.JobTime)
	defer cancel()
	if err := s.cfg.Pool.Check(ctx); err != nil {
		return nil, s.classify(ctx, err)
	}
	reportProgress := func(n int) error {
		return progress(work.Progress{Stage: "fetching", Percent: work.PercentDone(n, len(job.Datasets)) / 4, ItemsTotal: len(job.Datasets), ItemsProcessed: n})
	}
	if err := reportProgress(0); err != nil {
		return nil, err
	}
	tables, release, err := s.openAll(ctx, job.Datasets, reportProgress)
	if err != nil {
		return nil, s.classifyJob(ctx, err)
	}
	defer release()
	if err := progress(work.Progress{Stage: "querying", Percent: 25}); err != nil {
		return nil, err
	}
	return s.export(ctx, job, tables)
}

func (s *Service) export(ctx context.Context, job datasets.Job, tables []frame.Table) (*Export, error) {
	output, err := s.cfg.Files.Output()
	if err != nil {
		return nil, s.classifyJob(ctx, err)
	}
	a, err := s.cfg.Pool.Do(ctx, frame.Request{Op: frame.OpExport, Tables: tables, SQL: job.SQL, Format: job.Format, Output: output.Path})
	if err == nil && a.Rows == nil {
		err = errNothing
	}
	var size int64
	if err == nil {
		size, err = output.Finish()
	}
	if err != nil {
		output.Close()
		return nil, s.classifyJob(ctx, err)
	}
	return &Export{Columns: a.Rows.Columns, Rows: a.Rows.TotalRows, Size: size, Content: output, close: output.Close}, nil
}

// classifyJob is classify for a job, which has more time, and cannot be run as one.
func (s *Service) classifyJob(ctx context.Context, err error) error {
	err = s.classify(ctx, err)
	if known, ok := errors.AsType[*datasets.Error](err); ok && known.Type == datasets.ErrTimeout {
		return &datasets.Error{Type: datasets.ErrTimeout, Message: "the job took longer than the " + s.cfg.JobTime.String() + " that it may; ask for less"}
	}
	return err
}
