package lanes

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// fakeCleanup counts what it is asked to do, and in which term.
type fakeCleanup struct {
	mu      sync.Mutex
	term    int64
	leads   bool
	old     int // jobs to prune
	last    time.Time
	passes  int
	batches int
	depose  int // batches until the leader changes
}

func (f *fakeCleanup) ExpireJobs(context.Context) (int, error) { return 0, nil }

func (f *fakeCleanup) RecoverStale(context.Context, int64, int) (map[string]work.Status, error) {
	return nil, nil
}

func (f *fakeCleanup) PruneJobs(_ context.Context, term int64, _ work.Retention, key work.PruneKey, most int) (int, work.PruneKey, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.batches++
	if f.batches == f.depose {
		f.term++
	}
	if term != f.term {
		return 0, key, false, kappa.ErrDeposed
	}
	n := min(most, f.old)
	f.old -= n
	return n, key, n == most, nil
}

func (f *fakeCleanup) PruneContents(_ context.Context, _ int64, key work.PruneKey, _ int) (int, work.PruneKey, bool, error) {
	return 0, key, false, nil
}

func (f *fakeCleanup) RecountJobs(context.Context, int64) (int, error) { return 0, nil }

func (f *fakeCleanup) PruneScheduleRuns(context.Context, int64, time.Duration, int) (int, error) {
	return 0, nil
}

func (f *fakeCleanup) PlanCleanup(_ context.Context, every time.Duration) (time.Duration, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last.IsZero() {
		return 0, nil
	}
	return max(0, time.Until(f.last.Add(every))), nil
}

func (f *fakeCleanup) CleanupDone(context.Context, time.Duration) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.passes, f.last = f.passes+1, time.Now()
	return nil
}

func (f *fakeCleanup) SchedulerState(context.Context) (work.SchedulerState, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return work.SchedulerState{Leads: f.leads, Term: f.term}, nil
}

func (f *fakeCleanup) JobCounts(context.Context) (map[work.Status]int, error) {
	return work.AllStatuses(map[work.Status]int{work.StatusFailed: 2}), nil
}

func newTestPrune(f *fakeCleanup) *Prune {
	return NewPrune(PruneConfig{
		Store: f, Every: time.Hour, Log: quiet,
		Keep: work.Retention{Completed: work.DefaultRetainCompleted, Failed: work.DefaultRetainFailed},
	})
}

func newTestCleanup(f *fakeCleanup) *Cleanup {
	return NewCleanup(CleanupConfig{
		Store: f, Expire: NewExpire(ExpireConfig{Store: f, Log: quiet}), Stale: NewStale(StaleConfig{Store: f, Log: quiet}), Prune: newTestPrune(f),
	})
}

func TestCleanup(t *testing.T) {
	t.Run("cleans up an interval after the last pass, whoever made it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeCleanup{last: time.Now().Add(-30 * time.Minute)}
			ctx, stop := context.WithCancel(t.Context())
			var group sync.WaitGroup
			group.Go(func() { _ = newTestPrune(f).Run(ctx, 0) })
			for _, want := range []int{0, 1, 1, 2} { // after 20, 40, 60 and 100 minutes
				time.Sleep(20 * time.Minute)
				if want == 2 {
					time.Sleep(20 * time.Minute)
				}
				f.mu.Lock()
				if f.passes != want {
					t.Errorf("%d passes, want %d", f.passes, want)
				}
				f.mu.Unlock()
			}
			stop()
			group.Wait()
		})
	})
	t.Run("deletes batch by batch until nothing old is left", func(t *testing.T) {
		f := &fakeCleanup{leads: true, old: 2*pruneBatch + 5}
		done, err := newTestCleanup(f).Clean(t.Context())
		if err != nil || done.Jobs != 2*pruneBatch+5 || f.batches != 3 {
			t.Errorf("%+v in %d batches, %v", done, f.batches, err)
		}
	})
	t.Run("on demand begins again under the new term when the leader changes", func(t *testing.T) {
		f := &fakeCleanup{leads: true, old: 3 * pruneBatch, depose: 2}
		if _, err := newTestCleanup(f).Clean(t.Context()); err != nil || f.old != 0 || f.passes != 1 {
			t.Errorf("%d left after %d passes, %v", f.old, f.passes, err)
		}
	})
	t.Run("on demand is refused while no server leads", func(t *testing.T) {
		f := &fakeCleanup{old: 1}
		if _, err := newTestCleanup(f).Clean(t.Context()); kappa.ErrorCode(err) != kappa.CodeUnavailable || f.old != 1 {
			t.Errorf("%d left, %v", f.old, err)
		}
	})
	t.Run("a deposed leader stops", func(t *testing.T) {
		f := &fakeCleanup{term: 5, old: 1}
		if _, err := newTestPrune(f).runPlanned(t.Context(), 4); !errors.Is(err, kappa.ErrDeposed) || f.old != 1 || f.passes != 0 {
			t.Errorf("%d left, %v", f.old, err)
		}
	})
	t.Run("the status has every status, and the settings", func(t *testing.T) {
		st, err := newTestCleanup(&fakeCleanup{leads: true}).Status(t.Context())
		want := work.SchedulerConfig{CleanupInterval: 3600, ApprovalTimeout: 24, CompletedRetention: 48, FailedRetention: 168}
		if err != nil || !st.Running || st.Config != want || len(st.Stats.JobsByStatus) != len(work.Statuses()) || st.Stats.JobsByStatus[work.StatusFailed] != 2 {
			t.Errorf("%+v, %v", st, err)
		}
	})
}
