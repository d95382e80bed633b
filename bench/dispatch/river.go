package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	riverqueue "github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// noopArgs are the arguments of a River job that does nothing.
type noopArgs struct{}

// Kind names the job.
func (noopArgs) Kind() string { return "noop" }

// riverTuning is how River is set.
type riverTuning struct {
	workers int
	quick   bool          // with the shortest pause between fetches that it allows
	poll    time.Duration // how often it then looks by itself; 0 is as often as it may
}

// river returns a contender that works with River.
func river(tuning riverTuning) func(ctx context.Context, l lab, jobs int) (figure, error) {
	return func(ctx context.Context, l lab, jobs int) (figure, error) {
		pool, err := riverPool(ctx, l.dsn)
		if err != nil {
			return figure{}, err
		}
		defer pool.Close()
		return workRiver(ctx, pool, l, jobs, tuning)
	}
}

// riverPool prepares River's tables, and returns connections for it.
func riverPool(ctx context.Context, dsn string) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = 20
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: quiet})
	if err == nil {
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// riverClient returns a client whose workers call work.
func riverClient(pool *pgxpool.Pool, tuning riverTuning, work func()) (*riverqueue.Client[pgx.Tx], error) {
	workers := riverqueue.NewWorkers()
	riverqueue.AddWorker(workers, riverqueue.WorkFunc(func(context.Context, *riverqueue.Job[noopArgs]) error {
		work()
		return nil
	}))
	cfg := &riverqueue.Config{
		Workers: workers, Logger: quiet,
		Queues: map[string]riverqueue.QueueConfig{riverqueue.QueueDefault: {MaxWorkers: tuning.workers}},
	}
	if tuning.quick {
		cfg.FetchCooldown, cfg.FetchPollInterval = riverqueue.FetchCooldownMin, max(riverqueue.FetchPollIntervalMin, tuning.poll)
	}
	return riverqueue.NewClient(riverpgxv5.New(pool), cfg)
}

func workRiver(ctx context.Context, pool *pgxpool.Pool, l lab, jobs int, tuning riverTuning) (figure, error) {
	client, err := riverClient(pool, tuning, func() {})
	if err != nil {
		return figure{}, err
	}
	if err := insertRiver(ctx, client, jobs); err != nil {
		return figure{}, err
	}
	if err := execute(ctx, l.dsn, "VACUUM ANALYZE river_job", "CHECKPOINT"); err != nil {
		return figure{}, err
	}
	events, cancel := client.SubscribeConfig(&riverqueue.SubscribeConfig{ChanSize: jobs + 10, Kinds: []riverqueue.EventKind{riverqueue.EventKindJobCompleted}})
	defer cancel()
	var done atomic.Int64
	watch := l.start()
	if err := client.Start(ctx); err != nil {
		return figure{}, err
	}
	for done.Add(1) <= int64(jobs) {
		select {
		case <-ctx.Done():
			return figure{}, ctx.Err()
		case <-events:
		}
	}
	took := watch.stop()
	return took, client.Stop(ctx)
}

// riverInserts inserts jobs one after the other, for a client that is notified of
// it. It fetches as soon as it may, and looks by itself as seldom as Kappa's lane.
func riverInserts(ctx context.Context, dsn string, jobs int, w *waits) error {
	pool, err := riverPool(ctx, dsn)
	if err != nil {
		return err
	}
	defer pool.Close()
	started := make(chan time.Time, 1)
	client, err := riverClient(pool, riverTuning{workers: 100, quick: true, poll: 2 * time.Second}, func() { started <- time.Now() })
	if err != nil {
		return err
	}
	if err := client.Start(ctx); err != nil {
		return err
	}
	err = w.measure(ctx, jobs, started, func() (func() error, error) {
		return func() error {
			_, err := client.Insert(ctx, noopArgs{}, nil)
			return err
		}, nil
	})
	if err != nil {
		return err
	}
	return client.Stop(ctx)
}

// insertRiver stores jobs in batches.
func insertRiver[T any](ctx context.Context, client *riverqueue.Client[T], jobs int) error {
	const batch = 1000
	for stored := 0; stored < jobs; stored += batch {
		params := make([]riverqueue.InsertManyParams, min(batch, jobs-stored))
		for i := range params {
			params[i] = riverqueue.InsertManyParams{Args: noopArgs{}}
		}
		if _, err := client.InsertManyFast(ctx, params); err != nil {
			return err
		}
	}
	return nil
}
