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

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/notify"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/tracing"
	"github.com/kappagraph/kappa/work"
)

const (
	wakeJobs   = 500 // in all rounds together
	wakeRounds = 5   // in which who is measured takes turns: machines have moods
	warmWakes  = 10  // before each round, not measured: plans and caches
	cutOffJobs = 60
	cutOffPoll = 500 * time.Millisecond // the shortest that a lane may have
	rest       = 5 * time.Millisecond   // before each job: the system is idle
)

// waits are how long jobs waited for their handlers: since they were sent to the
// database, and since the answer, when they were surely stored.
type waits struct{ sent, stored []time.Duration }

// measure has jobs start one after the other: prepare returns what stores one, and
// started tells when its handler has started. The first few are not measured.
func (w *waits) measure(ctx context.Context, jobs int, started <-chan time.Time, prepare func() (store func() error, err error)) error {
	for n := range warmWakes + jobs {
		store, err := prepare()
		if err != nil {
			return err
		}
		time.Sleep(rest)
		sent := time.Now()
		if err := store(); err != nil {
			return err
		}
		stored := time.Now()
		select {
		case at := <-started:
			if n >= warmWakes {
				w.sent, w.stored = append(w.sent, at.Sub(sent)), append(w.stored, max(at.Sub(stored), 0))
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// wakeUps prints how long jobs waited that were approved one after the other on
// an idle system, beside River's, and beside two commits, which neither can do
// without.
func wakeUps(ctx context.Context, cluster *pgembed.Cluster) error {
	var kappaWaits, riverWaits waits
	var commits []time.Duration
	for range wakeRounds {
		for _, measure := range []func(dsn string) error{
			func(dsn string) error { return approvals(ctx, dsn, wakeJobs/wakeRounds, true, &kappaWaits) },
			func(dsn string) error { return riverInserts(ctx, dsn, wakeJobs/wakeRounds, &riverWaits) },
			func(dsn string) error {
				took, err := twoCommits(ctx, dsn, wakeJobs/wakeRounds)
				commits = append(commits, took...)
				return err
			},
		} {
			_, err := inEmptyDatabase(ctx, cluster, func(dsn string) (figure, error) { return figure{}, measure(dsn) })
			if err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d jobs, one at a time on an idle system, with notifications\n\n%-60s %9s %9s %9s\n", wakeJobs, "", "p50", "p99", "most")
	for _, line := range []struct {
		name  string
		times []time.Duration
	}{
		{"Kappa, approval stored → handler started", kappaWaits.stored},
		{"Kappa, approval sent → handler started", kappaWaits.sent},
		{"River v0.51, tuned, job stored → worker started", riverWaits.stored},
		{"River v0.51, tuned, job sent → worker started", riverWaits.sent},
		{"two commits of a row each, as an approval and a claim are", commits},
	} {
		at := quantiles(line.times)
		fmt.Printf("%-60s %9s %9s %9s\n", line.name, at(0.5), at(0.99), at(1))
	}
	fmt.Println()
	return nil
}

// cutOff prints how long jobs waited on an idle system without notifications.
func cutOff(ctx context.Context, cluster *pgembed.Cluster) error {
	var w waits
	_, err := inEmptyDatabase(ctx, cluster, func(dsn string) (figure, error) {
		return figure{}, approvals(ctx, dsn, cutOffJobs, false, &w)
	})
	if err != nil {
		return err
	}
	at := quantiles(w.sent)
	fmt.Printf("the same with notifications cut off, %d jobs, a lane that polls every %s: p50 %s, at most %s (%.2f × the interval)\n\n",
		cutOffJobs, cutOffPoll, at(0.5), at(1), float64(at(1))/float64(cutOffPoll))
	return nil
}

// approvals approves jobs one after the other, for lanes that are notified of it,
// or cut off from notifications.
func approvals(ctx context.Context, dsn string, jobs int, notified bool, w *waits) error {
	db, err := storeNoops(ctx, dsn, 0)
	if err != nil {
		return err
	}
	defer db.Close()
	if !notified {
		if err := execute(ctx, dsn, fmt.Sprintf("UPDATE kg_api.worker_lanes SET poll_interval_ms = %d", cutOffPoll.Milliseconds())); err != nil {
			return err
		}
	}
	started := make(chan time.Time, 1)
	defer runLanes(ctx, newLanesDB(db), dsn, func(context.Context, work.Claim) (json.RawMessage, error) {
		started <- time.Now()
		return json.RawMessage(`{}`), nil
	}, notified, nil)()
	return w.measure(ctx, jobs, started, func() (func() error, error) {
		job, err := db.Jobs().SubmitJob(ctx, work.NewJob{Type: work.TypeNoop, Queue: work.DefaultQueue, UserID: access.SystemUserID})
		return func() error { return db.Jobs().Approve(ctx, job.ID, "bench") }, err
	})
}

// quantiles returns a function that returns quantiles of times.
func quantiles(times []time.Duration) func(share float64) time.Duration {
	slices.Sort(times)
	return func(share float64) time.Duration {
		return times[int(share*float64(len(times)-1))].Round(10 * time.Microsecond)
	}
}

// twoCommits changes a row twice, after the same rests as a job is approved, and
// returns how long both commits took together.
func twoCommits(ctx context.Context, dsn string, times int) ([]time.Duration, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	if err := execute(ctx, dsn, "CREATE TABLE floor (n int)", "INSERT INTO floor VALUES (0)"); err != nil {
		return nil, err
	}
	took := make([]time.Duration, times)
	for i := range took {
		time.Sleep(rest)
		began := time.Now()
		for range 2 {
			if _, err := conn.Exec(ctx, "UPDATE floor SET n = n + 1"); err != nil {
				return nil, err
			}
		}
		took[i] = time.Since(began)
	}
	return took, nil
}

// dispatchStore is what the lanes need of the store.
type dispatchStore interface {
	Register(ctx context.Context, w work.Worker, version string, lease time.Duration) error
	Unregister(ctx context.Context, workerID string) error
	Lanes(ctx context.Context) ([]work.Lane, error)
	Claim(ctx context.Context, r work.ClaimRequest) (work.ClaimBatch, error)
	Finish(ctx context.Context, worker string, outcomes []work.Outcome) (map[string]work.Status, error)
	Locked(ctx context.Context, jobIDs []string) ([]string, error)
	DialHeartbeat(ctx context.Context, limit time.Duration) (*postgres.HeartbeatSession, error)
}

// lanesDB is a database for the lanes.
type lanesDB struct {
	postgres.ClaimStore
	postgres.LaneStore
	postgres.WorkerStore
	sessions *postgres.DB
}

func newLanesDB(db *postgres.DB) lanesDB { return lanesDB{db.Claims(), db.Lanes(), db.Workers(), db} }

// DialHeartbeat opens a connection for the heartbeat.
func (d lanesDB) DialHeartbeat(ctx context.Context, limit time.Duration) (*postgres.HeartbeatSession, error) {
	return d.sessions.DialHeartbeat(ctx, limit)
}

// runLanes runs the lanes as kg serve does, with their listener unless they are
// not to be notified, until stop is called.
func runLanes(ctx context.Context, store dispatchStore, dsn string, handler work.Handler, notified bool, tracer tracing.Tracer, told ...func(work.EndedAttempt)) (stop func()) {
	finisher := lanes.NewFinisher(store, quiet)
	finisher.Tell(told...)
	types, err := work.NewJobTypes(work.JobType{Name: work.TypeNoop, Lane: "interactive", Handler: handler})
	if err != nil {
		panic(err) // the type above is complete
	}
	runner := lanes.NewRunner(types, finisher, quiet)
	runner.Trace(tracer)
	var manager *lanes.Manager
	worker := lanes.NewWorker(lanes.WorkerConfig{
		ID: lanes.NewID(), Hostname: "bench", PID: os.Getpid(), Version: "bench", Store: store, Log: quiet,
		Live: func() { manager.WakeAll() },
		Dial: func(ctx context.Context) (lanes.Heartbeat, error) {
			return store.DialHeartbeat(ctx, 2*time.Second)
		},
	}, runner)
	manager = lanes.NewManager(lanes.ManagerConfig{Store: store, Worker: worker, Runner: runner, Log: quiet})
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
