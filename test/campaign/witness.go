package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"time"
)

// witnessedStep is one step of one job, done once under one claim.
type witnessedStep struct {
	job, step string
	token     int64
	at        time.Time // when it was sent, on the clock that PostgreSQL uses too
}

// stepOfJob names a step, without who does it.
type stepOfJob struct{ job, step string }

// witness records each time that a step of an effect job is done, also by those
// who had lost the job. It is outside the database and nothing fences it.
type witness struct {
	path string
	conn *net.UnixConn

	mu   sync.Mutex // guards done
	done []witnessedStep
}

func newWitness(dir string) (*witness, error) {
	w := &witness{path: filepath.Join(dir, "witness")}
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: w.path, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("open the witness's socket: %w", err)
	}
	if err := stampDatagrams(conn); err != nil {
		return nil, fmt.Errorf("have the witness's datagrams stamped: %w", err)
	}
	w.conn = conn
	return w, nil
}

// run records until ctx ends.
func (w *witness) run(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { _ = w.conn.Close() })
	defer stop()
	buf, control := make([]byte, 1024), make([]byte, 128)
	for {
		n, controlled, _, _, err := w.conn.ReadMsgUnix(buf, control)
		if err != nil {
			return // closed
		}
		s := witnessedStep{at: sentAt(control[:controlled])}
		if _, err := fmt.Sscan(string(buf[:n]), &s.job, &s.step, &s.token); err == nil {
			w.mu.Lock()
			w.done = append(w.done, s)
			w.mu.Unlock()
		}
	}
}

// steps returns what was done, in the order of arrival; run must have ended.
func (w *witness) steps() []witnessedStep {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done
}

// countSteps returns how often each step was done.
func countSteps(steps []witnessedStep) map[stepOfJob]int {
	n := map[stepOfJob]int{}
	for _, s := range steps {
		n[stepOfJob{s.job, s.step}]++
	}
	return n
}
