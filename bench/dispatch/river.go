package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	riverqueue "github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// noopArgs are the arguments of a River job that does nothing.
type noopArgs struct{}

// Kind names the job.
func (noopArgs) Kind() string { return "noop" }

// river returns a contender that works with River: as it comes, or with many
// workers and the shortest pause between fetches.
func river(tuned bool) func(ctx context.Context, dsn string, jobs int) (time.Duration, error) {
	return func(ctx context.Context, dsn string, jobs int) (time.Duration, error) {
		cfg, err := pgxpool.ParseConfig(dsn)
		if err != nil {
			return 0, err
		}
		cfg.MaxConns = 20
		pool, err := pgxpool.NewWithConfig(ctx, cfg)
		if err != nil {
			return 0, err
		}
		defer pool.Close()
		migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: quiet})
		if err != nil {
			return 0, err
		}
		if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return 0, err
		}
		return workRiver(ctx, pool, dsn, jobs, tuned)
	}
}

func workRiver(ctx context.Context, pool *pgxpool.Pool, dsn string, jobs int, tuned bool) (time.Duration, error) {
	if err := exec(ctx, dsn, "TRUNCATE river_job CASCADE"); err != nil {
		return 0, err
	}
	workers := riverqueue.NewWorkers()
	riverqueue.AddWorker(workers, riverqueue.WorkFunc(func(context.Context, *riverqueue.Job[noopArgs]) error { return nil }))
	cfg := &riverqueue.Config{
		Workers: workers, Logger: quiet,
		Queues: map[string]riverqueue.QueueConfig{riverqueue.QueueDefault: {MaxWorkers: 100}},
	}
	if tuned {
		cfg.FetchCooldown, cfg.FetchPollInterval = riverqueue.FetchCooldownMin, riverqueue.FetchPollIntervalMin
		cfg.Queues = map[string]riverqueue.QueueConfig{riverqueue.QueueDefault: {MaxWorkers: 2000}}
	}
	client, err := riverqueue.NewClient(riverpgxv5.New(pool), cfg)
	if err != nil {
		return 0, err
	}
	if err := insertRiver(ctx, client, jobs); err != nil {
		return 0, err
	}
	if err := exec(ctx, dsn, "VACUUM ANALYZE river_job", "CHECKPOINT"); err != nil {
		return 0, err
	}
	events, cancel := client.SubscribeConfig(&riverqueue.SubscribeConfig{ChanSize: jobs + 10, Kinds: []riverqueue.EventKind{riverqueue.EventKindJobCompleted}})
	defer cancel()
	var done atomic.Int64
	began := time.Now()
	if err := client.Start(ctx); err != nil {
		return 0, err
	}
	for done.Add(1) <= int64(jobs) {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-events:
		}
	}
	took := time.Since(began)
	return took, client.Stop(ctx)
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
