package graph

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa/knowledge"
)

func TestSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var workers atomic.Int64
		var away atomic.Bool
		workers.Store(3)
		s := NewSettings(func(context.Context) (knowledge.GraphSettings, error) {
			if away.Load() {
				return knowledge.GraphSettings{}, errors.New("the database is away")
			}
			return knowledge.GraphSettings{MaxWorkers: int(workers.Load())}, nil
		}, 0, slog.New(slog.DiscardHandler))
		want := func(when string, workers int) {
			t.Helper()
			synctest.Wait()
			if got := s.Now().MaxWorkers; got != workers {
				t.Errorf("%s: %d workers, want %d", when, got, workers)
			}
		}
		want("before the first read", 8)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		want("at the start", 3)
		workers.Store(5)
		s.Wake()
		want("when it is woken", 5)
		workers.Store(6)
		time.Sleep(rereadSettings)
		want("without a notification, after 15 s", 6)
		away.Store(true)
		s.Wake()
		want("while the database is away", 6)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestMoreWorkersThanConnections wants the rule that max_workers is at most the connections less
// two to be kept, and to be said when the settings break it: at the start and after each change,
// once.
func TestMoreWorkersThanConnections(t *testing.T) {
	for connections := 2; connections <= 200; connections++ {
		if most := MostWorkers(connections); most > connections-2 || most < 0 {
			t.Fatalf("%d connections have %d workers", connections, most)
		}
	}
	if most := MostWorkers(0); most != knowledge.MaxGraphWorkers {
		t.Errorf("any number of connections has %d workers", most)
	}
	var log bytes.Buffer
	is := knowledge.GraphSettings{MaxWorkers: 32}
	s := NewSettings(func(context.Context) (knowledge.GraphSettings, error) { return is, nil }, 20, slog.New(slog.NewTextHandler(&log, nil)))
	for _, tt := range []struct{ workers, warnings int }{{32, 1}, {32, 1}, {10, 1}, {11, 2}, {8, 2}, {32, 3}} {
		is.MaxWorkers = tt.workers
		if err := s.runOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(log.String(), "KG_POOL_GRAPH"); n != tt.warnings || s.Now().MaxWorkers != tt.workers {
			t.Fatalf("with %d workers there are %d warnings, want %d: %s", tt.workers, n, tt.warnings, log.String())
		}
	}
	if !strings.Contains(log.String(), "max_workers=32 workers=10") {
		t.Error(log.String())
	}
	log.Reset()
	is = knowledge.DefaultGraphSettings() // that nobody has changed
	if err := NewSettings(func(context.Context) (knowledge.GraphSettings, error) { return is, nil }, 10, slog.New(slog.NewTextHandler(&log, nil))).runOnce(t.Context()); err != nil || !strings.Contains(log.String(), "max_workers=8 workers=4") {
		t.Errorf("%v, %s", err, log.String())
	}
}
