package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa/bench/processor"
	"github.com/kappagraph/kappa/bench/serving"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/migrations"
)

// startCluster starts PostgreSQL with what counts pages and rows, or without it where the
// programs lack it.
func startCluster(ctx context.Context) (*cluster, error) {
	dir, err := os.MkdirTemp("", "kg-bench-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // another user runs the cluster when this one is root
		return nil, err
	}
	c := &cluster{dir: dir, counts: true}
	// What vacuums of itself would do so at one size and not at the other.
	config := pgembed.Config{Dir: filepath.Join(dir, "postgres"), MaxConnections: 200, Settings: map[string]string{
		"autovacuum": "off", "shared_buffers": "512MB", "shared_preload_libraries": "pg_stat_statements",
	}}
	if c.Cluster, err = pgembed.Start(ctx, config); err != nil {
		c.counts = false
		delete(config.Settings, "shared_preload_libraries")
		c.Cluster, err = pgembed.Start(ctx, config)
	}
	return c, err
}

func (c *cluster) close(ctx context.Context) error {
	err := c.Stop(context.WithoutCancel(ctx))
	if err == nil {
		err = os.RemoveAll(c.dir)
	}
	return err
}

// site is a server on a graph.
type site struct {
	size

	graph  *graph
	server *serving.Server
	token  string
	stats  *pgx.Conn // nil: pages are not counted
	data   string    // the directory of PostgreSQL's data
}

// open makes a database with a graph of a size, and starts a server on it.
func (c *cluster) open(ctx context.Context, o options, s size) (*site, error) {
	begin := time.Now()
	name := fmt.Sprintf("graph_%d", s.concepts)
	conn, err := pgx.Connect(ctx, c.DSN(pgembed.Database))
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	_ = conn.Close(ctx) // it was only for this
	if err != nil {
		return nil, err
	}
	dsn := c.DSN(name)
	if err := migrations.Up(ctx, dsn, slog.New(slog.DiscardHandler)); err != nil {
		return nil, err
	}
	out := &site{size: s, data: filepath.Join(c.dir, "postgres", "data")}
	if out.graph, err = fill(ctx, dsn, s, o.vacuum); err != nil {
		return nil, fmt.Errorf("fill a graph: %w", err)
	}
	if out.server, err = serving.Start(ctx, o.kg, "DATABASE_URL="+dsn); err != nil {
		return nil, err
	}
	if out.token, err = out.server.Token(); err != nil {
		return nil, err
	}
	if c.counts {
		if out.stats, err = pgx.Connect(ctx, dsn); err != nil {
			return nil, err
		}
		if _, err := out.stats.Exec(ctx, "CREATE EXTENSION pg_stat_statements SCHEMA public"); err != nil {
			return nil, err
		}
	}
	fmt.Printf("%s: made in %s\n", s, time.Since(begin).Round(time.Second))
	return out, nil
}

func (s *site) close(ctx context.Context) {
	if s.stats != nil {
		_ = s.stats.Close(context.WithoutCancel(ctx)) // the cluster ends next
	}
	s.server.Stop()
}

// client keeps a connection for each of the many that ask at once.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// read is how much PostgreSQL has read for questions so far.
type read struct{ pages, rows int64 }

func (s *site) read(ctx context.Context) (r read, err error) {
	if s.stats == nil {
		return r, nil
	}
	err = s.stats.QueryRow(ctx, `SELECT coalesce(sum(shared_blks_hit + shared_blks_read + local_blks_hit + temp_blks_read), 0)::bigint, coalesce(sum(rows), 0)::bigint
		FROM public.pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query NOT LIKE '%pg_stat_statements%'`).Scan(&r.pages, &r.rows)
	return r, err
}

// processorTime is what the server and PostgreSQL have taken so far.
func (s *site) processorTime() (time.Duration, error) {
	server, err := processor.Of(s.server.PID())
	if err != nil {
		return 0, err
	}
	database, err := processor.OfCluster(s.data)
	return server + database, err
}

// ask asks once, and returns how long the whole answer took and how long it is.
func (s *site) ask(ctx context.Context, q question) (took time.Duration, status, size int, err error) {
	req, err := http.NewRequestWithContext(ctx, q.method, s.server.API.BaseURL()+q.path, strings.NewReader(q.body))
	if err != nil {
		return 0, 0, 0, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	if q.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	begin := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return 0, 0, 0, err
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	return time.Since(begin), resp.StatusCode, int(n), err
}
