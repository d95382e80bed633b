// Package follow follows jobs to their end, several at once, and shows how far
// they are: as bars on a terminal, as lines elsewhere.
package follow

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/work"
)

// AtOnce is how many jobs are followed at once by default; more wait for their turn.
const AtOnce = 16

const (
	redrawEvery = 100 * time.Millisecond // of a live Display
)

// Job is a job to follow and how to name it.
type Job struct{ ID, Name string }

// Outcome is how the following of one job ended.
type Outcome struct {
	Job
	Status work.Status // the last that was heard; "" when nothing was
	Reason string      // of a failed job
	Paused bool        // it awaits approval again
	Err    error       // why it could not be Job to its end; nil otherwise
}

// Display shows the course of several jobs. Its methods are called by one
// goroutine.
type Display interface {
	Update(u client.Update)
	Tick()  // time has passed; a live display draws itself anew
	Close() // leaves the screen in its final state
}

// Follower follows jobs to their end, several at once.
type Follower struct {
	watch   func(ctx context.Context, jobID string, yield func(client.Update, error) bool)
	display Display
	Stop    func(client.Update) bool // ends the following of a job early; nil = never
	Observe func(client.Update)      // sees each update, in order per job; nil = nobody
	AtOnce  int                      // how many jobs are watched at once
}

// New returns a follower that watches through c.
func New(c *client.Client, d Display) *Follower {
	return &Follower{display: d, AtOnce: AtOnce, watch: func(ctx context.Context, jobID string, yield func(client.Update, error) bool) {
		c.Jobs.Watch(ctx, jobID)(yield)
	}}
}

// message is an update of one of the jobs, or how its following ended.
type message struct {
	job    int
	update client.Update
	ended  bool
	err    error
}

// Run follows the jobs and returns their outcomes in the same order. When ctx
// ends it stops, leaves the jobs alone, and returns the context's error with
// what was heard so far.
func (f *Follower) Run(ctx context.Context, jobs []Job) ([]Outcome, error) {
	outcomes := make([]Outcome, len(jobs))
	for i, j := range jobs {
		outcomes[i].Job = j
	}
	news := make(chan message)
	var watches sync.WaitGroup
	watches.Go(func() { f.watchAll(ctx, jobs, news) })
	go func() { watches.Wait(); close(news) }()
	redraw := time.NewTicker(redrawEvery)
	defer redraw.Stop()
	defer f.display.Close()
	for {
		select {
		case <-redraw.C:
			f.display.Tick()
		case n, ok := <-news:
			if !ok {
				return outcomes, ctx.Err()
			}
			f.take(&outcomes[n.job], n)
		}
	}
}

// take records a message on one job.
func (f *Follower) take(o *Outcome, n message) {
	if n.ended {
		o.Err = n.err
		return
	}
	if s := n.update.Status(); s != "" {
		o.Status = s
	}
	if n.update.Kind == work.EventFailed {
		o.Reason = n.update.Reason
	}
	o.Paused = n.update.Paused() || o.Paused && n.update.Status() == ""
	if f.Observe != nil {
		f.Observe(n.update)
	}
	f.display.Update(n.update)
}

// watchAll watches the jobs, as many at once as it may, and returns when the
// last watch has ended.
func (f *Follower) watchAll(ctx context.Context, jobs []Job, news chan<- message) {
	var watches sync.WaitGroup
	defer watches.Wait()
	turns := make(chan struct{}, f.AtOnce)
	for i, j := range jobs {
		turns <- struct{}{}
		watches.Go(func() {
			defer func() { <-turns }()
			news <- message{job: i, ended: true, err: f.watchOne(ctx, i, j.ID, news)}
		})
	}
}

// watchOne passes on the updates of one watch.
func (f *Follower) watchOne(ctx context.Context, job int, id string, news chan<- message) (failed error) {
	f.watch(ctx, id, func(u client.Update, err error) bool {
		if err != nil {
			failed = err
			return false
		}
		news <- message{job: job, update: u}
		return f.Stop == nil || !f.Stop(u)
	})
	return failed
}

// Broken returns why the first job that could not be Job to its end could
// not.
func Broken(outcomes []Outcome) error {
	for _, o := range outcomes {
		if o.Err != nil {
			return fmt.Errorf("watch %s: %w", o.ID, o.Err)
		}
	}
	return nil
}

// Verdict turns the ends of jobs into the error that decides the exit code: the
// first job that failed, else the first that was cancelled or has paused.
func Verdict(outcomes []Outcome) error {
	var cancelled error
	for _, o := range outcomes {
		if o.Paused && cancelled == nil {
			cancelled = &exit.Error{Code: exit.JobCancelled, Err: jobError(o.ID, "has paused: its budget is reached", ""), Hint: "go on with: kg jobs resume " + o.ID + " --budget AMOUNT"}
		}
		switch o.Status {
		case work.StatusFailed:
			return &exit.Error{Code: exit.JobFailed, Err: jobError(o.ID, "failed", o.Reason), Hint: "see: kg jobs status " + o.ID}
		case work.StatusCancelled:
			if cancelled == nil {
				cancelled = &exit.Error{Code: exit.JobCancelled, Err: jobError(o.ID, "was cancelled", "")}
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
