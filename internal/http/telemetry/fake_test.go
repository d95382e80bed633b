package telemetry

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a database with three approved jobs.
type fake struct {
	err   error // what everything fails with, if set
	hangs bool  // it does not answer
}

func (f *fake) config() Config {
	return Config{Health: f, Graph: f, Version: "test", Now: time.Now, Log: slog.New(slog.DiscardHandler)}
}

func newServer(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return apitest.Serve(t, New(f.config()))
}

func (f *fake) Ping(ctx context.Context) error {
	if f.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	return f.err
}

func (f *fake) QueueCounts(ctx context.Context) (map[work.Status]int, error) {
	return map[work.Status]int{work.StatusApproved: 3}, f.Ping(ctx)
}

func (f *fake) Epoch(context.Context) (int64, error) { return 7, f.err }
