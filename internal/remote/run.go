package remote

import (
	"strconv"
	"sync"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// run is a job that a worker holds, as this server knows it.
type run struct {
	key       work.RunKey
	group     string
	attempt   int
	jobType   string
	taken     time.Time // when this server came to know of it; what follows is guarded by who holds the run
	confirmed bool
	missing   int  // heartbeats in a row that did not name it
	asked     bool // to stop
	told      bool // its worker was
	ended     bool

	events    serial // what the worker says about it, in order; what follows is used there only
	lastShown time.Time
	shown     work.Progress
	logs      runLogs
	compat    compatRun
}

func newRun(key work.RunKey) *run { return &run{key: key, taken: time.Now()} }

func tokenText(token int64) string { return strconv.FormatInt(token, 10) }

func parseToken(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }

// wireRun returns a run as it travels.
func wireRun(t work.RemoteRun) wire.Run {
	return wire.Run{
		RunKey: wire.RunKey{ID: t.JobID, Token: tokenText(t.Token)}, Type: t.JobType, Queue: t.Queue, Priority: t.Priority, Attempt: t.Attempt,
		DeadlineMS: wire.Milliseconds(t.Deadline), Data: t.Data, Checkpoint: t.Checkpoint, Traceparent: t.Traceparent,
	}
}

// backoff returns how long the job of a run that has failed waits for its next attempt, as its
// type has it. The type is not known of a run that another server has handed on.
func (s *Server) backoff(r *run, random float64) time.Duration {
	return s.cfg.Policies.Of(r.jobType).Backoff(max(1, r.attempt), random)
}

// progressDue reports whether another progress of the run may be stored now.
func (r *run) progressDue(now time.Time) bool {
	if now.Sub(r.lastShown) < time.Second/work.ProgressPerSecond {
		return false
	}
	r.lastShown = now
	return true
}

// never returns the progress with a percentage that does not fall.
func (r *run) never(p work.Progress) work.Progress {
	p.Percent = min(max(p.Percent, r.shown.Percent), 100)
	r.shown = p
	return p
}

// serial runs tasks one after the other, each in its turn.
type serial struct {
	mu    sync.Mutex
	tasks []func()
	busy  bool
}

// do has f called after what was given before. It does not wait.
func (q *serial) do(spawn func(func()), f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tasks = append(q.tasks, f)
	if q.busy {
		return
	}
	q.busy = true
	spawn(q.work)
}

// idle reports whether nothing waits or runs.
func (q *serial) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.busy
}

func (q *serial) work() {
	for {
		q.mu.Lock()
		if len(q.tasks) == 0 {
			q.busy, q.tasks = false, nil
			q.mu.Unlock()
			return
		}
		f := q.tasks[0]
		q.tasks = q.tasks[1:]
		q.mu.Unlock()
		f()
	}
}
