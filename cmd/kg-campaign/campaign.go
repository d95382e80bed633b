package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/migrations"
)

// stopLimit is how long PostgreSQL may take to stop.
const stopLimit = 30 * time.Second

// campaign is one run.
type campaign struct {
	cfg      config
	database *database
	witness  *witness
	proxies  []*proxy // one for each server, and the campaign's own last
	servers  []*server
	store    *postgres.Store
	dsn      string // the campaign's own way to the database
}

// run carries out a campaign and returns its figures and what it violated. An
// error means that it could not be carried out.
func run(ctx context.Context, cfg config) (figures, []violation, error) {
	if err := cfg.validate(); err != nil {
		return figures{}, nil, err
	}
	began := time.Now()
	c := &campaign{cfg: cfg, database: newDatabase(filepath.Join(cfg.Dir, "pg"), slog.New(slog.DiscardHandler))}
	var parts sync.WaitGroup
	partsCtx, stopParts := context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
		defer cancel()
		_ = c.database.stop(stopCtx) // its data is not needed any more
		stopParts()
		parts.Wait()
	}()
	if err := c.start(ctx, partsCtx, &parts); err != nil {
		return figures{}, nil, err
	}
	defer c.killServers()
	o, err := c.work(ctx)
	if err != nil {
		return figures{}, nil, err
	}
	stopParts() // the witness and the proxies have nothing to do any more
	parts.Wait()
	o.witnessed = c.witness.counts()
	f, violations, err := c.judge(ctx, o)
	f.Took = time.Since(began)
	return f, violations, err
}

// start starts PostgreSQL, the proxies, the witness and the servers.
func (c *campaign) start(ctx, partsCtx context.Context, parts *sync.WaitGroup) error {
	if err := c.database.start(ctx); err != nil {
		return err
	}
	w, err := newWitness(c.cfg.Dir)
	if err != nil {
		return err
	}
	c.witness = w
	parts.Go(func() { w.run(partsCtx) })
	for i := range c.cfg.Servers + 1 {
		dir := filepath.Join(c.cfg.Dir, "p"+strconv.Itoa(i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		p := newProxy(dir, c.database.socket, c.cfg.Log)
		listener, err := p.listen(ctx)
		if err != nil {
			return fmt.Errorf("open a proxy: %w", err)
		}
		parts.Go(func() { p.run(partsCtx, listener) })
		c.proxies = append(c.proxies, p)
	}
	c.dsn = c.proxies[c.cfg.Servers].dsn(databaseUser, databaseName)
	if err := migrations.Up(ctx, c.dsn, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	if err := prepare(ctx, c.dsn, c.cfg.Servers); err != nil {
		return err
	}
	return c.startServers(ctx)
}

// startServers starts the servers at once.
func (c *campaign) startServers(ctx context.Context) error {
	errs := make([]error, c.cfg.Servers)
	var group sync.WaitGroup
	for i := range c.cfg.Servers {
		s := &server{
			index: i, program: c.cfg.Program, dir: c.cfg.Dir, lease: c.cfg.Lease, witness: c.witness.path, proxy: c.proxies[i], log: c.cfg.Log,
		}
		c.servers = append(c.servers, s)
		group.Go(func() { errs[i] = s.start(ctx) })
	}
	group.Wait()
	return errors.Join(errs...)
}

func (c *campaign) killServers() {
	for _, s := range c.servers {
		s.kill()
	}
}

// work submits the jobs under faults, lets the queue drain and stops the
// servers.
func (c *campaign) work(ctx context.Context) (*outcome, error) {
	o := &outcome{config: c.cfg}
	var err error
	c.store, err = postgres.Open(ctx, postgres.Config{DSN: c.dsn, JobConns: submitters + 3, GraphConns: 1, AuthConns: 1})
	if err != nil {
		return nil, err
	}
	defer c.store.Close()
	sampleCtx, stopSampling := context.WithCancel(ctx)
	sampler := &sampler{dsn: c.dsn}
	var sampling sync.WaitGroup
	sampling.Go(func() { sampler.run(sampleCtx) })
	err = c.underFaults(ctx, o)
	if err == nil {
		err = c.drain(ctx)
	}
	stopSampling()
	sampling.Wait()
	if err != nil {
		return nil, err
	}
	o.sampled = sampler.result()
	o.leftovers = c.stopServers()
	if o.logs, err = readLogs(c.servers); err != nil {
		return nil, err
	}
	return o, noteFaults(ctx, c.dsn, o.faults)
}

// underFaults submits and injects at once.
func (c *campaign) underFaults(ctx context.Context, o *outcome) error {
	submits := newSubmitter(c.cfg.Seed, c.store, c.servers, c.cfg.Log)
	faults := &injector{dsn: c.dsn, database: c.database, store: c.store, servers: c.servers, log: c.cfg.Log}
	var group sync.WaitGroup
	group.Go(func() { o.submitted = submits.run(ctx, c.cfg.Jobs, c.cfg.span()) })
	var err error
	o.faults, err = faults.run(ctx, schedule(c.cfg.Seed, c.cfg.Faults, c.cfg.Servers, c.cfg.Every, c.cfg.Lease))
	group.Wait()
	return errors.Join(err, ctx.Err())
}

// stopServers stops the servers as an operator would, and returns what did not
// end well.
func (c *campaign) stopServers() []string {
	var found []string
	for _, s := range c.servers {
		inTime, clean := s.stop()
		switch {
		case !inTime:
			found = append(found, fmt.Sprintf("server %d did not stop within %s", s.index, serverExit))
		case !clean:
			found = append(found, fmt.Sprintf("server %d stopped with an error", s.index))
		}
	}
	return found
}

// judge checks the invariants, past the proxies, and reads the figures.
func (c *campaign) judge(ctx context.Context, o *outcome) (figures, []violation, error) {
	dsn := fmt.Sprintf("host=%s port=5432 user=%s dbname=%s sslmode=disable", filepath.Dir(c.database.socket()), databaseUser, databaseName)
	violations, err := verify(ctx, dsn, o)
	if err != nil {
		return figures{}, nil, err
	}
	f, err := measure(ctx, dsn, o)
	if err == nil && len(violations) > 0 {
		f.Histories, err = histories(ctx, dsn, violations)
	}
	return f, violations, err
}
