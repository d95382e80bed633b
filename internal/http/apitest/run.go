package apitest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/http"
)

// Run starts a server on a port of its own. It returns its address and what stops
// it, which returns what Run did.
func Run(t testing.TB, s *http.Server) (addr string, stop func() error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return RunOn(t, s, ln)
}

// RunOn is Run on a listener.
func RunOn(t testing.TB, s *http.Server, ln net.Listener) (addr string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, ln) }()
	t.Cleanup(cancel)
	return ln.Addr().String(), func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(20 * time.Second):
			return fmt.Errorf("Run did not return")
		}
	}
}

// Eventually waits for a condition that other goroutines bring about.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	await.That(t, what, ok)
}

// Log is a log that many write.
type Log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write appends p.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

// String returns what was written.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
