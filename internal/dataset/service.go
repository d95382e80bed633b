package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"syscall"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/files"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

// ServiceConfig is what a Service needs. Pool and Files are required.
type ServiceConfig struct {
	Pool    *Pool
	Files   *files.Files
	Within  time.Duration // of a question as a whole: to fetch, to wait and to run; default 60 s
	JobTime time.Duration // likewise of a job; default 10 min
	Graph   graphSource   // nil: no questions to the graph
	Log     *slog.Logger  // nil logs nothing

	answers int64 // bytes in memory of all answers that are not read yet; 0 = 64 MiB
}

// Service answers questions to datasets. Every failure is a datasets.Error, but for a
// CodeUnavailable Error when there are no workers, and the cause of a context that was
// cancelled. Its methods may be called from many goroutines.
type Service struct {
	cfg  ServiceConfig
	held *held

	graph *graphTables

	mu      sync.Mutex
	uploads map[string]upload // by what stands for a URL
}

// NewService returns a Service. It starts nothing.
func NewService(cfg ServiceConfig) *Service {
	cfg.Within = cmp.Or(cfg.Within, time.Minute)
	cfg.JobTime = cmp.Or(cfg.JobTime, 10*time.Minute)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.answers = cmp.Or(cfg.answers, 64<<20)
	return &Service{
		cfg: cfg, held: &held{most: cfg.answers, each: cfg.answers / 16, disk: cfg.Files}, uploads: map[string]upload{},
		graph: newGraphTables(cfg.Graph, cfg.Files, cfg.Log),
	}
}

// Run keeps what is on the disk of the graph current, until ctx ends.
func (s *Service) Run(ctx context.Context) { s.graph.Run(ctx) }

// Within returns the time that a question may take as a whole.
func (s *Service) Within() time.Duration { return s.cfg.Within }

// Validate says whether a URL leads to a Parquet file that can be read. That it does not
// is an answer, and no error.
func (s *Service) Validate(ctx context.Context, url string) (datasets.Validity, error) {
	_, _, err := s.footer(ctx, url, frame.OpValidate)
	known, ok := errors.AsType[*datasets.Error](err)
	if ok && known.Type != datasets.ErrInternal {
		return datasets.Validity{Error: known}, nil
	}
	return datasets.Validity{Valid: err == nil}, err
}

// Schema returns what a Parquet file says of itself. Of a file on a server that sends
// ranges only the footer is fetched.
func (s *Service) Schema(ctx context.Context, url string) (datasets.Schema, error) {
	a, size, err := s.footer(ctx, url, frame.OpSchema)
	switch {
	case err != nil:
		return datasets.Schema{}, err
	case a.Schema == nil:
		return datasets.Schema{}, s.classify(ctx, errNothing)
	}
	a.Schema.SizeBytes = size
	return *a.Schema, nil
}

// footer asks about what a file says of itself, and returns its size besides.
func (s *Service) footer(ctx context.Context, url string, op frame.Op) (a frame.Answer, size int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Within)
	defer cancel()
	if err := s.cfg.Pool.Check(ctx); err != nil {
		return a, 0, s.classify(ctx, err)
	}
	file, err := s.open(ctx, url, s.cfg.Files.Footer)
	if err != nil {
		return a, 0, s.classify(ctx, err)
	}
	defer file.Close()
	a, err = s.cfg.Pool.Do(ctx, frame.Request{Op: op, Tables: []frame.Table{{Name: "file", Path: file.Path}}})
	return a, file.Size, s.classify(ctx, err)
}

// Query answers a question. The caller closes the answer.
func (s *Service) Query(ctx context.Context, q datasets.Query) (*Result, error) {
	if err := q.Validate(); err != nil {
		return nil, broken(err)
	}
	begin := time.Now()
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Within)
	defer cancel()
	if err := s.cfg.Pool.Check(ctx); err != nil {
		return nil, s.classify(ctx, err)
	}
	tables, release, err := s.openAll(ctx, q.Datasets, func(int) error { return nil })
	if err != nil {
		return nil, s.classify(ctx, err)
	}
	defer release()
	return s.ask(ctx, begin, frame.Request{Op: frame.OpQuery, Tables: tables, SQL: q.SQL, Limit: q.Limit})
}

