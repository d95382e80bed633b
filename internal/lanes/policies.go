package lanes

import (
	"context"
	"log/slog"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

const (
	rereadPolicies  = 30 * time.Second // when no notification comes
	policiesTimeout = 10 * time.Second
	deadlinesEvery  = 500 * time.Millisecond
)

// Policies keeps the policies of job types as the database has them, so that no job asks for
// its own: they are read when they change, and every 30 s.
type Policies struct {
	work.Policies
	read func(ctx context.Context) (map[string]work.PolicyChange, error)
	wake kappa.Waker
	log  *slog.Logger
}

// NewPolicies returns Policies that read reads; before Run they are the program's own.
func NewPolicies(read func(ctx context.Context) (map[string]work.PolicyChange, error), log *slog.Logger) *Policies {
	return &Policies{read: read, wake: kappa.NewWaker(), log: log}
}

// Wake has them read now. It returns at once.
func (p *Policies) Wake() { p.wake.Wake() }

// Run reads them until ctx ends; it returns nil.
func (p *Policies) Run(ctx context.Context) error {
	return kappa.Loop{Name: "reading the policies of job types", Every: rereadPolicies, Wake: p.wake.C(), Log: p.log}.Run(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, policiesTimeout)
		defer cancel()
		chosen, err := p.read(ctx)
		if err == nil {
			p.Set(chosen)
		}
		return err
	})
}

// RunDeadlines ends, until ctx ends, attempts that run longer than the deadline of their job type,
// as it is then: within half a second. It returns nil. A handler that does not heed the end of its
// context keeps its slot until the leader takes the job back; see postgres.QueueStore.RecoverStale.
func (r *Runner) RunDeadlines(ctx context.Context) error {
	tick := time.NewTicker(deadlinesEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case now := <-tick.C:
			r.endOverdue(now)
		}
	}
}

// endOverdue ends the attempts whose deadline has passed.
func (r *Runner) endOverdue(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, run := range r.running {
		if deadline := r.policies.Of(run.claim.JobType).Deadline(); deadline > 0 && now.Sub(run.began) >= deadline {
			run.cancel(work.DeadlineError{Deadline: deadline})
		}
	}
}
