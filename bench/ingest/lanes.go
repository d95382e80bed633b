package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/work"
)

// The demands on servers that all run the lanes, each on a processor of its own.
const (
	laneServers   = 3
	leastGain     = 2.2 // × one server, where there are as many processors
	leastNoLoss   = 0.9 // where there are fewer
	mostIdle      = 3.0 // transactions a second of each server
	laneDocuments = 120
	laneSlots     = 6
	idleFor       = 40 * time.Second
	// idleFrom is how long after the work the servers are idle for the database, too: a
	// session reports its transactions once a second, and the last ones when it has been
	// quiet for ten. TestIdle_Slow waits as long.
	idleFrom = 20 * time.Second
)

// lanes compares one server with three that all run the lanes, on one database. Each has
// one processor, as if it were a machine of its own.
func (b *bench) lanes(ctx context.Context) error {
	one, _, err := b.onServers(ctx, 1, "leader")
	if err != nil {
		return err
	}
	three, idle, err := b.onServers(ctx, laneServers, "all")
	if err != nil {
		return err
	}
	least := leastNoLoss
	if runtime.NumCPU() >= laneServers {
		least = leastGain
	}
	gain := three / one
	fmt.Printf("lanes on every server: one server of one processor %.0f words/s, %d of them with KG_LANES=all %.0f words/s: %.2f ×, must be ≥ %.1f on %d processors: %s\n",
		one, laneServers, three, gain, least, runtime.NumCPU(), b.verdict(gain >= least))
	fmt.Printf("idle, each of %d servers makes %.1f transactions a second, must be ≤ %.0f: %s\n\n", laneServers, idle, mostIdle, b.verdict(idle <= mostIdle))
	return nil
}

// onServers ingests documents on so many servers. It returns the words per second, and
// the transactions per second and server when nothing is to be done.
func (b *bench) onServers(ctx context.Context, servers int, lanes string) (speed, idle float64, err error) {
	dir, err := os.MkdirTemp("", "kg-bench-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // another user runs the cluster when this one is root
		return 0, 0, err
	}
	cluster, err := pgembed.Start(ctx, pgembed.Config{Dir: filepath.Join(dir, "postgres"), MaxConnections: 300})
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = cluster.Stop(context.WithoutCancel(ctx)) }()
	dsn := cluster.DSN(pgembed.Database)
	settings := []string{"DATABASE_URL=" + dsn, "KG_LANES=" + lanes, "GOMAXPROCS=1"}
	first, err := serving.Start(ctx, b.kg, settings...)
	if err != nil {
		return 0, 0, err
	}
	defer first.Stop()
	for n := 2; n <= servers; n++ {
		home := filepath.Join(dir, fmt.Sprint("server", n))
		if err := os.Mkdir(home, 0o755); err != nil {
			return 0, 0, err
		}
		other, err := serving.Run(b.kg, home, settings...)
		if err != nil {
			return 0, 0, err
		}
		defer other.Stop()
	}
	slots := laneSlots
	if _, err := first.API.Workers.UpdateLane(ctx, "interactive", work.LaneUpdate{MaxSlots: &slots}); err != nil {
		return 0, 0, err
	}
	done, err := (&server{first.API}).ingest(ctx, newCorpus(b.words, 1, vocabulary), 0, laneDocuments)
	if err != nil {
		return 0, 0, err
	}
	time.Sleep(idleFrom)
	before, err := transactions(ctx, dsn)
	if err != nil {
		return 0, 0, err
	}
	time.Sleep(idleFor)
	after, err := transactions(ctx, dsn)
	return done.speed(), float64(after-before) / idleFor.Seconds() / float64(servers), err
}

// transactions counts those that somebody has asked for.
func transactions(ctx context.Context, dsn string) (n int, err error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	err = conn.QueryRow(ctx, `SELECT xact_commit + xact_rollback -
		(SELECT sum(autovacuum_count + autoanalyze_count) FROM pg_stat_all_tables) FROM pg_stat_database WHERE datname = current_database()`).Scan(&n)
	return n, err
}
