package postgres_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// TestJobs turns over the pages of lists of jobs in all states, what runs among
// them, and compares them with what a list is to hold.
func TestJobs(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	for range 9 {
		submit(t, s, "polarity")
		submit(t, s, "noop")
		submit(t, s, "polarity", func(j *work.NewJob) { j.AutoApprove = false })
	}
	claims := claim(t, s, workerA, 2)
	_, err := s.Claims().Finish(t.Context(), workerA, []work.Outcome{{Claim: claims[0], Status: work.StatusCompleted}, {Claim: claims[1], Status: work.StatusFailed}})
	must(t, err)
	claim(t, s, workerA, 2)
	var all []work.Job
	for _, id := range jobIDs(t, s, work.JobFilter{Limit: 1000}) {
		j, err := s.Jobs().Job(t.Context(), id)
		must(t, err)
		all = append(all, j)
	}
	running := func(j work.Job) bool { return j.Status == work.StatusProcessing }
	if len(all) != 27 || !slices.ContainsFunc(all, running) {
		t.Fatalf("%d jobs, want 27, and some of them at work", len(all))
	}
	newestFirst := func(a, b work.Job) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt.Time), cmp.Compare(b.ID, a.ID))
	}
	if !slices.IsSortedFunc(all, newestFirst) {
		t.Error("the list is not sorted")
	}
	for _, f := range []work.JobFilter{
		{},
		{Type: "polarity"},
		{Statuses: []work.Status{work.StatusProcessing}},
		{Statuses: []work.Status{work.StatusApproved}, Type: "noop"},
		{Statuses: []work.Status{work.StatusCompleted}},
		{User: "nobody"},
		{User: fmt.Sprint(access.SystemUserID)},
		{Ontology: "none"},
	} {
		var want, got []string
		for _, j := range all {
			if (f.Type == "" || j.Type == f.Type) && (f.Statuses == nil || slices.Contains(f.Statuses, j.Status)) && f.User != "nobody" && f.Ontology == "" {
				want = append(want, j.ID)
			}
		}
		for f.Limit = 4; ; f.Offset += f.Limit {
			page := jobIDs(t, s, f)
			if len(page) > f.Limit {
				t.Errorf("%+v: %d jobs", f, len(page))
			}
			got = append(got, page...)
			if len(page) == 0 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v:\n got %v\nwant %v", f, got, want)
		}
	}
}

// TestWaitingJobs counts what waits for a slot beside what waits for its time.
func TestWaitingJobs(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	later := kappa.At(time.Now().Add(time.Hour))
	submit(t, s, "polarity", func(j *work.NewJob) { j.AutoApprove = false })
	submit(t, s, "polarity", func(j *work.NewJob) { j.RunAt = &later })
	check := func(what string, want int) {
		t.Helper()
		if n, err := s.Figures().WaitingJobs(t.Context()); err != nil || n != want {
			t.Errorf("with %s %d jobs wait, want %d; %v", what, n, want, err)
		}
	}
	check("a job for later", 0)
	submit(t, s, "polarity")
	check("one that is due", 1)
	execSQL(t, dsn, "UPDATE kg_api.jobs SET run_at = clock_timestamp() WHERE NOT due AND status = 'approved'")
	check("one whose time has just come", 2)
}

