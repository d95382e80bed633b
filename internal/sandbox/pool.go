package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/sandbox/frame"
)

// Pool runs tasks in child processes, each alone in its process. A child that misses its
// deadline is killed with everything it started; one that fails in any way is replaced.
// Its methods may be called from many goroutines.
type Pool struct {
	cfg     Config
	slots   chan struct{} // one for each child that may work or be started; taken while it does
	nursery chan birth
	done    chan struct{} // closed when Run ends
	groups  func() (*memoryGroups, error)

	mu    sync.Mutex
	idle  []*child     // wait for a task, the one that did the last task at the end
	hello *frame.Hello // of the last child that started
	stats Stats
}

// New returns a Pool. It starts nothing.
func New(cfg Config) *Pool {
	cfg = cfg.withDefaults()
	groups := sync.OnceValues(func() (*memoryGroups, error) { return ownGroups(cfg.Name) })
	p := &Pool{cfg: cfg, slots: make(chan struct{}, cfg.Children), nursery: make(chan birth), done: make(chan struct{}), groups: groups}
	for range cfg.Children {
		p.slots <- struct{}{}
	}
	return p
}

// Run starts children when they are asked for, the first one at once, until ctx ends. Then
// it kills them, and returns when all are reaped.
func (p *Pool) Run(ctx context.Context) error {
	var births sync.WaitGroup
	stop := make(chan struct{})
	births.Go(func() { p.nurse(stop) })
	if p.cfg.Children > 0 {
		_ = p.Check(ctx) // which logs what fails
	}
	p.endIdle(ctx)
	close(p.done)
	for range p.cfg.Children {
		<-p.slots
	}
	for c := p.pop(); c != nil; c = p.pop() {
		p.end(c)
	}
	close(stop)
	births.Wait()
	return nil
}

// endIdle ends children that have done nothing for long, until ctx ends. The one that did the
// last task stays.
func (p *Pool) endIdle(ctx context.Context) {
	if p.cfg.Idle == 0 {
		<-ctx.Done()
		return
	}
	loop := kappa.Loop{Name: "ending idle processes of " + p.cfg.Name, Every: p.cfg.Idle / 2, Later: true, Log: p.cfg.Log}
	_ = loop.Run(ctx, func(context.Context) error { // it only ever returns nil
		p.mu.Lock()
		var old []*child
		for len(p.idle) > 1 && time.Since(p.idle[0].idle) > p.cfg.Idle {
			old, p.idle = append(old, p.idle[0]), p.idle[1:]
		}
		p.mu.Unlock()
		for _, c := range old {
			p.end(c)
		}
		return nil
	})
}

// pop returns the child that did the last task of those that wait, or nil.
func (p *Pool) pop() *child {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return nil
	}
	c := p.idle[len(p.idle)-1]
	p.idle = p.idle[:len(p.idle)-1]
	return c
}

// push keeps a child for another task.
func (p *Pool) push(c *child) {
	if c == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.idle = time.Now()
	p.idle = append(p.idle, c)
}

// leave ends the use of a slot, after another child was started where that is wanted and the
// last one is gone.
func (p *Pool) leave(ctx context.Context, c *child) {
	p.push(c)
	if c != nil || !p.cfg.Ahead {
		p.slots <- struct{}{}
		return
	}
	go func() { // Run waits for the slot
		ctx := context.WithoutCancel(ctx) // no task waits for it, and it has a limit of its own
		next, err := p.start(ctx)
		if err == nil {
			p.push(next)
		} else if !errors.Is(err, ErrStopping) {
			p.cfg.Log.WarnContext(ctx, "a child process could not be started ahead", "err", err)
		}
		p.slots <- struct{}{}
	}()
}

// Hello returns what the last child that started said of its walls; nil when none has.
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

// Do runs a task. The time until the deadline of ctx includes the wait for a child. A
// failure wraps one of the errors of this package; when ctx is cancelled its cause is
// returned, and when the task's Input fails, that error. In each case the child is dead
// when Do returns.
func (p *Pool) Do(ctx context.Context, t Task) error {
	select {
	case <-p.slots:
	case <-p.done:
		return ErrStopping
	case <-ctx.Done():
		return late(ctx, ErrBusy)
	}
	p.count(func(s *Stats) { s.Busy++; s.Tasks++ })
	defer p.count(func(s *Stats) { s.Busy-- })
	c, err := p.task(ctx, p.pop(), t)
	p.leave(ctx, c)
	return err
}

