package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/notify"
	"github.com/kappagraph/kappa/internal/postgres"
)

const cutOffPoll = 500 * time.Millisecond // the shortest that a lane may have

// wakeUps approves jobs one after the other on an idle system, and prints how
// long after the approval each handler started: with notifications, or cut off
// from them.
func wakeUps(ctx context.Context, dsn string, jobs int, notified bool) error {
	store, err := storeNoops(ctx, dsn, 0)
	if err != nil {
		return err
	}
	defer store.Close()
	started := make(chan time.Time, 1)
	handler := func(context.Context, kappa.Claim) (json.RawMessage, error) {
		started <- time.Now()
		return json.RawMessage(`{}`), nil
	}
	if !notified {
		if err := execute(ctx, dsn, fmt.Sprintf("UPDATE kg_api.worker_lanes SET poll_interval_ms = %d", cutOffPoll.Milliseconds())); err != nil {
			return err
		}
	}
	stop := runLanes(ctx, store, dsn, handler, notified)
	defer stop()
	var waits []time.Duration
	for range jobs {
		job, err := store.SubmitJob(ctx, kappa.NewJob{Type: kappa.TypeNoop, Queue: kappa.DefaultQueue, UserID: kappa.SystemUserID})
		if err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond) // idle between two approvals
		approved := time.Now()
		if err := store.Approve(ctx, job.ID, "bench"); err != nil {
			return err
		}
		select {
		case at := <-started:
			waits = append(waits, at.Sub(approved))
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	at := quantiles(waits)
	if !notified {
		fmt.Printf("the same with notifications cut off, %d jobs, a lane that polls every %s: p50 %s, at most %s (%.2f × the interval)\n",
			jobs, cutOffPoll, at(0.5), at(1), float64(at(1))/float64(cutOffPoll))
		return nil
	}
	fmt.Printf("approval sent → handler started, %d jobs on an idle system: p50 %s, p99 %s, at most %s (the lane polls every 2 s)\n",
		jobs, at(0.5), at(0.99), at(1))
	floor, err := twoCommits(ctx, dsn, jobs)
	if err != nil {
		return err
	}
	at = quantiles(floor)
	fmt.Printf("two commits of one row each, which is what an approval and a claim cannot do without: p50 %s, p99 %s\n", at(0.5), at(0.99))
	return nil
}

// quantiles returns a function that returns quantiles of times.
func quantiles(times []time.Duration) func(share float64) time.Duration {
	slices.Sort(times)
	return func(share float64) time.Duration {
		return times[int(share*float64(len(times)-1))].Round(10 * time.Microsecond)
	}
}

// twoCommits changes a row twice, as often as wakeUps approves a job and after the
// same pauses, and returns how long both commits took together.
func twoCommits(ctx context.Context, dsn string, times int) ([]time.Duration, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing is lost with it
	if err := execute(ctx, dsn, "CREATE TABLE floor (n int)", "INSERT INTO floor VALUES (0)"); err != nil {
		return nil, err
	}
	took := make([]time.Duration, times)
	for i := range took {
		time.Sleep(5 * time.Millisecond)
		began := time.Now()
		for range 2 {
			if _, err := conn.Exec(ctx, "UPDATE floor SET n = n + 1"); err != nil {
				return nil, err
			}
		}
		took[i] = time.Since(began)
	}
	return took, execute(ctx, dsn, "DROP TABLE floor")
}

// dispatchStore is what the lanes need of the store.
type dispatchStore interface {
	Register(ctx context.Context, w kappa.Worker, version string, lease time.Duration) error
	Unregister(ctx context.Context, workerID string) error
	Lanes(ctx context.Context) ([]kappa.Lane, error)
	Claim(ctx context.Context, r kappa.ClaimRequest) (kappa.ClaimBatch, error)
	Finish(ctx context.Context, worker string, outcomes []kappa.Outcome) (map[string]kappa.Status, error)
	Locked(ctx context.Context, jobIDs []string) ([]string, error)
	DialHeartbeat(ctx context.Context, limit time.Duration) (*postgres.HeartbeatSession, error)
}

// runLanes runs the lanes as kg serve does, with their listener unless they are
// not to be notified, until stop is called.
func runLanes(ctx context.Context, store dispatchStore, dsn string, handler kappa.Handler, notified bool) (stop func()) {
	finisher := lanes.NewFinisher(store, quiet)
	runner := lanes.NewRunner(map[string]kappa.Handler{kappa.TypeNoop: handler}, finisher, quiet)
	var manager *lanes.Manager
	worker := lanes.NewWorker(lanes.WorkerConfig{
		ID: lanes.NewID(), Hostname: "bench", PID: os.Getpid(), Version: "bench", Store: store, Log: quiet,
		Live: func() { manager.WakeAll() },
		Dial: func(ctx context.Context) (lanes.Heartbeat, error) {
			return store.DialHeartbeat(ctx, 2*time.Second)
		},
	}, runner)
	manager = lanes.NewManager(store, worker, runner, quiet)
	listener := notify.NewListener(notify.ListenConfig{
		DSN: dsn, ID: "bench", Log: quiet,
		Handle: map[string]func(string){notify.ChannelLanes: manager.Wake},
		Resync: manager.WakeAll,
	})
	runCtx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	services := []func(context.Context) error{finisher.Run, worker.Run, manager.Run}
	if notified {
		services = append(services, listener.Run)
	}
	for _, run := range services {
		group.Go(func() { _ = run(runCtx) }) // each returns nil
	}
	return func() {
		cancel()
		group.Wait()
	}
}
