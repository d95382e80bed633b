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

	"github.com/kappagraph/kappa/internal/pgproxy"
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
	proxies  []*pgproxy.Proxy // one for each server, and the campaign's own last
	servers  []*server
	access   *apiAccess
	db       *postgres.DB
	dsn      string // the campaign's own way to the database
}

// run carries out a campaign and returns its figures and what it violated. An
// error means that it could not be carried out.
func run(ctx context.Context, cfg config) (figures, []violation, error) {
	if err := cfg.validate(); err != nil {
		return figures{}, nil, err
	}
	began := time.Now()
	c := &campaign{cfg: cfg, access: newAccess(), database: newDatabase(filepath.Join(cfg.Dir, "pg"), slog.New(slog.DiscardHandler))}
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
	o.steps = c.witness.steps()
	stopped := time.Now()
	f, violations, err := c.judge(ctx, o)
	f.Took, f.Drained, f.Judged = time.Since(began), stopped.Sub(o.faultsOver), time.Since(stopped)
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
		p := pgproxy.New(dir, c.database.socket, c.cfg.Log)
		listener, err := p.Listen(ctx)
		if err != nil {
			return fmt.Errorf("open a proxy: %w", err)
		}
		parts.Go(func() { p.Run(partsCtx, listener) })
		c.proxies = append(c.proxies, p)
	}
	c.dsn = c.proxies[c.cfg.Servers].DSN(c.direct(databaseUser))
	if err := migrations.Up(ctx, c.dsn, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	if err := prepare(ctx, c.dsn, c.cfg.Servers, c.database.secret()); err != nil {
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
			index: i, program: c.cfg.Program, dir: c.cfg.Dir, lease: c.cfg.Lease, witness: c.witness.path, lanes: c.cfg.lanes(), proxy: c.proxies[i], log: c.cfg.Log,
		}
		s.dsn = c.direct(roleOfServer(i))
		if c.cfg.Soak == 0 { // the proxies, too, would have no time
			s.dsn = s.proxy.DSN(s.dsn)
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

// direct returns the address of the database past the proxies.
func (c *campaign) direct(user string) string {
	return fmt.Sprintf("host=%s port=5432 user=%s password=%s dbname=%s sslmode=disable",
		filepath.Dir(c.database.socket()), user, c.database.secret(), databaseName)
}

// judge checks the invariants, past the proxies, and reads the figures.
func (c *campaign) judge(ctx context.Context, o *outcome) (figures, []violation, error) {
	dsn := c.direct(databaseUser)
	if err := errors.Join(noteFaults(ctx, dsn, o.faults), noteSteps(ctx, dsn, o.steps)); err != nil {
		return figures{}, nil, err
	}
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
