package postgres_test

import (
	"maps"
	"testing"
	"time"

	"github.com/kappagraph/kappa/work"
)

// TestAttemptStats stores how long attempts took on two servers and some time ago, and asks for
// parts of it.
func TestAttemptStats(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	tell := func(ago, lane, jobType string, outcome work.AttemptOutcome, ran ...time.Duration) {
		times := work.AttemptTimes{Lane: lane, JobType: jobType, Ended: map[work.AttemptOutcome]int64{outcome: int64(len(ran))}, Waited: work.Durations{}, Ran: work.Durations{}}
		for _, d := range ran {
			times.Waited[work.BucketOf(time.Second)]++
			times.Ran[work.BucketOf(d)]++
		}
		must(t, s.Lanes().AddAttemptTimes(t.Context(), []work.AttemptTimes{times}))
		execSQL(t, dsn, "UPDATE kg_api.attempt_minutes SET at = at - $1::interval WHERE at > now() - interval '1 second' AND lane = $2 AND job_type = $3", ago, lane, jobType)
	}
	tell("25 hours", "a", "x", work.AttemptCompleted, time.Second) // forgotten by the next one
	tell("23 hours", "a", "x", work.AttemptCompleted, time.Hour)
	tell("30 minutes", "a", "x", work.AttemptCompleted, time.Second, time.Second)
	tell("10 seconds", "a", "x", work.AttemptFailed, time.Minute)
	tell("10 seconds", "b", "y", work.AttemptRetried, time.Second)
	if n := number(t, dsn, "SELECT count(*) FROM kg_api.attempt_minutes"); n != 4 {
		t.Errorf("%d rows are kept, want 4", n)
	}
	ask := func(f work.StatsFilter) (stats work.AttemptStats) {
		t.Helper()
		stats, err := s.Lanes().AttemptStats(t.Context(), f)
		must(t, err)
		return stats
	}
	hour := ask(work.StatsFilter{Since: time.Hour})
	if len(hour.Stats) != 2 || hour.Stats[0].Lane != "a" || hour.Stats[1].JobType != "y" || hour.PointSeconds != 120 {
		t.Fatalf("of an hour: %+v", hour)
	}
	first := hour.Stats[0]
	if !maps.Equal(first.Ended, map[work.AttemptOutcome]int64{work.AttemptCompleted: 2, work.AttemptFailed: 1}) {
		t.Errorf("ended %v", first.Ended)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if got < want/1.1 || got > want*1.1 {
			t.Errorf("%s is %v s, want %v", what, got, want)
		}
	}
	near("the median", first.Run.P50, 1)
	near("the longest run", first.Run.P99, 60)
	near("the wait", first.Wait.P95, 1)
	if len(first.Series) != work.StatsPoints || first.Series[work.StatsPoints-1] != 1 || first.Series[work.StatsPoints/2]+first.Series[work.StatsPoints/2-1] != 2 {
		t.Errorf("the series is %v", first.Series)
	}
	near("the longest run of a day", ask(work.StatsFilter{Since: work.StatsKept, Lane: "a", JobType: "x"}).Stats[0].Run.P99, 3600)
	if none := ask(work.StatsFilter{Since: time.Hour, Lane: "a", JobType: "y"}); len(none.Stats) != 0 {
		t.Errorf("a type that is not of the lane: %+v", none.Stats)
	}
}

// TestWaited claims a job at once, after a delay, and again after a failure: it waited since
// it could have been claimed.
func TestWaited(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	job := submit(t, s, "polarity")
	execSQL(t, dsn, "UPDATE kg_api.jobs SET created_at = now() - interval '3 hours', approved_at = now() - interval '2 hours', run_at = now() - interval '1 hour' WHERE job_id = $1", job.ID)
	hours := func(c work.Claim) float64 { return c.Waited().Hours() }
	scheduled := claim(t, s, workerA, 1)[0]
	if h := hours(scheduled); h < 1 || h > 1.1 {
		t.Errorf("it waited %v hours since its time, want 1", h)
	}
	_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: scheduled, Status: work.StatusApproved, CountRetry: true, Error: "busy"}})
	must(t, err)
	if h := hours(claim(t, s, workerA, 1)[0]); h < 0 || h > 0.1 {
		t.Errorf("it waited %v hours since the attempt before, want none", h)
	}
	late := submit(t, s, "polarity")
	execSQL(t, dsn, "UPDATE kg_api.jobs SET created_at = now() - interval '3 hours', run_at = now() - interval '3 hours', approved_at = now() - interval '2 hours' WHERE job_id = $1", late.ID)
	if h := hours(claim(t, s, workerA, 1)[0]); h < 2 || h > 2.1 {
		t.Errorf("it waited %v hours since its approval, want 2", h)
	}
}
