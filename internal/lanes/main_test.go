package lanes

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// rig is a worker with its lanes.
type rig struct {
	store    *fakeStore
	runner   *Runner
	manager  *Manager
	finisher *Finisher
	worker   *Worker
	policies work.Policies             // that runs obey
	stop     func(grace time.Duration) // as the server stops: claims first, then jobs, then the rest
}

func start(t *testing.T, s *fakeStore, handler work.Handler, renew func() error) *rig {
	t.Helper()
	return startWith(t, s, handler, renew, nil)
}

// startWith is start with what polls for all lanes; see ManagerConfig.
func startWith(t *testing.T, s *fakeStore, handler work.Handler, renew func() error, waiting func(context.Context) ([]string, error)) *rig {
	t.Helper()
	r := &rig{store: s, finisher: NewFinisher(s, quiet)}
	r.runner = NewRunner(workTypes(handler), r.finisher, quiet)
	r.runner.Obey(&r.policies)
	r.worker = NewWorker(WorkerConfig{
		ID: "w", Store: s, Log: quiet, Live: func() { r.manager.WakeAll() },
		Dial: func(context.Context) (Heartbeat, error) { return fakeHeartbeat{s, renew}, nil },
	}, r.runner)
	r.manager = NewManager(ManagerConfig{Store: s, Worker: r.worker, Runner: r.runner, Ceiling: s.ceiling, Waiting: waiting, Log: quiet})
	var groups [3]sync.WaitGroup
	var cancels [3]context.CancelFunc
	for i, run := range []func(context.Context) error{r.finisher.Run, r.worker.Run, r.manager.Run} {
		ctx, cancel := context.WithCancel(context.Background())
		cancels[i] = cancel
		groups[i].Go(func() {
			if err := run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	r.stop = func(grace time.Duration) {
		cancels[2]()
		groups[2].Wait()
		r.runner.Drain(context.Background(), grace)
		for _, i := range []int{1, 0} {
			cancels[i]()
			groups[i].Wait()
		}
	}
	return r
}

// workTypes are the job type work, with a handler.
func workTypes(handler work.Handler) *work.JobTypes {
	types, err := work.NewJobTypes(work.JobType{Name: "work", Lane: "interactive", Handler: handler})
	if err != nil {
		panic(err)
	}
	return types
}

func succeed(context.Context, work.Claim) (json.RawMessage, error) {
	return json.RawMessage(`{}`), nil
}

// hang works until its context ends.
func hang(ctx context.Context, _ work.Claim) (json.RawMessage, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}
