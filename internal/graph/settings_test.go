package graph

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
)

func TestSettings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var workers atomic.Int64
		var away atomic.Bool
		workers.Store(3)
		s := NewSettings(func(context.Context) (kappa.GraphSettings, error) {
			if away.Load() {
				return kappa.GraphSettings{}, errors.New("the database is away")
			}
			return kappa.GraphSettings{MaxWorkers: int(workers.Load())}, nil
		}, slog.New(slog.DiscardHandler))
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
