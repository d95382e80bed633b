package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/internal/sandbox/frame"
	"github.com/kappagraph/kappa/internal/sandbox/walls"
)

// child is a process. One goroutine at a time uses it.
type child struct {
	cfg    Config
	cmd    *exec.Cmd
	in     *os.File      // requests to it
	out    *os.File      // answers from it
	input  *os.File      // what it reads beside; nil = nothing
	said   *tail         // on its standard error
	reaped chan struct{} // closed when the process is gone
	itself bool          // it was gone before it was killed
	watch  *watch        // of its memory
	idle   time.Time     // since when it waits for a task

	tasks    uint64
	resident int64 // bytes that it says it held after its last task

	group *memoryGroup // nil = it has none
}

// gone reports that the child died while it had nothing to do, which ends its pipe, or
// that it said something unasked.
func (c *child) gone() bool { return !silent(c.out) }

// inputError is the failure of what writes a task's input.
type inputError struct{ error }

// ask sends a task and decodes its answer. begun says whether the child has begun with it:
// without that it has done nothing.
func (c *child) ask(ctx context.Context, t Task) (begun bool, err error) {
	c.tasks++
	if err := c.feed(t); err != nil {
		return false, &inputError{err}
	}
	defer c.watch.start(c.cfg.Resident)()
	a := frame.Answer{Body: &struct{}{}} // nothing is to be said when it begins
	err = c.exchange(ctx, func() error {
		if err := frame.Write(c.in, frame.Request{ID: c.tasks, Body: t.Request}, c.cfg.MaxRequest); err != nil {
			return err //nolint:wrapcheck // it says what failed
		}
		if err := c.hear(&a, maxBegins); err != nil || !a.Begins {
			return err
		}
		begun = true
		if err := c.end(&a, t); err != nil {
			return err
		}
		return c.trail(a, t)
	})
	if err == nil && (!begun || a.Begins) {
		err = fmt.Errorf("%w: an answer out of its order", frame.ErrMalformed)
	}
	c.resident = a.RSSBytes
	if err == nil && c.input != nil {
		err = c.input.Truncate(0) // a child that waits holds nothing
	}
	return begun, err
}

// end reads how the task ended, after how much of it is done meanwhile.
func (c *child) end(a *frame.Answer, t Task) error {
	for done := 0; ; done = a.Done.Steps {
		*a = frame.Answer{Body: t.Answer}
		if err := c.hear(a, within(t.MostAnswer, c.cfg.MaxAnswer)); err != nil || a.Done == nil {
			return err
		}
		if t.Progress == nil || a.Done.Steps <= done || a.Done.Steps > a.Done.Of || a.TrailBytes != 0 {
			return fmt.Errorf("%w: %d of %d steps after %d", frame.ErrMalformed, a.Done.Steps, a.Done.Of, done)
		}
		t.Progress(a.Done.Steps, a.Done.Of)
	}
}

// feed writes what the child reads beside the task.
func (c *child) feed(t Task) error {
	if c.input == nil || t.Input == nil {
		return nil
	}
	if err := c.input.Truncate(0); err != nil {
		return fmt.Errorf("empty the input of a child: %w", err)
	}
	if _, err := c.input.Seek(0, 0); err != nil {
		return fmt.Errorf("empty the input of a child: %w", err)
	}
	return t.Input(c.input)
}

// maxBegins is how long the frame may be with which a child begins: it says nothing else.
const maxBegins = 1 << 10

// within returns the bound of a task, or that of all when it sets none or a wider one.
func within(task, all int) int {
	if task == 0 {
		return all
	}
	return min(task, all)
}

// hear reads an answer to the last task, of at most so many bytes.
func (c *child) hear(a *frame.Answer, most int) error {
	if err := frame.Read(c.out, a, most); err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	if a.ID != c.tasks {
		return fmt.Errorf("%w: an answer to the request %d, not to %d", frame.ErrMalformed, a.ID, c.tasks)
	}
	return nil
}

// trail reads what follows an answer.
func (c *child) trail(a frame.Answer, t Task) error {
	most := within(t.MostTrail, c.cfg.MaxTrail)
	if t.ReadTrail != nil {
		return frame.PassTrail(c.out, a.TrailBytes, most, t.ReadTrail) //nolint:wrapcheck // it says what failed
	}
	if t.Trail == nil {
		most = 0
	}
	trail, err := frame.ReadTrail(c.out, a.TrailBytes, most)
	if err == nil && t.Trail != nil {
		*t.Trail = trail
	}
	return err //nolint:wrapcheck // it says what failed
}

// exchange runs what reads and writes the pipes, until ctx ends.
func (c *child) exchange(ctx context.Context, talk func() error) error {
	stop := context.AfterFunc(ctx, func() {
		past := time.Unix(1, 0)
		_ = c.in.SetDeadline(past)
		_ = c.out.SetDeadline(past)
	})
	err := talk()
	if !stop() && err == nil {
		return context.Cause(ctx)
	}
	return err
}

// How long a child that answers no more may take to end: one whose pipe has ended is about
// to, and one that said what cannot be read may not do so at all.
const (
	ending   = 5 * time.Second
	settling = 100 * time.Millisecond
)

// settle finds out whether a child that answers no more ended by itself.
func (c *child) settle(cause error) {
	limit := settling
	if !errors.Is(cause, frame.ErrMalformed) {
		limit = ending
	}
	select {
	case <-c.reaped:
		c.itself = true
	case <-time.After(limit):
	}
}

// crashed reports that the child was ended by what running out of memory looks like: a
// signal that we did not send, or a fatal error of the runtime.
func (c *child) crashed() bool {
	const fatal = 2 // the exit code of Go's runtime
	return c.itself && (c.signal() != 0 || c.cmd.ProcessState.ExitCode() == fatal)
}

// forbidden reports that the kernel ended the child at a call that the walls kill for.
func (c *child) forbidden() bool { return c.itself && c.signal() == badCall }

func (c *child) outOfTime() bool { return c.cmd.ProcessState.ExitCode() == walls.ExitOutOfTime }

// signal returns what ended the process; 0 when it exited.
func (c *child) signal() syscall.Signal {
	status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0
	}
	return status.Signal()
}

func (c *child) state() string { return c.cmd.ProcessState.String() }

func (c *child) lastWords() string { return c.said.String() }

// tail keeps the beginning of what a child says on its standard error; the rest is a
// stack, or a flood.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

const maxSaid = 4 << 10

// Write keeps what there is room for.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := maxSaid - t.text.Len(); room > 0 {
		t.text.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
