package remote

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	janitorEvery  = 15 * time.Second
	unservedEvery = time.Minute
	purgeEvery    = time.Hour
	expireBatch   = 500
)

// JanitorConfig is what a Janitor works with.
type JanitorConfig struct {
	Store interface {
		Expire(ctx context.Context, most int) (int, error)
		EndUnheld(ctx context.Context) (int, error)
		PurgeClaims(ctx context.Context) error
		Orphans(ctx context.Context, most int) ([]string, error)
	}
	Cancel  func(ctx context.Context, jobID string) (running bool, err error)
	Expired func(runs int) // is told of reservations that were taken back
	Status  func(ctx context.Context) (work.WorkerStatus, error)
	Log     *slog.Logger
}

// Janitor takes back reservations that nobody confirmed, and warns of work that no
// connected worker takes. The leader runs it.
type Janitor struct {
	cfg  JanitorConfig
	wake kappa.Waker
}

// NewJanitor returns a Janitor; Run makes it work.
func NewJanitor(cfg JanitorConfig) *Janitor {
	kappa.Require(cfg, "Expired")
	return &Janitor{cfg: cfg, wake: kappa.NewWaker()}
}

// Wake has reservations taken back now, of which some are overdue. It returns at once.
func (j *Janitor) Wake() { j.wake.Wake() }

// Run works until ctx ends; it returns nil. What fails is logged and done again.
func (j *Janitor) Run(ctx context.Context) error {
	tick := time.NewTicker(janitorEvery)
	defer tick.Stop()
	var unserved, purged time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-j.wake.C():
			j.do(ctx, "taking back reservations failed", j.expire)
			continue
		case <-tick.C:
		}
		now := time.Now()
		j.do(ctx, "ending claims that hold nothing failed", func(ctx context.Context) error {
			_, err := j.cfg.Store.EndUnheld(ctx)
			return err
		})
		j.do(ctx, "cancelling jobs whose parent has ended failed", j.cancelOrphans)
		if now.Sub(unserved) >= unservedEvery {
			unserved = now
			j.do(ctx, "reading what waits for remote workers failed", j.warnUnserved)
		}
		if now.Sub(purged) >= purgeEvery {
			purged = now
			j.do(ctx, "purging old claims failed", j.cfg.Store.PurgeClaims)
		}
	}
}

func (j *Janitor) do(ctx context.Context, failed string, f func(ctx context.Context) error) {
	callCtx, cancel := context.WithTimeout(ctx, statementLimit)
	defer cancel()
	if err := f(callCtx); err != nil && ctx.Err() == nil {
		j.cfg.Log.WarnContext(ctx, failed, "err", err) //nolint:sloglint // one of four constants
	}
}

func (j *Janitor) expire(ctx context.Context) error {
	for {
		n, err := j.cfg.Store.Expire(ctx, expireBatch)
		if n > 0 {
			j.cfg.Expired(n)
			j.cfg.Log.WarnContext(ctx, "reservations of remote workers expired", "runs", n)
		}
		if err != nil || n < expireBatch {
			return err
		}
	}
}

// cancelOrphans cancels jobs that another one made which has ended.
func (j *Janitor) cancelOrphans(ctx context.Context) error {
	ids, err := j.cfg.Store.Orphans(ctx, expireBatch)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := j.cfg.Cancel(ctx, id); err != nil && kappa.ErrorCode(err) != kappa.CodeConflict && kappa.ErrorCode(err) != kappa.CodeNotFound {
			return err
		}
	}
	return nil
}

// warnUnserved warns of work that no connected worker takes, while there is any.
func (j *Janitor) warnUnserved(ctx context.Context) error {
	status, err := j.cfg.Status(ctx)
	if err != nil {
		return err
	}
	var list []string
	for _, q := range status.Remote.Unserved {
		list = append(list, q.JobType+" in "+q.Queue)
	}
	slices.Sort(list)
	if text := strings.Join(list, ", "); text != "" {
		j.cfg.Log.WarnContext(ctx, "jobs wait, and no connected worker takes them", "waiting", cut(text, 1000))
	}
	return nil
}
