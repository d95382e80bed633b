package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// Program is a program of others that is run for one task at a time, behind the walls of a child:
// a process of ours builds them, and the program takes its place.
type Program struct {
	Name string   // of the process, in memory groups; at most 15 bytes
	Bin  string   // which builds the walls
	Args []string // its command, up to where the arguments of the walls are to stand

	// OwnProcesses is as in Config, and about Bin.
	OwnProcesses bool

	File string   // the program that takes its place, which that has as its descriptor InputDescriptor
	With []string // what follows the arguments of the walls: the name and the arguments of the program

	Memory     uint64 // bytes of address space beside what is mapped at the start
	Resident   uint64 // bytes of memory that it may hold at once
	MostOutput int    // bytes that it may write
}

// Run has the program read input on its standard input, and returns what it writes. A failure wraps
// one of the errors of this package, and says what the program said; when ctx is cancelled its
// cause is returned. In each case the process is gone when Run returns.
func (p Program) Run(ctx context.Context, input []byte) (output []byte, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The signal that ends a process with its parent is sent when the thread ends that
		// started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		output, err = p.run(ctx, input)
	}()
	<-done
	return output, err
}

func (p Program) run(ctx context.Context, input []byte) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, late(ctx, ErrNotReady)
	}
	e, err := p.open(input)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	defer e.close()
	said := &tail{}
	cmd, err := p.start(e, said, isolation(p.OwnProcesses))
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) {
		cmd, err = p.start(e, said, withoutNamespace())
	}
	e.closeChilds()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	pid := cmd.Process.Pid
	lowerPriority(pid)
	group := p.confine(pid)
	memory := newWatch(pid)
	watched := memory.start(p.Resident)
	stop := context.AfterFunc(ctx, func() { killGroup(pid) })
	output, readErr := io.ReadAll(io.LimitReader(e.out, int64(p.MostOutput)+1))
	if len(output) > p.MostOutput {
		killGroup(pid)
	}
	err = cmd.Wait()
	stop()
	watched()
	memory.close()
	starved := memory.killed()
	if group != nil {
		starved = starved || group.starved()
		group.remove()
	}
	switch {
	case ctx.Err() != nil:
		return nil, late(ctx, ErrLate)
	case starved:
		return nil, ErrMemory
	case len(output) > p.MostOutput:
		return nil, fmt.Errorf("%w: it wrote more than %d bytes", ErrMalformed, p.MostOutput)
	case err == nil && readErr == nil:
		return output, nil
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return nil, fmt.Errorf("%w: %w: %s", ErrCrashed, err, said)
	}
	return nil, fmt.Errorf("%w: %w: %s", ErrEnded, errors.Join(err, readErr), said)
}

// open opens what the process is given: the input as a file in memory, so that nothing has to be
// written while it runs, and the program that takes its place.
func (p Program) open(input []byte) (e *ends, err error) {
	e = &ends{}
	defer func() {
		if err != nil {
			e.closeChilds()
			e.close()
		}
	}()
	if e.in, e.childIn, err = openInput(p.Name); err != nil {
		return nil, err
	}
	if _, err = e.in.Write(input); err != nil {
		return nil, fmt.Errorf("write the input: %w", err)
	}
	if e.out, e.childOut, err = os.Pipe(); err != nil {
		return nil, fmt.Errorf("open a pipe: %w", err)
	}
	if e.program, err = os.Open(p.Bin); err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	e.childInput, err = os.Open(p.File)
	return e, err //nolint:wrapcheck // it names the file
}

func (p Program) start(e *ends, said *tail, attributes *syscall.SysProcAttr) (*exec.Cmd, error) {
	args := append([]string{p.Bin}, p.Args...)
	args = append(args, "--memory", strconv.FormatUint(p.Memory, 10), "--parent", strconv.Itoa(os.Getpid()), "--input", "--")
	cmd := &exec.Cmd{
		Path: programOf(p.Bin), Args: append(args, p.With...),
		Stdin: e.childIn, Stdout: e.childOut, Stderr: said, ExtraFiles: []*os.File{e.program, e.childInput},
		Env: []string{}, Dir: "/", SysProcAttr: attributes, WaitDelay: time.Second,
	}
	keepDescriptors()
	return cmd, whileVisible(cmd.Start)
}

// confine limits the memory of a process by a control group, where one can be made: elsewhere it is
// watched alone.
func (p Program) confine(pid int) *memoryGroup {
	groups, err := ownGroups(p.Name)
	if err != nil {
		return nil
	}
	group, err := groups.confine(pid, p.Resident)
	if err != nil {
		return nil
	}
	return group
}
