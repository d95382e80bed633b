package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"github.com/kappagraph/kappa/internal/sandbox/frame"
	"github.com/kappagraph/kappa/internal/sandbox/walls"
)

// InputDescriptor is the file that a child reads, where the pool has Input. Its program,
// which it closes, comes before.
const InputDescriptor = walls.InputDescriptor

// maxHello is how long the first frame of a child may be, which lists its walls.
const maxHello = 64 << 10

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
			keepDescriptors()
			b.started <- whileVisible(b.cmd.Start)
		case <-stop:
			return
		}
	}
}

// errNotReady reports that a process was started which never said that its walls stand.
var errNotReady = errors.New("it did not get ready")

// start starts a child and waits until it says that its walls stand.
func (p *Pool) start(ctx context.Context) (*child, error) {
	limited, cancel := context.WithTimeout(ctx, p.cfg.Start)
	defer cancel()
	c, err := p.spawn(limited, isolation(p.cfg.OwnProcesses))
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) {
		c, err = p.spawn(limited, withoutNamespace()) // the child says what it lacks
	}
	if err != nil {
		return nil, err
	}
	var hello frame.Hello
	if err := c.exchange(limited, func() error { return frame.Read(c.out, &hello, maxHello) }); err != nil {
		p.end(c)
		return nil, fmt.Errorf("%w: %w; it said: %s", errNotReady, err, c.lastWords())
	}
	p.confine(c, &hello)
	if err := c.watch.report(); err != nil {
		hello.NotInForce = append(hello.NotInForce, err.Error())
	} else {
		hello.InForce = append(hello.InForce, frame.MemoryWatch)
	}
	if uid := os.Getuid(); uid > 0 {
		hello.NotInForce = append(hello.NotInForce, fmt.Sprintf("%s: the server is not root, so its children run as its own user, %d", frame.OtherUser, uid))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hello == nil && p.cfg.Ready != nil {
		p.cfg.Ready(hello)
	}
	p.hello = &hello
	return c, nil
}

// confine limits the memory of a child by a control group, before it has a task, and says
// so beside the walls that it built itself.
func (p *Pool) confine(c *child, hello *frame.Hello) {
	groups, err := p.groups()
	if err == nil {
		c.group, err = groups.confine(c.cmd.Process.Pid, p.cfg.Resident)
	}
	if err != nil {
		hello.NotInForce = append(hello.NotInForce, frame.MemoryGroup+": "+err.Error())
		return
	}
	hello.InForce = append(hello.InForce, frame.MemoryGroup)
}

// ends are the two sides of what a child is given.
type ends struct {
	in, out, input                *os.File // of the parent
	childIn, childOut, childInput *os.File
	program                       *os.File
}

// open opens what a child is given, and closes all of it after an error.
func (e *ends) open(cfg Config) (err error) {
	defer func() {
		if err != nil {
			e.closeChilds()
			e.close()
		}
	}()
	if e.childIn, e.in, err = os.Pipe(); err != nil {
		return fmt.Errorf("open a pipe: %w", err)
	}
	if e.out, e.childOut, err = os.Pipe(); err != nil {
		return fmt.Errorf("open a pipe: %w", err)
	}
	if e.program, err = os.Open(cfg.Bin); err != nil {
		return err //nolint:wrapcheck // it names the file
	}
	if cfg.Input {
		e.input, e.childInput, err = openInput(cfg.Name)
	}
	return err
}

// closeChilds closes what only the child needs.
func (e *ends) closeChilds() {
	for _, f := range []*os.File{e.childIn, e.childOut, e.childInput, e.program} {
		if f != nil {
			_ = f.Close()
		}
	}
}

func (e *ends) close() {
	for _, f := range []*os.File{e.in, e.out, e.input} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// command is the process to start.
func (p *Pool) command(e *ends, said *tail, attributes *syscall.SysProcAttr) *exec.Cmd {
	args := append([]string{p.cfg.Bin}, p.cfg.Args...)
	args = append(args, "--memory", strconv.FormatUint(p.cfg.Memory, 10), "--parent", strconv.Itoa(os.Getpid()))
	if p.cfg.Dir != "" {
		args = append(args, "--files", p.cfg.Dir)
	}
	extra := []*os.File{e.program} // the first is the descriptor 3, of which programOf speaks
	if e.childInput != nil {
		args = append(args, "--input")
		extra = append(extra, e.childInput)
	}
	return &exec.Cmd{
		Path: programOf(p.cfg.Bin), Args: args,
		Stdin: e.childIn, Stdout: e.childOut, Stderr: said, ExtraFiles: extra,
		Env: []string{}, Dir: "/", SysProcAttr: attributes,
	}
}

func (p *Pool) spawn(ctx context.Context, attributes *syscall.SysProcAttr) (*child, error) {
	var e ends
	err := e.open(p.cfg)
	if err != nil {
		return nil, err
	}
	c := &child{cfg: p.cfg, in: e.in, out: e.out, input: e.input, said: &tail{}, reaped: make(chan struct{})}
	c.cmd = p.command(&e, c.said, attributes)
	b := birth{c.cmd, make(chan error, 1)}
	select {
	case p.nursery <- b:
		err = <-b.started
	case <-p.done:
		err = ErrStopping
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	e.closeChilds()
	if err != nil {
		e.close()
		return nil, fmt.Errorf("start %s: %w", p.cfg.Bin, err)
	}
	lowerPriority(c.cmd.Process.Pid)
	c.watch = newWatch(c.cmd.Process.Pid)
	p.count(func(s *Stats) { s.Started++; s.Alive++ })
	go func() {
		_ = c.cmd.Wait() // its state is read from the command
		p.count(func(s *Stats) { s.Alive-- })
		close(c.reaped)
	}()
	return c, nil
}

// end kills a child with its process group, and returns when it is reaped.
func (p *Pool) end(c *child) {
	killGroup(c.cmd.Process.Pid)
	_ = c.in.Close()
	_ = c.out.Close()
	if c.input != nil {
		_ = c.input.Close()
	}
	<-c.reaped
	c.watch.close()
	if c.group != nil {
		c.group.remove()
	}
}
