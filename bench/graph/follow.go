package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/graph/follow"
	"github.com/kappagraph/kappa/internal/graphgen"
	"github.com/kappagraph/kappa/internal/notify"
	"github.com/kappagraph/kappa/internal/postgres"
)

const (
	followCommits = 500
	followMust    = 50 * time.Millisecond
	loadMust      = 2 * time.Second
	seenLimit     = 10 * time.Second
)

// follow measures how long the graph in memory takes to load, and how long after its
// commit a relationship is seen by queries.
func (b *bench) follow(ctx context.Context) error {
	dsn, err := b.newDatabase(ctx, "follow")
	if err != nil {
		return err
	}
	shape := graphgen.Medium
	if err := graphgen.Fill(ctx, dsn, shape.Concepts, shape.Make()); err != nil {
		return err
	}
	db, err := postgres.Open(ctx, postgres.Config{DSN: dsn})
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	f := follow.New(follow.Config{Store: db.Graph(), Limit: 1 << 30, Log: slog.New(slog.DiscardHandler)})
	heard := make(chan struct{}, 1)
	listener := notify.NewListener(notify.ListenConfig{
		DSN: dsn, ID: "bench", Log: slog.New(slog.DiscardHandler), Resync: func() { heard <- struct{}{} },
		Handle: map[string]func(string){"kg_graph": func(string) { f.Wake() }},
	})
	var running sync.WaitGroup
	defer running.Wait()
	serving, stop := context.WithCancel(ctx)
	defer stop()
	running.Go(func() { _ = listener.Run(serving) })
	<-heard
	running.Go(func() { _ = f.Run(serving) })
	if err := seen(ctx, 10*seenLimit, func() bool { return f.View() != nil }); err != nil {
		return err
	}
	loaded := f.Figures()
	var rows [][]string
	for _, gap := range []time.Duration{0, 5 * time.Millisecond, 50 * time.Millisecond} {
		took, err := commits(ctx, conn, f, gap)
		if err != nil {
			return err
		}
		rows = append(rows, []string{
			"commit → seen, one after another, " + ms(gap) + " between", ms(at(took, 0.5)), ms(at(took, 0.95)),
			"p95 ≤ " + ms(followMust), b.report.verdict(at(took, 0.95) <= followMust),
		})
	}
	load := time.Duration(loaded.LoadSeconds * float64(time.Second))
	rows = append(rows, []string{"load of 50,000 concepts, 500,000 relationships", ms(load), "", "≤ " + ms(loadMust), b.report.verdict(load <= loadMust)})
	b.report.table("the graph in memory", []string{"what", "p50", "p95", "must", ""}, rows)
	return nil
}

// commits adds relationships between concepts that have none, and returns how long
// after its commit each was seen.
func commits(ctx context.Context, conn *pgx.Conn, f *follow.Follower, gap time.Duration) ([]time.Duration, error) {
	var took []time.Duration
	for n := range int32(followCommits) {
		// The Follower lets go of the graph when ctx ends, and after a stall of the
		// machine, until its next read.
		v := f.View()
		if err := seen(ctx, seenLimit, func() bool { v = f.View(); return v != nil }); err != nil {
			return nil, fmt.Errorf("%w: %+v", err, f.Figures())
		}
		before := v.Degree(n + 1)
		if _, err := conn.Exec(ctx, `INSERT INTO kg_api.edges (src, dst, type, confidence)
			SELECT $1, d, 1, 0.5 FROM generate_series(1, 50000) d WHERE d <> $1
				AND NOT EXISTS (SELECT FROM kg_api.edges e WHERE e.src = $1 AND e.dst = d) LIMIT 1`, n+1); err != nil {
			return nil, err
		}
		began := time.Now()
		// The edge of another concept may have come to this one: any more will do.
		if err := seen(ctx, seenLimit, func() bool { v = f.View(); return v != nil && v.Degree(n+1) > before }); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
		time.Sleep(gap)
	}
	return took, nil
}

var errUnseen = errors.New("the graph in memory did not follow")

// seen waits for a condition.
func seen(ctx context.Context, limit time.Duration, condition func() bool) error {
	for began := time.Now(); !condition(); time.Sleep(50 * time.Microsecond) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if time.Since(began) > limit {
			return errUnseen
		}
	}
	return nil
}
