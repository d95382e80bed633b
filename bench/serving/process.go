package serving

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Process is a kg serve that runs.
type Process struct {
	URL string
	cmd *exec.Cmd
}

// NotStarted is the error of a server that ended before it was ready.
type NotStarted struct{ Log string }

// Error returns what the server has logged.
func (e *NotStarted) Error() string { return "the server did not start:\n" + e.Log }

// Run starts the program kg with settings, which are NAME=value, and its data and its log
// below dir. It returns when the server is ready, and a *NotStarted when it does not get
// ready; then it has ended.
func Run(kg, dir string, settings ...string) (*Process, error) {
	path := filepath.Join(dir, "serve.log")
	log, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p := &Process{cmd: exec.Command(kg, "serve", "--addr", "127.0.0.1:0", "--data-dir", filepath.Join(dir, "data"), "--log-level", "warn")}
	p.cmd.Env = append(os.Environ(), settings...)
	p.cmd.Stderr = log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w (build it with: make build)", kg, err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if url, ok := strings.CutPrefix(lines.Text(), "kg: serving on "); ok {
			p.URL = url
			return p, nil
		}
	}
	p.Stop()
	text, _ := os.ReadFile(path)
	return nil, &NotStarted{string(text)}
}

// PID returns the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stop ends the server: at once when it has not ended after half a minute.
func (p *Process) Stop() {
	ended := make(chan struct{})
	go func() {
		_ = p.cmd.Wait() // how it ended does not matter any more
		close(ended)
	}()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		fmt.Fprintln(os.Stderr, "bench: stop the server:", err)
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		_ = p.cmd.Process.Kill() // unless it ends just now
		<-ended
	}
}
