package lanes

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	orphanEvery  = time.Second // between two rounds
	orphanRounds = 5           // in which a handler ignores its context before it is an orphan; it should stop within a second
)

// Orphans reports handlers that do not return although their contexts have ended.
// Go cannot end them. They hold no slot once the claim is gone, but memory, a
// processor, or a connection to the database.
type Orphans struct {
	runner *Runner
	log    *slog.Logger

	mu   sync.Mutex // guards list
	list []*orphan  // and those that may become some, in the order in which they were found
}

// orphan is a run whose handler ignores its context.
type orphan struct {
	run    *run
	since  time.Time
	rounds int    // in which it was found
	stack  string // once it is reported
}

func (o *orphan) reported() bool { return o.rounds > orphanRounds }

// NewOrphans returns the Orphans of a Runner; Run makes it find them.
func NewOrphans(runner *Runner, log *slog.Logger) *Orphans {
	return &Orphans{runner: runner, log: log}
}

// Run finds orphans until ctx ends; it returns nil.
func (o *Orphans) Run(ctx context.Context) error {
	return kappa.Loop{Name: "looking for orphans", Every: orphanEvery, Later: true, Log: o.log}.Run(ctx, func(ctx context.Context) error {
		o.runOnce(ctx)
		return nil
	})
}

// runOnce finds the handlers that ignore their contexts. It counts rounds, and not
// time: a process that was stopped for a while has no orphans when it goes on.
func (o *Orphans) runOnce(ctx context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	ignoring := o.runner.ignoring()
	o.list = slices.DeleteFunc(o.list, func(known *orphan) bool {
		returned := !slices.Contains(ignoring, known.run)
		if returned && known.reported() {
			o.log.InfoContext(ctx, "a handler has returned that had ignored its context", known.run.about()...)
		}
		return returned
	})
	for _, run := range ignoring {
		i := slices.IndexFunc(o.list, func(known *orphan) bool { return known.run == run })
		if i < 0 {
			i = len(o.list)
			o.list = append(o.list, &orphan{run: run, since: time.Now()})
		}
		found := o.list[i]
		if found.rounds++; found.rounds == orphanRounds+1 {
			o.reportLocked(ctx, found)
		}
	}
}

// reportLocked logs a new orphan, and gives it up if the lease is lost under which it
// was claimed: it could not hand its job back any more.
func (o *Orphans) reportLocked(ctx context.Context, found *orphan) {
	found.stack = found.run.stack()
	cause := context.Cause(found.run.ctx)
	if found.run.leaseLost() {
		o.runner.giveUp(found.run)
	}
	o.log.ErrorContext(ctx, "a handler works on although its context has ended", append(found.run.about(), "cause", cause, "stack", found.stack)...)
	if err := o.checkLocked(); err != nil {
		o.log.ErrorContext(ctx, "restart the server", "err", err)
	}
}

// List returns the orphans, the oldest first.
func (o *Orphans) List() []work.Orphan {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := []work.Orphan{}
	for _, found := range o.list {
		if c := found.run.claim; found.reported() {
			list = append(list, work.Orphan{
				JobID: c.JobID, JobType: c.JobType, Lane: c.Lane, Attempt: c.Attempt, Since: kappa.At(found.since), Stack: found.stack,
			})
		}
	}
	return list
}

// Check returns an error when there are so many orphans that the server should be
// restarted.
func (o *Orphans) Check() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.checkLocked()
}

func (o *Orphans) checkLocked() error {
	n := 0
	for _, found := range o.list {
		if found.reported() {
			n++
		}
	}
	if n <= work.MaxOrphans {
		return nil
	}
	return kappa.NewError(kappa.CodeUnavailable, fmt.Sprintf("%d handlers do not return although they were told to stop; restart the server", n))
}
