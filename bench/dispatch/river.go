package main

import (
	"context"
	"sync/atomic"

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
	quick   bool // with the shortest pauses between fetches that it allows
}

// river returns a contender that works with River.
func river(tuning riverTuning) func(ctx context.Context, l lab, jobs int) (figure, error) {
	return func(ctx context.Context, l lab, jobs int) (figure, error) {
		cfg, err := pgxpool.ParseConfig(l.dsn)
		if err != nil {
			return figure{}, err
		}
		cfg.MaxConns = 20
		pool, err := pgxpool.NewWithConfig(ctx, cfg)
		if err != nil {
			return figure{}, err
		}
		defer pool.Close()
		migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: quiet})
		if err != nil {
			return figure{}, err
		}
		if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return figure{}, err
		}
		return workRiver(ctx, pool, l, jobs, tuning)
	}
}

func workRiver(ctx context.Context, pool *pgxpool.Pool, l lab, jobs int, tuning riverTuning) (figure, error) {
	workers := riverqueue.NewWorkers()
	riverqueue.AddWorker(workers, riverqueue.WorkFunc(func(context.Context, *riverqueue.Job[noopArgs]) error { return nil }))
	cfg := &riverqueue.Config{
		Workers: workers, Logger: quiet,
		Queues: map[string]riverqueue.QueueConfig{riverqueue.QueueDefault: {MaxWorkers: tuning.workers}},
	}
	if tuning.quick {
		cfg.FetchCooldown, cfg.FetchPollInterval = riverqueue.FetchCooldownMin, riverqueue.FetchPollIntervalMin
	}
	client, err := riverqueue.NewClient(riverpgxv5.New(pool), cfg)
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
