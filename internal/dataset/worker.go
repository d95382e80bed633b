package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

// worker is a child process. One goroutine at a time uses it.
type worker struct {
	cmd    *exec.Cmd
	in     *os.File // requests to it
	out    *os.File // answers from it
	said   *tail    // on its standard error
	tasks  uint64
	reaped chan struct{} // closed when the process is gone
	itself bool          // it was gone before it was killed

	leave func() // removes its control group; nil = it has none
}

// birth asks the nursery for a process.
type birth struct {
	cmd     *exec.Cmd
	started chan error
}

// nurse starts processes from one thread that lives as long as the pool: the signal that
// ends a child with its parent is sent when the thread ends that started it.
func (p *Pool) nurse(stop chan struct{}) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		select {
		case b := <-p.nursery:
			b.started <- b.cmd.Start()
		case <-stop:
			return
		}
	}
}

// errNotReady reports that a process was started which never became a worker.
var errNotReady = errors.New("it did not get ready")

// start starts a worker and waits until it says that its walls stand.
func (p *Pool) start(ctx context.Context) (*worker, error) {
	limited, cancel := context.WithTimeout(ctx, p.cfg.Start)
	defer cancel()
	w, err := p.spawn(limited, isolation())
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) {
		w, err = p.spawn(limited, withoutNamespace()) // the worker says what it lacks
	}
	if err != nil {
		return nil, err
	}
	var hello frame.Hello
	if err := w.exchange(limited, func() error { return frame.Read(w.out, &hello, frame.MaxAnswer) }); err != nil {
		p.end(w)
		return nil, fmt.Errorf("%w: %w; it said: %s", errNotReady, err, w.lastWords())
	}
	p.confine(w, &hello)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hello == nil && p.cfg.Ready != nil {
		p.cfg.Ready(hello)
	}
	p.hello = &hello
	return w, nil
}

// confine limits the memory of a worker by a control group, before it has a task, and says
// so beside the walls that it built itself.
func (p *Pool) confine(w *worker, hello *frame.Hello) {
	groups, err := p.groups()
	if err == nil {
		w.leave, err = groups.confine(w.cmd.Process.Pid, p.cfg.Memory)
	}
	if err != nil {
		hello.NotInForce = append(hello.NotInForce, kappa.DatasetMemoryGroup+": "+err.Error())
		return
	}
	hello.InForce = append(hello.InForce, kappa.DatasetMemoryGroup)
}

func (p *Pool) spawn(ctx context.Context, attributes *syscall.SysProcAttr) (*worker, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("open a pipe: %w", err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	program, err := os.Open(p.cfg.Bin)
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close(), out.Close(), childOut.Close())
	}
	w := &worker{in: in, out: out, said: &tail{}, reaped: make(chan struct{})}
	w.cmd = &exec.Cmd{
		Path:  programOf(p.cfg.Bin),
		Args:  []string{p.cfg.Bin, "-memory", strconv.FormatUint(p.cfg.Memory, 10), "-files", p.cfg.Dir, "-parent", strconv.Itoa(os.Getpid())},
		Stdin: childIn, Stdout: childOut, Stderr: w.said, ExtraFiles: []*os.File{program},
		Env: []string{}, Dir: "/", SysProcAttr: attributes,
	}
	b := birth{w.cmd, make(chan error, 1)}
	select {
	case p.nursery <- b:
		err = <-b.started
	case <-p.done:
		err = errStopping
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	_ = childIn.Close()
	_ = childOut.Close()
	_ = program.Close()
	if err != nil {
		_ = in.Close()
		_ = out.Close()
		return nil, fmt.Errorf("start %s: %w", p.cfg.Bin, err)
	}
	lowerPriority(w.cmd.Process.Pid)
	go func() {
		_ = w.cmd.Wait() // its state is read from the command
		close(w.reaped)
	}()
	p.count(func(s *Stats) { s.Started++; s.Alive++ })
	return w, nil
}

// end kills a worker with its process group, and returns when it is reaped.
func (p *Pool) end(w *worker) {
	killGroup(w.cmd.Process.Pid)
	_ = w.in.Close()
	_ = w.out.Close()
	<-w.reaped
	if w.leave != nil {
		w.leave()
	}
	p.count(func(s *Stats) { s.Alive-- })
}

func (w *worker) next() uint64 {
	w.tasks++
	return w.tasks
}

// gone reports that the worker died while it had nothing to do, which ends its pipe, or
// that it said something unasked.
func (w *worker) gone() bool { return !silent(w.out) }

// ask sends a request and returns its answer. begun says whether the worker has begun with
// it: without that it has done nothing.
func (w *worker) ask(ctx context.Context, r frame.Request) (a frame.Answer, begun bool, err error) {
	err = w.exchange(ctx, func() error {
		if err := frame.Write(w.in, r, frame.MaxRequest); err != nil {
			return err //nolint:wrapcheck // it says what failed
		}
		if err := w.hear(&a, r.ID); err != nil || !a.Begins {
			return err
		}
		begun, a = true, frame.Answer{}
		return w.hear(&a, r.ID)
	})
	if err == nil && (!begun || a.Begins) {
		err = fmt.Errorf("%w: an answer out of its order", frame.ErrMalformed)
	}
	return a, begun, err
}

// hear reads an answer to the request of an ID.
func (w *worker) hear(a *frame.Answer, id uint64) error {
	if err := frame.Read(w.out, a, frame.MaxAnswer); err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	if a.ID != id {
		return fmt.Errorf("%w: an answer to the request %d, not to %d", frame.ErrMalformed, a.ID, id)
	}
	return nil
}

// exchange runs what reads and writes the pipes, until ctx ends.
func (w *worker) exchange(ctx context.Context, talk func() error) error {
	stop := context.AfterFunc(ctx, func() {
		past := time.Unix(1, 0)
		_ = w.in.SetDeadline(past)
		_ = w.out.SetDeadline(past)
	})
	err := talk()
	if !stop() && err == nil {
		return context.Cause(ctx)
	}
	return err
}

// How long a worker that answers no more may take to end: one whose pipe has ended is about
// to, and one that said what cannot be read may not do so at all.
const (
	ending   = 5 * time.Second
	settling = 100 * time.Millisecond
)

// settle finds out whether a worker that answers no more ended by itself.
func (w *worker) settle(cause error) {
	limit := settling
	if !errors.Is(cause, frame.ErrMalformed) {
		limit = ending
	}
	select {
	case <-w.reaped:
		w.itself = true
	case <-time.After(limit):
	}
}

// crashed reports that the worker was ended by what running out of memory looks like: a
// signal that we did not send, or a fatal error of the runtime.
func (w *worker) crashed() bool {
	const fatal = 2 // the exit code of Go's runtime
	return w.itself && (w.signal() != 0 || w.cmd.ProcessState.ExitCode() == fatal)
}

func (w *worker) outOfTime() bool { return w.cmd.ProcessState.ExitCode() == frame.ExitOutOfTime }

// signal returns what ended the process; 0 when it exited.
func (w *worker) signal() syscall.Signal {
	status, ok := w.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return 0
	}
	return status.Signal()
}

func (w *worker) state() string { return w.cmd.ProcessState.String() }

func (w *worker) lastWords() string { return w.said.String() }

// tail keeps the beginning of what a worker says on its standard error; the rest is a
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
