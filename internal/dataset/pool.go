package dataset

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/frame"
	"github.com/kappagraph/kappa/internal/sandbox"
	wire "github.com/kappagraph/kappa/internal/sandbox/frame"
)

// retryAfter is when to ask again that no worker had time for.
const retryAfter = 5 * time.Second

// Config is what a Pool needs.
type Config struct {
	Bin     string       // the program kg-data; "" = there is none
	Dir     string       // of the files that workers may open
	Workers int          // processes at once; 0 = datasets are switched off
	Memory  uint64       // bytes of address space of a worker; default 2 GiB
	Log     *slog.Logger // nil logs nothing

	Ready func(h wire.Hello) // called with what the first worker said; may be nil

	// Tests shorten these.
	tasks int           // after which a worker is replaced; 0 = as the sandbox has it
	probe time.Duration // that a question of Probe may take; 0 = probeTime
}

// Pool runs tasks in dataset workers: children of a sandbox, which may die. Its methods may
// be called from many goroutines.
type Pool struct {
	cfg      Config
	children *sandbox.Pool
	turns    *turns
	probe    probe
}

// New returns a Pool. It starts nothing.
func New(cfg Config) *Pool {
	cfg.probe = cmp.Or(cfg.probe, probeTime)
	p := &Pool{cfg: cfg}
	workers := cfg.Workers
	if p.available() != nil {
		workers = 0
	}
	p.turns = newTurns(workers)
	p.children = sandbox.New(sandbox.Config{
		Name: "kg-data", Bin: cfg.Bin, Dir: cfg.Dir, Children: workers, Memory: cfg.Memory, Tasks: cfg.tasks,
		MaxRequest: frame.MaxRequest, MaxAnswer: frame.MaxAnswer, MaxTrail: frame.MaxRows, Ready: cfg.Ready, Log: cfg.Log,
	})
	return p
}

// Run starts workers when they are asked for, the first one at once, until ctx ends. Then
// it kills them, and returns when all are reaped.
func (p *Pool) Run(ctx context.Context) error { return p.children.Run(ctx) }

// Hello returns what the last worker that started said of its walls; nil when none has.
func (p *Pool) Hello() *wire.Hello { return p.children.Hello() }

// Stats returns figures.
func (p *Pool) Stats() sandbox.Stats { return p.children.Stats() }

// available returns why there are no datasets, or nil.
func (p *Pool) available() error {
	switch {
	case p.cfg.Workers == 0:
		return kappa.NewError(kappa.CodeUnavailable, "datasets are switched off on this server: KG_DATASET_WORKERS is 0")
	case p.cfg.Bin == "":
		return kappa.NewError(kappa.CodeUnavailable, "this server has no dataset workers: the program kg-data is not beside kg; build it with make build, or set KG_DATASET_BIN")
	}
	return nil
}

// Check starts a worker when none has started yet and returns what keeps datasets from
// working, or nil.
func (p *Pool) Check(ctx context.Context) error {
	if err := p.available(); err != nil {
		return err
	}
	return ofSandbox(p.children.Check(ctx))
}

// Do runs a task and returns its answer. The time until the deadline of ctx includes the
// wait for a worker, for which askers take turns; see turns and datasets.WithAsker. A failure of the task is a datasets.Error; when ctx is cancelled
// its cause is returned. In both cases the worker is dead when Do returns, unless the
// failure is the worker's own answer.
func (p *Pool) Do(ctx context.Context, r frame.Request) (frame.Answer, error) {
	var rows []json.RawMessage
	a, err := p.Pass(ctx, r, func(row []byte) error {
		rows = append(rows, slices.Clone(row))
		return nil
	})
	if a.Rows != nil {
		a.Rows.Rows = append(a.Rows.Rows, rows...)
	}
	return a, err
}

// Pass is Do for an answer whose rows are passed to each as they come, and are not in it.
// each may keep no row. Its error is that of Pass, and leaves the worker as it was.
func (p *Pool) Pass(ctx context.Context, r frame.Request, each func(row []byte) error) (frame.Answer, error) {
	if err := p.available(); err != nil {
		return frame.Answer{}, err
	}
	leave, err := p.turn(ctx)
	if err != nil {
		return frame.Answer{}, err
	}
	defer leave()
	var a frame.Answer
	var unkept error
	task := sandbox.Task{Request: r, Answer: &a, Harmed: func() bool { return harmed(a) }}
	if r.Op == frame.OpQuery { // nothing else brings rows
		task.ReadTrail = func(from io.Reader) (err error) {
			unkept, err = readRows(from, each)
			return err
		}
	}
	err = p.children.Do(ctx, task)
	switch {
	case err != nil:
		return frame.Answer{}, ofSandbox(err)
	case unkept != nil:
		return frame.Answer{}, unkept
	case a.Error != nil:
		return frame.Answer{}, p.redact(a.Error, r)
	}
	return a, nil
}

