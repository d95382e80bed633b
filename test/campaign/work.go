package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kappagraph/kappa/internal/postgres"
)

// work submits the jobs under faults, lets the queue drain and stops the
// servers.
func (c *campaign) work(ctx context.Context) (*outcome, error) {
	o := &outcome{config: c.cfg}
	var err error
	c.db, err = postgres.Open(ctx, postgres.Config{DSN: c.dsn, JobConns: submitters + 3, GraphConns: 1, AuthConns: 1})
	if err != nil {
		return nil, err
	}
	defer c.db.Close()
	if err := addSchedules(ctx, c.db); err != nil {
		return nil, err
	}
	watched := c.watched
	if c.cfg.Soak > 0 {
		watched = c.soaked
	}
	if err := watched(ctx, o); err != nil {
		return nil, err
	}
	o.leftovers = c.stopServers()
	o.logs, err = readLogs(c.servers, c.access.known())
	return o, err
}

// watched is the part of the work that the sampler and the followers see: the
// faults, and the queue until it is empty.
func (c *campaign) watched(ctx context.Context, o *outcome) error {
	watchCtx, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	sampler := &sampler{dsn: c.dsn}
	gallery := newGallery(c.servers, c.access, c.cfg.Log)
	fresh := make(chan string)
	crowd := newCrowd(c)
	var sampling, following, visiting sync.WaitGroup
	sampling.Go(func() { sampler.run(watchCtx) })
	following.Go(func() { gallery.run(watchCtx, c.cfg.Seed, fresh) })
	visiting.Go(func() { crowd.run(watchCtx, c.cfg.Seed) })
	err := c.underFaults(ctx, o, fresh)
	crowd.close()
	o.faultsOver = time.Now()
	if c.cfg.FaultsOver != nil {
		c.cfg.FaultsOver()
	}
	if err == nil {
		err = c.drain(ctx)
	}
	if err != nil {
		stopWatching()
	}
	late := time.AfterFunc(followEnd, stopWatching)
	defer late.Stop()
	following.Wait()
	visiting.Wait()
	stopWatching()
	sampling.Wait()
	o.sampled, o.followed, o.visited = sampler.result(), gallery.result(), crowd.result(&o.submitted)
	return err
}

// underFaults submits, ticks and injects at once.
func (c *campaign) underFaults(ctx context.Context, o *outcome, fresh chan<- string) error {
	submits := newSubmitter(c, fresh)
	faults := &injector{dsn: c.dsn, database: c.database, db: c.db, servers: c.servers, log: c.cfg.Log}
	tickCtx, stopTicking := context.WithCancel(ctx)
	var group, ticking sync.WaitGroup
	ticking.Go(func() { (&ticker{dsn: c.dsn, log: c.cfg.Log}).run(tickCtx) })
	group.Go(func() { o.submitted = submits.run(ctx, c.cfg.Jobs, c.cfg.span()) })
	var err error
	o.faults, err = faults.run(ctx, schedule(c.cfg.Seed, c.cfg.Faults, c.cfg.Servers, c.cfg.Every, c.cfg.Lease))
	group.Wait()
	o.exits = faults.exits
	stopTicking()
	ticking.Wait()
	return errors.Join(err, ctx.Err())
}
