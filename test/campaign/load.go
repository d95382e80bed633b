package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/kappagraph/kappa/work"
)

const (
	burnersEach = 4  // busy processes for each processor
	callersEach = 24 // clients for each server, three times the connections for jobs
	callPause   = 10 * time.Millisecond

	answerNone = "none in time"
)

// load keeps the processors and the servers' pools busier than they can be, while
// nothing breaks.
type load struct {
	burners int // busy processes
	callers int // clients of each server
	servers []*server
	access  *apiAccess
	client  *http.Client
	log     *slog.Logger

	mu      sync.Mutex     // guards answers
	answers map[string]int // how many calls had each status, or none
}

func newLoad(c *campaign) *load {
	transport := &http.Transport{MaxIdleConnsPerHost: c.cfg.Callers}
	return &load{
		burners: c.cfg.Burners, callers: c.cfg.Callers, servers: c.servers, access: c.access, client: &http.Client{Transport: transport}, log: c.cfg.Log,
		answers: map[string]int{},
	}
}

// run keeps everything busy until ctx ends.
func (l *load) run(ctx context.Context) {
	var group sync.WaitGroup
	for range l.burners {
		group.Go(func() { l.burn(ctx) })
	}
	for _, s := range l.servers {
		for range l.callers {
			group.Go(func() { l.call(ctx, s) })
		}
	}
	group.Wait()
	l.client.CloseIdleConnections()
}

// burn runs a process that does nothing but use a processor.
func (l *load) burn(ctx context.Context) {
	cmd := exec.Command("/bin/sh", "-c", "while :; do :; done") //nolint:noctx // it is killed below
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	dieWithParent(cmd.SysProcAttr)
	exited := make(chan struct{})
	defer close(exited)
	if err := startPinned(cmd, exited); err != nil {
		l.log.WarnContext(ctx, "a busy process did not start", "err", err)
		return
	}
	<-ctx.Done()
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
}

// call asks a server for lists of jobs, again and again, and reads no more of them
// than it must: it is not to be the one that has no time.
func (l *load) call(ctx context.Context, s *server) {
	for pause(ctx, callPause) {
		answer := l.ask(ctx, s.address())
		if ctx.Err() != nil {
			return
		}
		l.mu.Lock()
		l.answers[answer]++
		l.mu.Unlock()
	}
}

// ask makes one call, and returns how it was answered.
func (l *load) ask(ctx context.Context, address string) string {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	token, err := l.access.bearer(ctx, address)
	if err != nil {
		return answerNone
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/jobs?limit="+strconv.Itoa(work.MaxJobList), nil)
	if err != nil {
		return answerNone
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := l.client.Do(req)
	if err != nil {
		return answerNone
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		l.access.drop(token)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return answerNone
	}
	return strconv.Itoa(resp.StatusCode)
}

// result returns how the calls were answered.
func (l *load) result() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.answers)
}

// refused returns what the calls were answered that an overloaded server may not
// answer. It may ask for patience, or be late.
func refused(answers map[string]int) []string {
	var found []string
	for answer, n := range answers {
		switch answer {
		case "200", "429", "503", answerNone:
		default:
			found = append(found, fmt.Sprintf("%d calls were answered with %s", n, answer))
		}
	}
	if answers["200"] == 0 {
		found = append(found, "no call had a good answer")
	}
	return found
}