// ask has a worker answer a question that was asked at begin.
func (s *Service) ask(ctx context.Context, begin time.Time, r frame.Request) (*Result, error) {
	result := &Result{rows: kept{by: s.held}}
	a, err := s.cfg.Pool.Pass(ctx, r, result.add)
	if err == nil && a.Rows == nil {
		err = errNothing
	}
	if err != nil {
		result.Close()
		return nil, s.classify(ctx, err)
	}
	result.Rows = *a.Rows
	result.DurationMS = float64(time.Since(begin).Microseconds()) / 1000
	return result, nil
}

// open returns the file that an address stands for: that of an upload, or the one behind a
// URL.
func (s *Service) open(ctx context.Context, url string, fetch func(context.Context, string) (*files.File, error)) (file, error) {
	s.mu.Lock()
	u, ok := s.uploads[url]
	s.mu.Unlock()
	if ok {
		return file{File: u.file, Close: func() {}}, nil // its uploader closes it
	}
	f, err := fetch(ctx, url)
	if err != nil {
		return file{}, err
	}
	return file{File: f, Close: f.Close}, nil
}

// file is a file in use, and what its user does at the end.
type file struct {
	*files.File

	Close func()
}

// openAll fetches datasets, all at once, and calls fetched after each with how many are
// there. Without an error the caller releases them.
func (s *Service) openAll(ctx context.Context, datasets []datasets.Dataset, fetched func(n int) error) (tables []frame.Table, release func(), err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type opened struct {
		at   int
		file file
		err  error
	}
	all := make(chan opened)
	for i, d := range datasets {
		go func() {
			f, err := s.open(ctx, d.URL, s.cfg.Files.Open)
			all <- opened{i, f, err}
		}()
	}
	tables = make([]frame.Table, len(datasets))
	var closing []func()
	release = func() {
		for _, c := range closing {
			c()
		}
	}
	for range datasets {
		o := <-all
		if o.err == nil {
			closing = append(closing, o.file.Close)
			tables[o.at] = frame.Table{Name: datasets[o.at].TableName, Path: o.file.Path}
			o.err = fetched(len(closing))
		}
		if o.err != nil && err == nil {
			err = ofTable(o.err, datasets[o.at].TableName, len(datasets))
			cancel(err)
		}
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return tables, release, nil
}

// ofTable says to which of several tables a failure belongs.
func ofTable(err error, table string, of int) error {
	known, ok := errors.AsType[*datasets.Error](err)
	if !ok || of < 2 {
		return err
	}
	named := *known
	named.Message = table + ": " + known.Message
	return &named
}

var errNothing = errors.New("the worker's answer holds nothing")

// broken is a request that breaks rules.
func broken(err error) error {
	known, ok := errors.AsType[*kappa.Error](err)
	if !ok {
		return err
	}
	return &datasets.Error{Type: datasets.ErrValidation, Message: known.Message, Fields: known.Fields}
}

// classify makes sure that a failure has a class. One of ours is logged, and its cause is
// not shown.
func (s *Service) classify(ctx context.Context, err error) error {
	var known *datasets.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		if known.Type == datasets.ErrInternal {
			s.cfg.Log.ErrorContext(ctx, "a dataset could not be queried", "err", err)
		}
		return known
	case kappa.ErrorCode(err) == kappa.CodeUnavailable, errors.Is(ctx.Err(), context.Canceled):
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return &datasets.Error{Type: datasets.ErrTimeout, Message: fmt.Sprintf("the question took longer than the %s that it may; ask for less, or run it as a job", s.cfg.Within)}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		s.cfg.Log.WarnContext(ctx, "no room on the disk for a dataset", "err", err)
		return &datasets.Error{Type: datasets.ErrMemory, Message: "there is no room on the server's disk for the file; try again later"}
	case kappa.ErrorCode(err) != kappa.CodeInternal:
		return err
	}
	s.cfg.Log.ErrorContext(ctx, "a dataset could not be queried", "err", err)
	return &datasets.Error{Type: datasets.ErrInternal, Message: "the question could not be answered; the server's log says why"}
}
