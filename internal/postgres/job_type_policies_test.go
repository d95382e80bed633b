package postgres_test

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// TestPoliciesAreKept changes the policy of a type, gives a setting back, and asks for what does
// not go together.
func TestPoliciesAreKept(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	ctx, polarity := asActor(t), work.JobType{Name: "polarity"}
	n := func(v int) *int { return &v }
	must(t, errOf(s.Lanes().SetPolicy(ctx, polarity, work.PolicyChange{MaxRetries: n(5), DeadlineMS: n(2000), Jitter: new(0.5)})))
	must(t, errOf(s.Lanes().SetPolicy(ctx, polarity, work.PolicyChange{BackoffFirstMS: n(10), Reset: []string{"jitter"}})))
	if _, err := s.Lanes().SetPolicy(ctx, polarity, work.PolicyChange{BackoffMostMS: n(9)}); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("a longest wait below the first: %v", err)
	}
	all, err := s.Lanes().Policies(t.Context())
	must(t, err)
	if p := all["polarity"]; len(all) != 1 || *p.MaxRetries != 5 || *p.DeadlineMS != 2000 || *p.BackoffFirstMS != 10 || p.Jitter != nil || p.BackoffMostMS != nil {
		t.Errorf("kept %+v", all)
	}
	if entries, err := s.Audit().Entries(t.Context(), access.AuditFilter{Action: "job-type.update", Limit: 10}); err != nil || len(entries) != 2 || entries[0].ObjectID != "polarity" {
		t.Errorf("recorded %+v, %v", entries, err)
	}
	// A number that a job was submitted with stays its own; the default one is that of the type.
	for sql, want := range map[string]int{
		"SELECT kg_api.retries_of('polarity', 3)": 5, "SELECT kg_api.retries_of('polarity', 1)": 1, "SELECT kg_api.retries_of('noop', 3)": 3,
		"SELECT kg_api.deadline_of('polarity')": 2000, "SELECT count(*) FROM (SELECT kg_api.deadline_of('noop') AS d) x WHERE d IS NULL": 1,
	} {
		if got := number(t, dsn, sql); got != want {
			t.Errorf("%s is %d, want %d", sql, got, want)
		}
	}
}

// TestLateJobsAreTakenBack has a server not end attempts whose deadline has passed: the leader does,
// a minute later, and counts retries as the type has them.
func TestLateJobsAreTakenBack(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	n := func(v int) *int { return &v }
	must(t, errOf(s.Lanes().SetPolicy(t.Context(), work.JobType{Name: "polarity"}, work.PolicyChange{MaxRetries: n(1), DeadlineMS: n(60_000)})))
	job := submit(t, s, "polarity")
	for _, want := range []work.Status{work.StatusApproved, work.StatusFailed} {
		if got := claim(t, s, workerA, 1); len(got) != 1 {
			t.Fatalf("claimed %v", got)
		}
		execSQL(t, dsn, "UPDATE kg_api.jobs SET claimed_at = clock_timestamp() - interval '119 seconds'")
		if taken, err := s.Queue().RecoverStale(t.Context(), 0, 10); err != nil || len(taken) != 0 {
			t.Fatalf("within the minute that its server has: %v, %v", taken, err)
		}
		execSQL(t, dsn, "UPDATE kg_api.jobs SET claimed_at = clock_timestamp() - interval '121 seconds'")
		if taken, err := s.Queue().RecoverStale(t.Context(), 0, 10); err != nil || taken[job.ID] != want {
			t.Fatalf("taken back %v, %v; want %s", taken, err, want)
		}
	}
	if got, err := s.Jobs().Job(t.Context(), job.ID); err != nil || got.Error == nil || *got.Error != "Exceeded max retries: an attempt ran longer than its deadline" {
		t.Errorf("it failed with %+v, %v", got.Error, err)
	}
}

// TestRetriesThatWereAskedFor submits jobs with three retries, which is what those have that ask
// for none: who asked for them keeps them, also when the job is submitted again.
func TestRetriesThatWereAskedFor(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	must(t, errOf(s.Lanes().SetPolicy(t.Context(), work.JobType{Name: "polarity"}, work.PolicyChange{MaxRetries: new(0), DeadlineMS: new(60_000)})))
	for asked, want := range map[bool]work.Status{true: work.StatusApproved, false: work.StatusFailed} {
		job := submit(t, s, "polarity", func(j *work.NewJob) { j.RetriesAsked = asked })
		got := claim(t, s, workerA, 1)
		if len(got) != 1 || got[0].JobID != job.ID || got[0].RetriesAsked != asked || got[0].MaxRetries != 3 {
			t.Fatalf("claimed %+v", got)
		}
		execSQL(t, dsn, "UPDATE kg_api.jobs SET claimed_at = clock_timestamp() - interval '121 seconds' WHERE job_id = $1", job.ID)
		if taken, err := s.Queue().RecoverStale(t.Context(), 0, 10); err != nil || taken[job.ID] != want {
			t.Errorf("asked %t: taken back %v, %v; want %s", asked, taken, err, want)
		}
		execSQL(t, dsn, "UPDATE kg_api.jobs SET status = 'failed', completed_at = clock_timestamp() WHERE job_id = $1 AND status = 'approved'", job.ID)
		again, err := s.Jobs().RetryJob(t.Context(), work.Retry{JobID: job.ID, UserID: access.SystemUserID})
		must(t, err)
		if got := claim(t, s, workerA, 1); len(got) != 1 || got[0].JobID != again.ID || got[0].RetriesAsked != asked {
			t.Errorf("submitted again it is %+v, want asked %t", got, asked)
		}
	}
}

// TestRemoteDeadlines has remote workers told the deadline of a type, but of a job that has its own.
func TestRemoteDeadlines(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	n := func(v int) *int { return &v }
	c := remoteWorker(t, s, "one", workerA)
	deadline := func(job ...func(*work.NewJob)) time.Duration {
		submit(t, s, "exec", append(job, remote("default", 0))...)
		runs := claimRemote(t, s, c, 1, "*")
		if len(runs) != 1 {
			t.Fatalf("claimed %v", runs)
		}
		return runs[0].Deadline
	}
	if got := deadline(); got != work.DefaultRunDeadline {
		t.Errorf("by default it is %s", got)
	}
	must(t, errOf(s.Lanes().SetPolicy(t.Context(), work.JobType{Name: "exec", Remote: true}, work.PolicyChange{DeadlineMS: n(7000)})))
	if got := deadline(); got != 7*time.Second {
		t.Errorf("of the type it is %s", got)
	}
	if got := deadline(func(j *work.NewJob) { j.DeadlineMS = n(9000) }); got != 9*time.Second {
		t.Errorf("of the job it is %s", got)
	}
}
