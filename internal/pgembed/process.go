package pgembed

import (
	"bytes"
	"context"
	"os/exec"
	"runtime"
	"syscall"
)

// process is a running program.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended and was reaped
	err  error         // how it ended; read it after done
}

// startProcess starts cmd. When this process ends without having ended the
// program, however it ends, the program gets the signal onDeath.
func startProcess(cmd *exec.Cmd, onDeath syscall.Signal) (*process, error) {
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// Linux ties the signal to the thread that starts the program, so this
		// thread must live as long as the program does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		release, err := startGuarded(cmd, onDeath)
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		release()
		close(p.done)
	}()
	return p, <-started
}

// runProcess runs cmd to its end, and kills it with all its children when ctx
// ends first.
func runProcess(ctx context.Context, cmd *exec.Cmd) error {
	p, err := startProcess(cmd, syscall.SIGKILL)
	if err != nil {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		// The program may have ended meanwhile; then there is nothing to kill.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-p.done
		return context.Cause(ctx)
	}
}

// runForOutput runs cmd as runProcess does. Its error has the last lines that the
// program wrote.
func runForOutput(ctx context.Context, cmd *exec.Cmd, name string) error {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := runProcess(ctx, cmd); err != nil {
		return &exitError{program: name, err: err, log: lastLines(output.String())}
	}
	return nil
}
