package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"
)

const (
	exitTempFail = 75 // EX_TEMPFAIL: another attempt may help
	killAfter    = 5 * time.Second
	pipeTime     = 2 * time.Second // for what a program leaves behind to let its output go
)

// execInput is the line that a program reads on standard input.
type execInput struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Queue      string          `json:"queue"`
	Attempt    int             `json:"attempt"`
	DeadlineMS int64           `json:"deadline_ms"`
	Data       json.RawMessage `json:"data"`
	Checkpoint json.RawMessage `json:"checkpoint"`
}

// Exec returns a handler that has a program work on each run: it reads one JSON line,
// and answers with JSON lines. It has a process group, a temporary directory and little
// of the environment. When the run is to stop, the group gets SIGTERM, and SIGKILL when
// it has not ended 5 seconds later.
func Exec(program string, args ...string) Handler {
	return func(ctx context.Context, r *Run) (json.RawMessage, error) {
		dir, err := os.MkdirTemp("", "kg-run-")
		if err != nil {
			return nil, &Failure{Type: "Exec", Message: "make a temporary directory: " + err.Error(), Retry: true}
		}
		defer os.RemoveAll(dir)                                                            //nolint:errcheck // the next start of the machine removes it
		p := &process{run: r, output: output{run: r}, cmd: exec.Command(program, args...)} //nolint:noctx // it is stopped as a group; it is what the operator named
		p.cmd.Dir, p.cmd.Env = dir, environment(r)
		return p.work(ctx)
	}
}

// environment returns the few variables that a program gets.
func environment(r *Run) []string {
	env := []string{"KG_JOB_ID=" + r.ID, "KG_JOB_TYPE=" + r.Type, "KG_ATTEMPT=" + strconv.Itoa(r.Attempt)}
	if r.Traceparent != "" {
		env = append(env, "TRACEPARENT="+r.Traceparent)
	}
	for _, name := range []string{"PATH", "HOME", "LANG"} {
		if value, ok := os.LookupEnv(name); ok { //nolint:forbidigo // it is handed on as it is
			env = append(env, name+"="+value)
		}
	}
	return env
}

// process is a program that works on a run.
type process struct {
	run *Run
	cmd *exec.Cmd
	output
}

// work runs the program to its end. Linux ties the signal that the program gets when we
// die to the thread that started it, so this thread lives as long.
func (p *process) work(ctx context.Context) (json.RawMessage, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	input, err := json.Marshal(execInput{
		ID: p.run.ID, Type: p.run.Type, Queue: p.run.Queue, Attempt: p.run.Attempt, DeadlineMS: p.run.Deadline.Milliseconds(),
		Data: orNull(p.run.Data), Checkpoint: orNull(p.run.Checkpoint),
	})
	if err != nil {
		return nil, &Failure{Type: "Exec", Message: err.Error()}
	}
	p.cmd.SysProcAttr = ownGroup()
	pipes, err := p.start()
	if err != nil {
		return nil, &Failure{Type: "Exec", Message: "start the program: " + err.Error()}
	}
	var io sync.WaitGroup
	io.Go(func() { // a program that does not read its input may end all the same
		_, _ = pipes.in.Write(append(input, '\n'))
		_ = pipes.in.Close()
	})
	io.Go(func() { p.readLines(pipes.out) })
	io.Go(func() { p.readLog(pipes.log) })
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() { p.watch(ctx, ended) })
	state, err := p.cmd.Process.Wait()
	close(ended)
	watching.Wait()
	killGroup(p.cmd.Process.Pid) // what it left behind
	late := time.AfterFunc(pipeTime, pipes.close)
	io.Wait()
	late.Stop()
	pipes.close()
	if err != nil {
		return nil, &Failure{Type: "Exec", Message: "wait for the program: " + err.Error(), Retry: true}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return p.verdict(state)
}

// watch ends the program when the run is to stop.
func (p *process) watch(ctx context.Context, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	terminateGroup(p.cmd.Process.Pid)
	timer := time.NewTimer(killAfter)
	defer timer.Stop()
	select {
	case <-ended:
		return
	case <-p.run.Abandoned():
	case <-timer.C:
	}
	killGroup(p.cmd.Process.Pid)
}

// verdict says how the run ends, by the exit code and what was said.
func (p *process) verdict(state *os.ProcessState) (json.RawMessage, error) {
	result, said := p.said()
	code := state.ExitCode()
	switch {
	case code == 0 && said == nil && result != nil:
		return result, nil
	case code == 0 && said == nil:
		return nil, &Failure{Type: "no_result", Message: "the program ended without a result"}
	case code == 0:
		return nil, said.failure(false)
	}
	retry := code == exitTempFail || code < 0
	if said != nil {
		return nil, said.failure(retry)
	}
	text := fmt.Sprintf("the program ended with %d", code)
	if code < 0 {
		text = "the program was ended by " + state.String()
	}
	return nil, &Failure{Type: "ExitCode", Message: text, Retry: retry}
}

// pipes are our ends of a program's standard input, output and error.
type pipes struct{ in, out, log *os.File }

// close ends reading, also when another process still has the other end.
func (p pipes) close() {
	for _, f := range []*os.File{p.in, p.out, p.log} {
		_ = f.Close()
	}
}

// start starts the program.
func (p *process) start() (ours pipes, err error) {
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			_ = f.Close()
		}
		if err != nil {
			for _, f := range []*os.File{ours.in, ours.out, ours.log} {
				if f != nil {
					_ = f.Close()
				}
			}
		}
	}()
	in, w, e1 := os.Pipe()
	out, o, e2 := os.Pipe()
	log, l, e3 := os.Pipe()
	theirs, ours = []*os.File{in, o, l}, pipes{w, out, log} // nil where there was no room for another file
	if err = errors.Join(e1, e2, e3); err != nil {
		return ours, err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, o, l
	return ours, p.cmd.Start()
}
