package dataset

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

// Config is what a Pool needs.
type Config struct {
	Bin     string        // the program kg-data; "" = there is none
	Dir     string        // of the files that workers may open
	Workers int           // processes at once; 0 = datasets are switched off
	Memory  uint64        // bytes of address space of a worker; default 2 GiB
	Tasks   int           // tasks after which a worker is replaced; default 50
	Start   time.Duration // until a worker is ready; default 10 s
	Log     *slog.Logger  // nil logs nothing

	Ready func(h frame.Hello) // called with what the first worker said; may be nil
}

// Pool runs tasks in worker processes, each alone in its process. A worker that misses its
// deadline is killed with everything it started; one that fails in any way is replaced.
// Its methods may be called from many goroutines.
type Pool struct {
	cfg     Config
	slots   chan *worker // one for each process that may live; nil = not started yet
	nursery chan birth
	done    chan struct{} // closed when Run ends
	groups  func() (*memoryGroups, error)

	mu    sync.Mutex
	hello *frame.Hello // of the last worker that started
	stats Stats
}

// Stats are figures of a pool.
type Stats struct {
	Alive, Busy              int
	Tasks, Started           int64
	Killed, Crashed, Retired int64 // workers: at a deadline or cancel, by themselves, after their tasks
}

// New returns a Pool. It starts nothing.
func New(cfg Config) *Pool {
	cfg.Memory = cmp.Or(cfg.Memory, 2<<30)
	cfg.Tasks = cmp.Or(cfg.Tasks, 50)
	cfg.Start = cmp.Or(cfg.Start, 10*time.Second)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	p := &Pool{cfg: cfg, slots: make(chan *worker, cfg.Workers), nursery: make(chan birth), done: make(chan struct{}), groups: sync.OnceValues(ownGroups)}
	for range cfg.Workers {
		p.slots <- nil
	}
	return p
}

// Run starts workers when they are asked for, the first one at once, until ctx ends. Then
// it kills them, and returns when all are reaped.
func (p *Pool) Run(ctx context.Context) error {
	var births sync.WaitGroup
	stop := make(chan struct{})
	births.Go(func() { p.nurse(stop) })
	if p.available() == nil {
		_ = p.Check(ctx) // which logs what fails
	}
	<-ctx.Done()
	close(p.done)
	for range p.cfg.Workers {
		if w := <-p.slots; w != nil {
			p.end(w)
		}
	}
	close(stop)
	births.Wait()
	return nil
}

// Hello returns what the last worker that started said of its walls; nil when none has.
func (p *Pool) Hello() *frame.Hello {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hello
}

// Stats returns figures.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

func (p *Pool) count(change func(s *Stats)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.stats)
}

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

// Do runs a task and returns its answer. The time until the deadline of ctx includes the
// wait for a worker. A failure of the task is a kappa.DatasetError; when ctx is cancelled
// its cause is returned. In both cases the worker is dead when Do returns, unless the
// failure is the worker's own answer.
func (p *Pool) Do(ctx context.Context, r frame.Request) (frame.Answer, error) {
	if err := p.available(); err != nil {
		return frame.Answer{}, err
	}
	var w *worker
	select {
	case w = <-p.slots:
	case <-p.done:
		return frame.Answer{}, stopping()
	case <-ctx.Done():
		return frame.Answer{}, p.late(ctx, "every dataset worker was busy until the deadline")
	}
	p.count(func(s *Stats) { s.Busy++; s.Tasks++ })
	defer p.count(func(s *Stats) { s.Busy-- })
	a, w, err := p.task(ctx, w, r)
	p.slots <- w
	return a, err
}

// maxWorkers is how many workers may end, one after another, before they have begun with a
// task.
const maxWorkers = 3

// task runs a task on a worker, or on a new one, and returns the worker for the next task:
// nil when it is gone. A worker that ends before it has done anything of the task is
// replaced by a new one, which nobody notices.
func (p *Pool) task(ctx context.Context, w *worker, r frame.Request) (frame.Answer, *worker, error) {
	if w != nil && w.gone() {
		p.end(w)
		p.count(func(s *Stats) { s.Crashed++ })
		p.cfg.Log.WarnContext(ctx, "a dataset worker died while it was idle", "state", w.state(), "stderr", w.lastWords())
		w = nil
	}
	for left := maxWorkers; ; {
		left--
		if w == nil {
			var err error
			if w, err = p.start(ctx); err != nil && (left == 0 || !errors.Is(err, errNotReady) || ctx.Err() != nil) {
				return frame.Answer{}, nil, p.notStarted(ctx, err)
			} else if err != nil {
				p.cfg.Log.WarnContext(ctx, "a dataset worker is started once more", "err", err)
				continue
			}
		}
		r.ID = w.next()
		a, begun, err := w.ask(ctx, r)
		if err == nil {
			return p.answered(w, r, a)
		}
		err = p.died(ctx, w, begun, err)
		if !errors.Is(err, errUnused) || left == 0 {
			return frame.Answer{}, nil, unusable(err)
		}
		w = nil
	}
}

