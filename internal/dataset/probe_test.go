//go:build unix

package dataset

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

// TestProbe has workers fail that answered before, and asks whether questions are answered.
func TestProbe(t *testing.T) {
	t.Run("a program that is gone", func(t *testing.T) {
		bin := filepath.Join(workersDir(t), "worker")
		if err := os.Link(os.Args[0], bin); err != nil {
			t.Skipf("NOT TESTED: the directory for temporary files is on another disk: %v", err)
		}
		p := start(t, func(c *Config) { c.Bin, c.Workers = bin, 1 })
		pid, err := ask(t, p, "answer")
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Probe(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(bin); err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
		p.probe.at = time.Time{}
		wantProblem(t, p.Probe(t.Context()), "could not be started", bin, "KG_DATASET_BIN")
	})
	t.Run("workers that never get ready", func(t *testing.T) {
		dir := workersDir(t)
		p := start(t, func(c *Config) { c.Dir, c.Workers, c.probe = dir, 1, 300*time.Millisecond })
		pid, err := ask(t, p, "answer")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, neverReady), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
		begin := time.Now()
		wantProblem(t, p.Probe(t.Context()), "no dataset worker was ready", "restart the server")
		if spent := time.Since(begin); spent > 20*time.Second {
			t.Errorf("it took %s", spent)
		}
	})
	t.Run("workers that are busy", func(t *testing.T) {
		p := start(t, func(c *Config) { c.Workers, c.probe = 1, 200*time.Millisecond })
		ctx, end := context.WithCancel(datasets.WithAsker(t.Context(), datasets.Asker{UserID: 1}))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = p.Do(ctx, frame.Request{SQL: "sleep"})
		}()
		await.That(t, "the worker is busy", func() bool { return p.Stats().Busy == 1 })
		wantProblem(t, p.Probe(t.Context()), "busy", "KG_DATASET_WORKERS")
		end()
		<-ended
	})
	t.Run("who asks at once gets one outcome", func(t *testing.T) {
		p := start(t, func(c *Config) { c.Workers = 1 })
		for range 5 {
			if err := p.Probe(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if n := p.Stats().Tasks; n != 1 {
			t.Errorf("%d questions were asked, want 1", n)
		}
	})
}

func wantProblem(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(kappa.ErrorMessage(err), part) {
			t.Errorf("got %v, want %q in it", err, part)
		}
	}
}
