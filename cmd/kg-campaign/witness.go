package main

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"sync"
)

// witnessedStep is one step of one job.
type witnessedStep struct{ job, step string }

// witness counts how often each step of an effect job was done, also by those
// who had lost the job. It is outside the database and nothing fences it.
type witness struct {
	path string
	conn *net.UnixConn

	mu   sync.Mutex // guards done
	done map[witnessedStep]int
}

func newWitness(dir string) (*witness, error) {
	w := &witness{path: filepath.Join(dir, "witness"), done: map[witnessedStep]int{}}
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: w.path, Net: "unixgram"})
	if err != nil {
		return nil, fmt.Errorf("open the witness's socket: %w", err)
	}
	w.conn = conn
	return w, nil
}

// run counts until ctx ends.
func (w *witness) run(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { _ = w.conn.Close() })
	defer stop()
	buf := make([]byte, 1024)
	for {
		n, err := w.conn.Read(buf)
		if err != nil {
			return // closed
		}
		var s witnessedStep
		var token int64
		if _, err := fmt.Sscan(string(buf[:n]), &s.job, &s.step, &token); err == nil {
			w.mu.Lock()
			w.done[s]++
			w.mu.Unlock()
		}
	}
}

// counts returns how often each step was done; run must have ended.
func (w *witness) counts() map[witnessedStep]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done
}
