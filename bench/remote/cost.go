package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/internal/pgembed"
)

const ticksPerSecond = 100 // of /proc, on every Linux that Go runs on

// cost is what the server, its PostgreSQL and the workers here have used so far. It
// hardly depends on what else the machine does.
type cost struct {
	server, database, workers time.Duration // of processors
	transactions              int
}

// startCluster starts a PostgreSQL for the server, which can be asked what it has done.
func startCluster(ctx context.Context, statements bool) (*pgembed.Cluster, string, error) {
	dir, err := os.MkdirTemp("", "kg-bench-")
	if err != nil {
		return nil, "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // another user runs the cluster when this one is root
		return nil, dir, err
	}
	cfg := pgembed.Config{Dir: filepath.Join(dir, "postgres"), MaxConnections: 200}
	if statements {
		cfg.Settings = statementSettings()
	}
	c, err := pgembed.Start(ctx, cfg)
	return c, dir, err
}

// cost reads it.
func (b *bench) cost(ctx context.Context) (c cost, err error) {
	conn, err := pgx.Connect(ctx, b.cluster.DSN(pgembed.Database))
	if err != nil {
		return c, err
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, `SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()`).Scan(&c.transactions); err != nil {
		return c, err
	}
	postmaster, err := os.ReadFile(filepath.Join(b.dir, "postgres", "data", "postmaster.pid"))
	if err != nil {
		return c, err
	}
	first, _, _ := strings.Cut(string(postmaster), "\n")
	database, err := strconv.Atoi(first)
	if err != nil {
		return c, err
	}
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return c, err
	}
	for _, path := range paths {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		parent, _ := strconv.Atoi(fields[1])
		own := ticksOf(fields[11]) + ticksOf(fields[12])
		switch {
		case pid == os.Getpid():
			c.workers += own
		case pid == b.s.PID():
			c.server += own
		case pid == database: // and its children that have ended
			c.database += own + ticksOf(fields[13]) + ticksOf(fields[14])
		case parent == database:
			c.database += own
		}
	}
	return c, nil
}

func ticksOf(field string) time.Duration {
	n, _ := strconv.Atoi(field)
	return time.Duration(n) * time.Second / ticksPerSecond
}

// since says what each of so many runs has cost since before.
func (c cost) since(before cost, runs int) string {
	each := func(d time.Duration) time.Duration { return (d / time.Duration(runs)).Round(time.Microsecond) }
	return fmt.Sprintf("each took %s of the server's processor, %s of the database's and %s of the workers', and %.2f transactions",
		each(c.server-before.server), each(c.database-before.database), each(c.workers-before.workers), float64(c.transactions-before.transactions)/float64(runs))
}
