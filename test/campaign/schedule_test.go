package main

import (
	"bytes"
	"reflect"
	"testing"
	"time"
)

func TestSchedule(t *testing.T) {
	t.Parallel()
	t.Run("the same seed gives the same faults and jobs, another one gives others", func(t *testing.T) {
		t.Parallel()
		a, b := schedule(5, 100, 3, defaultEvery, defaultLease), schedule(5, 100, 3, defaultEvery, defaultLease)
		if !reflect.DeepEqual(a, b) {
			t.Error("two schedules of one seed differ")
		}
		if reflect.DeepEqual(a, schedule(6, 100, 3, defaultEvery, defaultLease)) {
			t.Error("two seeds give one schedule")
		}
		if !reflect.DeepEqual(planJob(5, 17), planJob(5, 17)) {
			t.Error("two plans of one job differ")
		}
		if bytes.Equal(planJob(5, 17).job.Data, planJob(5, 18).job.Data) {
			t.Error("two jobs have one plan")
		}
	})
	t.Run("from a hundred faults on each kind has its share, in the order of time", func(t *testing.T) {
		t.Parallel()
		for _, n := range []int{completeSchedule, 250, 3000} {
			faults := schedule(1, n, 3, defaultEvery, defaultLease)
			kinds := map[faultKind]int{}
			last := time.Duration(0)
			for _, f := range faults {
				kinds[f.kind]++
				if f.at < last-defaultEvery || f.server > 2 {
					t.Errorf("fault %+v after %s", f, last)
				}
				last = f.at
			}
			for _, s := range shares() {
				if kinds[s.kind] < s.share {
					t.Errorf("of %d faults %d are %s, want at least %d", n, kinds[s.kind], s.kind, s.share)
				}
			}
		}
	})
	t.Run("of a hundred faults servers break at each place", func(t *testing.T) {
		t.Parallel()
		broken := map[place]int{}
		for _, f := range schedule(2, completeSchedule, 3, defaultEvery, defaultLease) {
			if f.kind == faultPoint {
				broken[f.place]++
			}
		}
		for _, p := range places() {
			if broken[p] != 1 {
				t.Errorf("%d servers break at %q, want one", broken[p], p)
			}
		}
	})
	t.Run("a pause outlasts the lease and a stall does not", func(t *testing.T) {
		t.Parallel()
		for _, f := range schedule(3, 1000, 3, defaultEvery, defaultLease) {
			if f.kind == faultPause && f.lasts < defaultLease || f.kind == faultStall && f.lasts >= defaultLease {
				t.Errorf("%s lasts %s with a lease of %s", f.kind, f.lasts, defaultLease)
			}
		}
	})
}

func TestLogCounts(t *testing.T) {
	t.Parallel()
	c := logCounts{Errors: map[string]int{}}
	for _, line := range []string{
		`time=2026-01-01T00:00:00Z level=WARN msg="job taken back" job=job_1 status=approved reason="worker lost"`,
		`time=2026-01-01T00:00:00Z level=WARN msg="job ended, but the claim was stale" outcome=approved`,
		`time=2026-01-01T00:00:00Z level=WARN msg="job given up: the claim is stale" job=job_1`,
		`time=2026-01-01T00:00:00Z level=ERROR msg="claim failed" err="a \"quoted\" word"`,
		`time=2026-01-01T00:00:00Z level=WARN msg="event source interrupted; jobs are polled meanwhile" source=listen err=EOF`,
		`time=2026-01-01T00:00:00Z level=INFO msg=leading term=3`,
		`panic: runtime error`,
		`time=2026-01-01T00:00:00Z level=INFO msg=request path="/jobs/job_1/stream?token=secret-1"`,
	} {
		c.read(line, []string{"secret-0", "secret-1"})
	}
	if c.Secrets != 1 || c.Relistens != 1 || c.Rescues != 1 || c.Stale != 2 || c.Leaders != 1 || c.Panics != 1 || c.Errors["claim failed"] != 1 || len(c.Errors) != 1 {
		t.Errorf("counted %+v", c)
	}
}
