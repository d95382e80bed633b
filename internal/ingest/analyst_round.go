package ingest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/kappagraph/kappa/work"
)

// idleRound is when a round is made at the latest; polls come sooner.
const idleRound = time.Hour

// round begins what can be begun, and returns after what time the next one is due, if
// nothing happens before.
func (a *Analyst) round(ctx context.Context, runs *sync.WaitGroup) (time.Duration, error) {
	if err := a.uses.flush(ctx, a.cfg.Store.AnalysisUsed); err != nil {
		a.warn(ctx, err)
	}
	if err := a.late(ctx, runs, analysisLongest); err != nil {
		return time.Second, err
	}
	for a.free() > 0 && ctx.Err() == nil {
		if len(a.ready) > 0 {
			job := a.ready[0]
			a.ready = a.ready[1:]
			a.begin(ctx, job, runs)
			continue
		}
		if !a.asking.more {
			return idleRound, a.late(ctx, runs, 0)
		}
		jobs, more, err := a.claim(ctx, nil)
		if err != nil {
			return time.Second, err
		}
		a.ready, a.asking.more = jobs, more
	}
	return a.makeRoom(ctx)
}

func (a *Analyst) claim(ctx context.Context, without []int) (jobs []work.PendingJob, more bool, err error) {
	jobs, more, err = a.cfg.Store.ClaimAnalyses(ctx, work.AnalysisRequest{Server: a.cfg.Server, Lease: analysisLease, Most: analysisBatch, Without: without})
	if err != nil {
		return nil, false, err //nolint:wrapcheck // it says what failed
	}
	for _, job := range jobs {
		a.uses.claimed(job)
	}
	return jobs, more, nil
}

// free returns how many analyses may begin. One that has been stopped counts no more, but for
// as many as there are workers: it may take a while to end.
func (a *Analyst) free() int {
	working := 0
	for _, r := range a.running {
		if !r.over() {
			working++
		}
	}
	return a.cfg.Workers - max(working, len(a.running)-a.cfg.Workers)
}

// late begins documents that missed their first limit and have waited for so long since. At
// least one worker is left for all others.
func (a *Analyst) late(ctx context.Context, runs *sync.WaitGroup, since time.Duration) error {
	for a.free() > 0 && a.lateRunning() < max(a.cfg.Workers/2, 1) && a.asksLate(since) {
		jobs, err := a.cfg.Store.ClaimLateAnalysis(ctx, work.LateRequest{Server: a.cfg.Server, Lease: analysisLease, Since: since})
		if err != nil {
			return err //nolint:wrapcheck // it says what failed
		}
		if a.asking.late = len(jobs) > 0 || since > 0; len(jobs) == 0 {
			a.asking.lateIdle, a.asking.lateLong = time.Now().Add(askIdle), time.Now().Add(askLong)
			return nil
		}
		for _, job := range jobs {
			a.uses.claimed(job)
			a.begin(ctx, job, runs)
		}
	}
	return nil
}

// Between two questions for documents that missed their first limit: by a server that knows
// of none, and for those that have waited too long.
const (
	askIdle = 30 * time.Second
	askLong = time.Second
)

func (a *Analyst) asksLate(since time.Duration) bool {
	if since > 0 {
		return a.asking.late && !time.Now().Before(a.asking.lateLong)
	}
	return a.asking.late || !time.Now().Before(a.asking.lateIdle)
}

func (a *Analyst) lateRunning() int {
	n := 0
	for _, r := range a.running {
		if r.job.Late {
			n++
		}
	}
	return n
}

// makeRoom looks for documents of other owners while all workers are busy, and stops an
// analysis for them. It returns when it is to be called again.
func (a *Analyst) makeRoom(ctx context.Context) (time.Duration, error) {
	now, next := time.Now(), idleRound
	if a.asking.others {
		if wait := a.asking.peeked.Add(analysisPeek).Sub(now); wait > 0 {
			next = wait
		} else {
			jobs, _, err := a.claim(ctx, a.owners())
			if err != nil {
				return time.Second, err
			}
			a.asking.peeked, a.asking.others = now, false
			a.ready = slices.Concat(jobs, a.ready)
		}
	}
	if len(a.ready) == 0 {
		return next, nil
	}
	victim := a.longest(a.ready[0])
	if victim == nil {
		return next, nil
	}
	if wait := victim.began.Add(analysisPatience).Sub(now); wait > 0 {
		return min(next, wait), nil
	}
	victim.stop()
	return 0, nil // there is room
}

// owners returns whose documents are claimed.
func (a *Analyst) owners() []int {
	var owners []int
	for _, job := range a.ready {
		owners = append(owners, job.Owner)
	}
	for _, r := range a.running {
		owners = append(owners, r.job.Owner)
	}
	slices.Sort(owners)
	return slices.Compact(owners)
}

// longest returns what runs for the longest of what may be stopped for a job: the first
// analysis of a document of another owner, whose documents have been analysed for longer.
func (a *Analyst) longest(job work.PendingJob) *analysisRun {
	var longest *analysisRun
	for _, r := range a.running {
		owner := r.job.Owner
		if r.over() || r.job.Late || owner == job.Owner || a.uses.of(owner)+time.Since(r.began) <= a.uses.of(job.Owner) {
			continue
		}
		if longest == nil || r.began.Before(longest.began) {
			longest = r
		}
	}
	return longest
}
