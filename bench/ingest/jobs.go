package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/internal/pgproxy"
	"github.com/kappagraph/kappa/work"
)

const (
	jobsAtOnce    = 8
	leastTogether = 3 // times as fast as one job, at least
	graphPool     = "kg-graph"
)

// jobs measures whether jobs that write the graph at once wait for each other. Two
// processors cannot show that; so each message between the server and the database waits for
// 15 ms when it is about the graph, as from far away: who writes waits, and does not
// compute.
func (b *bench) jobs(ctx context.Context) (err error) {
	cluster, err := serving.StartCluster(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close(ctx)) }()
	sockets := filepath.Join(cluster.Dir, "far")
	if err := os.Mkdir(sockets, 0o755); err != nil {
		return err
	}
	dsn := cluster.DSN(pgembed.Database)
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return err
	}
	_, socket := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	proxy := pgproxy.New(sockets, func() string { return socket }, slog.New(slog.DiscardHandler))
	listener, err := proxy.Listen(ctx)
	if err != nil {
		return err
	}
	proxyCtx, stop := context.WithCancel(ctx)
	var served sync.WaitGroup
	served.Go(func() { proxy.Run(proxyCtx, listener) })
	defer served.Wait()
	defer stop()
	started, err := serving.Start(ctx, b.kg, "DATABASE_URL="+proxy.DSN(dsn))
	if err != nil {
		return err
	}
	defer started.Stop()
	server, slots := &server{started.API}, jobsAtOnce
	if _, err := server.Workers.UpdateLane(ctx, "interactive", work.LaneUpdate{MaxSlots: &slots}); err != nil {
		return err
	}
	proxy.Set(graphPool, pgproxy.Slow)
	one, err := b.chunksPerSecond(ctx, server, 0, 1)
	if err != nil {
		return err
	}
	all, err := b.chunksPerSecond(ctx, server, 1, jobsAtOnce)
	if err != nil {
		return err
	}
	proxy.Set(graphPool, pgproxy.Pass)
	fmt.Printf("jobs at once, a database that is 15 ms away in each direction: one job stores %.2f chunks/s, %d jobs %.2f: %.1f times as many, must be ≥ %d: %s\n",
		one, jobsAtOnce, all, all/one, leastTogether, b.verdict(all >= leastTogether*one))
	return nil
}

// chunksPerSecond ingests so many documents at once, each by a job of its own.
func (b *bench) chunksPerSecond(ctx context.Context, s *server, first, documents int) (float64, error) {
	const words = 200 // in a chunk
	source := newCorpus(b.delayedChunks*words, 7, vocabulary)
	target, overlap, chunks := words, 0, 0
	ids := make([]string, documents)
	for d := range documents {
		submitted, err := s.Documents.Submit(ctx, client.Document{
			Body: []byte(source.document(first + d)), Filename: fmt.Sprintf("far-%d.txt", first+d), Ontology: "bench",
			Chunking: corpus.ChunkRequest{TargetWords: &target, OverlapWords: &overlap},
		})
		if err != nil {
			return 0, err
		}
		ids[d] = submitted.JobID
	}
	for _, id := range ids { // the analysis is not what is measured
		if err := s.reach(ctx, id, work.StatusAwaitingApproval); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	for _, id := range ids {
		if _, err := s.Jobs.Approve(ctx, id); err != nil {
			return 0, err
		}
	}
	for _, id := range ids {
		job, err := s.await(ctx, id)
		if err != nil {
			return 0, err
		}
		chunks += work.ReadIngestionProgress(job.Progress.Counters).ChunksTotal
	}
	return float64(chunks) / time.Since(began).Seconds(), nil
}