// TestJobRunAt asks until when jobs wait.
func TestJobRunAt(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	later := kappa.At(time.Now().Add(time.Hour))
	atOnce := submit(t, s, "polarity")
	waits := submit(t, s, "polarity", func(j *work.NewJob) { j.RunAt = &later })
	unapproved := submit(t, s, "polarity", func(j *work.NewJob) { j.RunAt, j.AutoApprove = &later, false })
	cancelled := submit(t, s, "polarity", func(j *work.NewJob) { j.RunAt = &later })
	_, err := s.Jobs().Cancel(t.Context(), cancelled.ID)
	must(t, err)
	check := func(what, id string, want *kappa.Time) {
		t.Helper()
		job, err := s.Jobs().Job(t.Context(), id)
		must(t, err)
		if (job.RunAt == nil) != (want == nil) || want != nil && job.RunAt.Sub(want.Time).Abs() >= time.Millisecond {
			t.Errorf("%s waits until %v, want %v", what, job.RunAt, want)
		}
	}
	check("a job for at once", atOnce.ID, nil)
	check("a job for later", waits.ID, &later)
	check("one that is not approved", unapproved.ID, &later)
	check("a cancelled one", cancelled.ID, nil)
	claim(t, s, workerA, 10)
	check("a job that runs", atOnce.ID, nil)
}

// TestJobIDTaken has the first id of each new job be taken already, as when
// another server has made the same one.
func TestJobIDTaken(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]func(t *testing.T, s *postgres.DB, old work.Job) (id string, err error){
		"a submission": func(t *testing.T, s *postgres.DB, _ work.Job) (string, error) {
			job, err := s.Jobs().SubmitJob(t.Context(), work.NewJob{Type: "polarity", Queue: work.DefaultQueue, UserID: access.SystemUserID})
			return job.ID, err
		},
		"a document": func(t *testing.T, s *postgres.DB, _ work.Job) (string, error) {
			answer, err := s.Ingestions().SubmitIngestion(t.Context(), work.Submission{
				Body: docBody, ContentType: corpus.ContentPlain, ContentHash: docID, Ontology: "o", Filename: "test.txt",
				ProcessingMode: work.ModeSerial,
			}, ingestionJob(access.SystemUserID))
			return answer.JobID, err
		},
		"a retry": func(t *testing.T, s *postgres.DB, old work.Job) (string, error) {
			job, err := s.Jobs().RetryJob(t.Context(), work.Retry{JobID: old.ID, UserID: access.SystemUserID})
			return job.ID, err
		},
		"a schedule run by hand": func(t *testing.T, s *postgres.DB, _ work.Job) (string, error) {
			addSchedule(t, s, "hourly")
			job, err := s.Schedules().RunSchedule(t.Context(), "hourly", "admin", func(work.Schedule) error { return nil })
			return job.ID, err
		},
		"a schedule that is due": func(t *testing.T, s *postgres.DB, _ work.Job) (string, error) {
			schedule := addSchedule(t, s, "hourly")
			return s.Schedules().Launch(t.Context(), 0, work.Launch{Schedule: schedule, For: noon, Next: noon.Add(time.Hour)})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			old := submit(t, s, "polarity")
			_, err := s.Jobs().Cancel(t.Context(), old.ID)
			must(t, err)
			execSQL(t, dsn, "CREATE SEQUENCE public.tries")
			execSQL(t, dsn, fmt.Sprintf(`CREATE FUNCTION public.take() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				IF nextval('public.tries') = 1 THEN NEW.job_id := '%s'; END IF; RETURN NEW; END $$`, old.ID))
			execSQL(t, dsn, "CREATE TRIGGER take BEFORE INSERT ON kg_api.jobs FOR EACH ROW EXECUTE FUNCTION public.take()")
			id, err := store(t, s, old)
			if err != nil || id == old.ID {
				t.Fatalf("stored %q beside %s: %v", id, old.ID, err)
			}
			if job, err := s.Jobs().Job(t.Context(), id); err != nil || job.ID != id {
				t.Errorf("the job is %+v, %v", job, err)
			}
			if tries := number(t, dsn, "SELECT last_value FROM public.tries"); tries != 2 {
				t.Errorf("stored after %d tries, want 2", tries)
			}
		})
	}
}

// jobIDs lists jobs.
func jobIDs(t *testing.T, s *postgres.DB, f work.JobFilter) []string {
	t.Helper()
	jobs, err := s.Jobs().Jobs(t.Context(), f)
	must(t, err)
	ids := make([]string, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	return ids
}
