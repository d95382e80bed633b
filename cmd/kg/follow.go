package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
)

const (
	watchesAtOnce = 16                     // unless told otherwise; more jobs wait for their turn
	redrawEvery   = 100 * time.Millisecond // of a live display
)

// followed is a job to follow and how to name it.
type followed struct{ id, name string }

// outcome is how the following of one job ended.
type outcome struct {
	followed
	status kappa.Status // the last that was heard; "" when nothing was
	reason string       // of a failed job
	err    error        // why it could not be followed to its end; nil otherwise
}

// display shows the course of several jobs. Its methods are called by one
// goroutine.
type display interface {
	update(client.Update)
	tick()  // time has passed; a live display draws itself anew
	close() // leaves the screen in its final state
}

// follower follows jobs to their end, several at once.
type follower struct {
	watch   func(ctx context.Context, jobID string, yield func(client.Update, error) bool)
	display display
	stop    func(client.Update) bool // ends the following of a job early; nil = never
	observe func(client.Update)      // sees each update, in order per job; nil = nobody
	atOnce  int                      // how many jobs are watched at once
}

// newFollower returns a follower that watches through c.
func newFollower(c *client.Client, d display) *follower {
	return &follower{display: d, atOnce: watchesAtOnce, watch: func(ctx context.Context, jobID string, yield func(client.Update, error) bool) {
		c.Watch(ctx, jobID)(yield)
	}}
}

// told is an update of one of the jobs, or how its following ended.
type told struct {
	job    int
	update client.Update
	ended  bool
	err    error
}

// run follows the jobs and returns their outcomes in the same order. When ctx
// ends it stops, leaves the jobs alone, and returns the context's error with
// what was heard so far.
func (f *follower) run(ctx context.Context, jobs []followed) ([]outcome, error) {
	outcomes := make([]outcome, len(jobs))
	for i, j := range jobs {
		outcomes[i].followed = j
	}
	news := make(chan told)
	var watches sync.WaitGroup
	watches.Go(func() { f.watchAll(ctx, jobs, news) })
	go func() { watches.Wait(); close(news) }()
	redraw := time.NewTicker(redrawEvery)
	defer redraw.Stop()
	defer f.display.close()
	for {
		select {
		case <-redraw.C:
			f.display.tick()
		case n, ok := <-news:
			if !ok {
				return outcomes, ctx.Err()
			}
			f.take(&outcomes[n.job], n)
		}
	}
}

// take notes what was told of one job.
func (f *follower) take(o *outcome, n told) {
	if n.ended {
		o.err = n.err
		return
	}
	if s := n.update.Status(); s != "" {
		o.status = s
	}
	if n.update.Kind == kappa.EventFailed {
		o.reason = n.update.Reason
	}
	if f.observe != nil {
		f.observe(n.update)
	}
	f.display.update(n.update)
}

// watchAll watches the jobs, as many at once as it may, and returns when the
// last watch has ended.
func (f *follower) watchAll(ctx context.Context, jobs []followed, news chan<- told) {
	var watches sync.WaitGroup
	defer watches.Wait()
	turns := make(chan struct{}, f.atOnce)
	for i, j := range jobs {
		turns <- struct{}{}
		watches.Go(func() {
			defer func() { <-turns }()
			news <- told{job: i, ended: true, err: f.watchOne(ctx, i, j.id, news)}
		})
	}
}

// watchOne passes on what one watch tells.
func (f *follower) watchOne(ctx context.Context, job int, id string, news chan<- told) (failed error) {
	f.watch(ctx, id, func(u client.Update, err error) bool {
		if err != nil {
			failed = err
			return false
		}
		news <- told{job: job, update: u}
		return f.stop == nil || !f.stop(u)
	})
	return failed
}

// broken returns why the first job that could not be followed to its end could
// not.
func broken(outcomes []outcome) error {
	for _, o := range outcomes {
		if o.err != nil {
			return fmt.Errorf("watch %s: %w", o.id, o.err)
		}
	}
	return nil
}

// verdict turns the ends of jobs into the error that decides the exit code: the
// first job that failed, else the first that was cancelled.
func verdict(outcomes []outcome) error {
	var cancelled error
	for _, o := range outcomes {
		switch o.status {
		case kappa.StatusFailed:
			return &exit.Error{Code: exit.JobFailed, Err: jobError(o.id, "failed", o.reason), Hint: "see: kg jobs status " + o.id}
		case kappa.StatusCancelled:
			if cancelled == nil {
				cancelled = &exit.Error{Code: exit.JobCancelled, Err: jobError(o.id, "was cancelled", "")}
			}
		}
	}
	return cancelled
}

// jobError says how a job ended.
func jobError(id, how, reason string) error {
	if reason == "" {
		return fmt.Errorf("job %s %s", id, how)
	}
	return fmt.Errorf("job %s %s: %s", id, how, reason)
}