// errUnused reports that a worker ended before it had done anything of a task.
var errUnused = errors.New("the worker ended before the task")

// unusable is the failure of a task which maxWorkers workers could not begin.
func unusable(err error) error {
	if errors.Is(err, errUnused) {
		return &kappa.DatasetError{Type: kappa.DatasetInternal, Message: "no dataset worker could open a database; the server's log says why"}
	}
	return err
}

// answered returns an answer, and its worker unless that must not have another task.
func (p *Pool) answered(w *worker, r frame.Request, a frame.Answer) (frame.Answer, *worker, error) {
	if p.worn(w, a) {
		p.end(w)
		p.count(func(s *Stats) { s.Retired++ })
		w = nil
	}
	if a.Error != nil {
		return frame.Answer{}, w, p.redact(a.Error, r)
	}
	return a, w, nil
}

// worn reports whether a worker has done enough, or may have been harmed.
func (p *Pool) worn(w *worker, a frame.Answer) bool {
	harmed := a.Error != nil && a.Error.Type != kappa.DatasetSQL && a.Error.Type != kappa.DatasetValidation
	return w.tasks >= uint64(p.cfg.Tasks) || harmed || a.RSSBytes > int64(p.cfg.Memory/2)
}

// died kills and reaps a worker and says whose the failure is: errUnused when it ended by
// itself and had not begun with the task.
func (p *Pool) died(ctx context.Context, w *worker, begun bool, cause error) error {
	if ctx.Err() == nil {
		w.settle(cause)
	}
	p.end(w)
	if ctx.Err() != nil {
		p.count(func(s *Stats) { s.Killed++ })
		return p.late(ctx, "the query took longer than it may; ask for less, or run it as a job")
	}
	p.count(func(s *Stats) { s.Crashed++ })
	p.cfg.Log.WarnContext(ctx, "a dataset worker died", "state", w.state(), "err", cause, "stderr", w.lastWords())
	switch {
	case !begun && w.itself:
		return errUnused
	case w.outOfTime():
		return &kappa.DatasetError{Type: kappa.DatasetTimeout, Message: "the query took more processor time than a worker has"}
	case errors.Is(cause, frame.ErrMalformed) && !w.crashed():
		return &kappa.DatasetError{Type: kappa.DatasetInternal, Message: "the dataset worker answered what cannot be read; it was replaced"}
	case w.crashed():
		return &kappa.DatasetError{Type: kappa.DatasetMemory, Message: "the query needs more memory than a worker has, or broke it; the worker was replaced"}
	}
	return &kappa.DatasetError{Type: kappa.DatasetInternal, Message: "the dataset worker ended without an answer; it was replaced"}
}

// late is the failure of a task whose context has ended.
func (p *Pool) late(ctx context.Context, message string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &kappa.DatasetError{Type: kappa.DatasetTimeout, Message: message}
	}
	return context.Cause(ctx)
}

const notReady = "no dataset worker was ready before the deadline"

// notStarted is the failure of a task for which no worker could be started. It logs what
// is not the caller's deadline or end.
func (p *Pool) notStarted(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, errStopping):
		return stopping()
	case ctx.Err() != nil:
		return p.late(ctx, notReady)
	}
	p.cfg.Log.ErrorContext(ctx, "a dataset worker could not be started", "err", err)
	return &kappa.Error{Code: kappa.CodeUnavailable, Message: "no dataset worker could be started; kg doctor says why", Err: err}
}

// redact keeps the names of our files out of what users see.
func (p *Pool) redact(e *kappa.DatasetError, r frame.Request) error {
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

var errStopping = errors.New("the pool stops")

func stopping() error {
	return &kappa.Error{Code: kappa.CodeUnavailable, Message: "the server stops", Err: errStopping}
}

// Check starts a worker when none has started yet and returns what keeps datasets from
// working, or nil.
func (p *Pool) Check(ctx context.Context) error {
	if err := p.available(); err != nil || p.Hello() != nil {
		return err
	}
	select {
	case w := <-p.slots:
		var err error
		if w == nil {
			w, err = p.start(ctx)
		}
		p.slots <- w
		if err != nil {
			return p.notStarted(ctx, err)
		}
	case <-p.done:
		return stopping()
	case <-ctx.Done():
		return p.late(ctx, notReady)
	}
	return nil
}