// turn waits until a task may run for the asker of ctx.
func (p *Pool) turn(ctx context.Context) (leave func(), err error) {
	asker, bound := datasets.AskerOf(ctx), mostWaiting
	if asker.Job || asker.UserID == 0 {
		bound = 0
	}
	owner := strconv.Itoa(asker.UserID)
	leave, err = p.turns.enter(ctx, owner, bound)
	switch {
	case err == nil:
		return leave, nil
	case errors.Is(err, errFlood):
		return nil, busy(kappa.CodeRateLimited, fmt.Sprintf("%d of your questions to datasets wait for a worker already; ask again when they have ended", bound))
	case !errors.Is(err, context.DeadlineExceeded):
		return nil, context.Cause(ctx)
	case p.turns.alone(owner):
		return nil, busy(kappa.CodeRateLimited, "your own questions had all the dataset workers that one may have until the deadline; ask again when they have ended")
	}
	return nil, busy(kappa.CodeUnavailable, "every dataset worker was busy until the deadline; ask again later")
}

// busy is the failure of a question that no worker had time for.
func busy(code kappa.Code, message string) error {
	return &datasets.Error{Type: datasets.ErrTimeout, Message: message, Code: code, RetryAfter: retryAfter}
}

// harmed reports whether the worker of an answer may have suffered from its task.
func harmed(a frame.Answer) bool {
	return a.Error != nil && a.Error.Type != datasets.ErrSQL && a.Error.Type != datasets.ErrValidation
}

// ofSandbox says whose a failure of the sandbox is.
func ofSandbox(err error) error {
	for _, known := range []struct {
		err     error
		class   datasets.ErrorType
		message string
	}{
		{sandbox.ErrBusy, datasets.ErrTimeout, "every dataset worker was busy until the deadline"},
		{sandbox.ErrNotReady, datasets.ErrTimeout, "no dataset worker was ready before the deadline"},
		{sandbox.ErrLate, datasets.ErrTimeout, "the query took longer than it may; ask for less, or run it as a job"},
		{sandbox.ErrOutOfTime, datasets.ErrTimeout, "the query took more processor time than a worker has"},
		{sandbox.ErrMemory, datasets.ErrMemory, "the query needs more memory than a worker has; ask for less at once"},
		{sandbox.ErrCrashed, datasets.ErrMemory, "the query needs more memory than a worker has, or broke it; the worker was replaced"},
		{sandbox.ErrForbidden, datasets.ErrInternal, "the query made its worker do what no query needs; it was ended and replaced"},
		{sandbox.ErrMalformed, datasets.ErrInternal, "the dataset worker answered what cannot be read; it was replaced"},
		{sandbox.ErrEnded, datasets.ErrInternal, "the dataset worker ended without an answer; it was replaced"},
		{sandbox.ErrUnusable, datasets.ErrInternal, "no dataset worker could open a database; the server's log says why"},
	} {
		if errors.Is(err, known.err) {
			return &datasets.Error{Type: known.class, Message: known.message}
		}
	}
	switch {
	case errors.Is(err, sandbox.ErrNotStarted):
		return &kappa.Error{Code: kappa.CodeUnavailable, Message: "no dataset worker could be started; kg doctor says why", Err: err}
	case errors.Is(err, sandbox.ErrStopping):
		return &kappa.Error{Code: kappa.CodeUnavailable, Message: "the server stops", Err: err}
	}
	return err
}

// redact keeps the names of our files out of what users see.
func (p *Pool) redact(e *datasets.Error, r frame.Request) error {
	clean := func(s string) string {
		for _, t := range r.Tables {
			s = strings.ReplaceAll(s, t.Path, t.Name)
		}
		return strings.ReplaceAll(s, p.cfg.Dir, "…")
	}
	shown := *e
	shown.Message = clean(e.Message)
	if e.Details != nil {
		details := clean(*e.Details)
		shown.Details = &details
	}
	return &shown
}