// maxChildren is how many children may end, one after another, before they have begun with
// a task.
const maxChildren = 3

// task runs a task on a child, or on a new one, and returns the child for the next task:
// nil when it is gone. A child that ends before it has done anything of the task is
// replaced by a new one, which nobody notices.
func (p *Pool) task(ctx context.Context, c *child, t Task) (*child, error) {
	if c != nil && c.gone() {
		p.end(c)
		p.count(func(s *Stats) { s.Crashed++ })
		p.cfg.Log.WarnContext(ctx, "a child process died while it was idle", "state", c.state(), "stderr", c.lastWords())
		c = nil
	}
	for left := maxChildren; ; {
		left--
		if c == nil {
			var err error
			if c, err = p.start(ctx); err != nil && (left == 0 || !errors.Is(err, errNotReady) || ctx.Err() != nil) {
				return nil, p.notStarted(ctx, err)
			} else if err != nil {
				p.cfg.Log.WarnContext(ctx, "a child process is started once more", "err", err)
				continue
			}
		}
		begun, err := c.ask(ctx, t)
		if err == nil {
			return p.answered(c, t), nil
		}
		err = p.died(ctx, c, begun, err)
		if !errors.Is(err, errUnused) {
			return nil, err
		}
		if left == 0 {
			return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
		}
		c = nil
	}
}

// answered returns the child of an answer, unless that must not have another task.
func (p *Pool) answered(c *child, t Task) *child {
	harmed := t.Harmed != nil && t.Harmed()
	if !harmed && c.tasks < uint64(p.cfg.Tasks) && c.resident <= int64(p.cfg.Resident/2) {
		return c
	}
	p.end(c)
	p.count(func(s *Stats) { s.Retired++ })
	return nil
}

// died kills and reaps a child and says whose the failure is: errUnused when it ended by
// itself and had not begun with the task.
func (p *Pool) died(ctx context.Context, c *child, begun bool, cause error) error {
	unwritten, noInput := errors.AsType[*inputError](cause)
	if ctx.Err() == nil && !noInput {
		c.settle(cause)
	}
	starved := c.watch.killed() || c.group != nil && c.group.starved()
	p.end(c)
	if ctx.Err() != nil {
		p.count(func(s *Stats) { s.Killed++ })
		return late(ctx, ErrLate)
	}
	if noInput {
		p.count(func(s *Stats) { s.Killed++ })
		return unwritten.error
	}
	p.count(func(s *Stats) { s.Crashed++ })
	p.cfg.Log.WarnContext(ctx, "a child process died", "state", c.state(), "err", cause, "stderr", c.lastWords())
	switch {
	case starved:
		return ErrMemory
	case !begun && c.itself && !c.forbidden():
		return errUnused
	case c.outOfTime():
		return ErrOutOfTime
	case errors.Is(cause, frame.ErrMalformed) && !c.crashed():
		return fmt.Errorf("%w: %w", ErrMalformed, cause)
	case c.forbidden():
		p.cfg.Log.ErrorContext(ctx, "a child process was killed at a forbidden call of the system", "stderr", c.lastWords())
		return ErrForbidden
	case c.crashed():
		return ErrCrashed
	}
	return ErrEnded
}

// late is the failure of a task whose context has ended: at its deadline what is given,
// else the cause.
func late(ctx context.Context, deadline error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return deadline
	}
	return context.Cause(ctx)
}

// notStarted is the failure of a task for which no child could be started. It logs what is
// not the caller's deadline or end.
func (p *Pool) notStarted(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, ErrStopping):
		return ErrStopping
	case ctx.Err() != nil:
		return late(ctx, ErrNotReady)
	}
	p.cfg.Log.ErrorContext(ctx, "a child process could not be started", "err", err)
	return fmt.Errorf("%w: %w", ErrNotStarted, err)
}

// Check starts a child when none has started yet and returns what keeps tasks from being
// done, or nil.
func (p *Pool) Check(ctx context.Context) error {
	if p.Hello() != nil {
		return nil
	}
	select {
	case <-p.slots:
		c, err := p.pop(), error(nil)
		if c == nil {
			c, err = p.start(ctx)
		}
		p.push(c)
		p.slots <- struct{}{}
		if err != nil {
			return p.notStarted(ctx, err)
		}
	case <-p.done:
		return ErrStopping
	case <-ctx.Done():
		return late(ctx, ErrNotReady)
	}
	return nil
}
