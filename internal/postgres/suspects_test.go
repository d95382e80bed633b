package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// crashLab is a store whose workers claim in two lanes, and die.
type crashLab struct {
	*testing.T
	s       *postgres.DB
	dsn     string
	workers int
}

func newCrashLab(t *testing.T) *crashLab {
	t.Helper()
	l := &crashLab{T: t}
	l.s, l.dsn = newStore(t)
	slots := 16
	for _, lane := range []string{"interactive", "maintenance"} {
		_, err := l.s.Lanes().UpdateLane(t.Context(), lane, work.LaneUpdate{MaxSlots: &slots})
		must(t, err)
	}
	return l
}

// submit stores a job of the interactive lane.
func (l *crashLab) submit() string { return submit(l.T, l.s, "polarity").ID }

// suspect stores a job of a type that has crashed twice.
func (l *crashLab) suspect(jobType string) string {
	l.Helper()
	id := submit(l.T, l.s, jobType).ID
	execSQL(l.T, l.dsn, "UPDATE kg_api.jobs SET crash_count = 2, crash_since = clock_timestamp(), due = false, run_at = clock_timestamp() WHERE job_id = $1", id)
	return id
}

// work has a new worker claim all that is due in both lanes.
func (l *crashLab) work() (worker string, claims []work.Claim) {
	l.Helper()
	l.workers++
	worker = fmt.Sprintf("00000000-0000-4000-8000-0000000001%02d", l.workers)
	register(l.T, l.s, worker)
	for _, lane := range []string{"interactive", "maintenance"} {
		batch, err := l.s.Claims().Claim(l.Context(), work.ClaimRequest{Lane: lane, Worker: worker, Types: []string{"polarity", "ontology_annealing"}, Most: 16})
		must(l.T, err)
		claims = append(claims, batch.Claims...)
	}
	l.alone()
	return worker, claims
}

// crash ends a worker; the leader sweeps.
func (l *crashLab) crash(worker string) {
	l.Helper()
	expire(l.T, l.dsn, worker)
	_, err := l.s.Queue().Sweep(l.Context(), 0, time.Minute, 10)
	must(l.T, err)
	l.alone()
}

// crashWith has a new worker claim what is due, which must be these jobs, and die.
func (l *crashLab) crashWith(want ...string) {
	l.Helper()
	worker, claims := l.work()
	l.same(claims, want...)
	l.crash(worker)
}

// makeSuspects is crashWith for two jobs that become suspects, of which the first
// has waited longest afterwards.
func (l *crashLab) makeSuspects(first, second string) {
	l.Helper()
	worker, claims := l.work()
	l.same(claims, first, second)
	expire(l.T, l.dsn, worker)
	_, err := l.s.Queue().Rescue(l.Context(), 0, 10)
	must(l.T, err)
	execSQL(l.T, l.dsn, "UPDATE kg_api.jobs SET run_at = run_at - interval '1 minute' WHERE job_id = $1", first)
	l.makeDue()
}

// completeAll has a new worker complete what is due, which must be these jobs, and
// the leader sweep.
func (l *crashLab) completeAll(want ...string) {
	l.Helper()
	worker, claims := l.work()
	l.same(claims, want...)
	for _, c := range claims {
		_, err := l.s.Claims().Finish(l.Context(), worker, []work.Outcome{completed(c)})
		must(l.T, err)
	}
	l.makeDue()
}

func (l *crashLab) same(claims []work.Claim, want ...string) {
	l.Helper()
	if got := slices.Sorted(slices.Values(ids(claims))); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		l.Fatalf("claimed %v, want %v", got, want)
	}
}

// makeDue sweeps for jobs that are due, and returns when to sweep again.
func (l *crashLab) makeDue() time.Duration {
	l.Helper()
	_, next, err := l.s.Queue().MakeDue(l.Context(), time.Minute)
	must(l.T, err)
	l.alone()
	return next
}

// alone fails when more than one suspect is due or processing.
func (l *crashLab) alone() {
	l.Helper()
	if n := l.count("crash_count >= 2 AND crash_since > now() - interval '1 day' AND (status = 'processing' OR status = 'approved' AND due)"); n > 1 {
		l.Fatalf("%d suspects are due or run", n)
	}
}

func (l *crashLab) count(where string) (n int) {
	l.Helper()
	conn, err := pgx.Connect(l.Context(), l.dsn)
	must(l.T, err)
	defer conn.Close(l.Context())
	must(l.T, conn.QueryRow(l.Context(), "SELECT count(*) FROM kg_api.jobs WHERE "+where).Scan(&n))
	return n
}

// stands fails unless a job has the status, so many crashes and attempts, and a
// whole history.
func (l *crashLab) stands(id string, status work.Status, crashes, attempt int) {
	l.Helper()
	checkHistory(l.T, l.s, id)
	job, err := l.s.Jobs().Job(l.Context(), id)
	must(l.T, err)
	if n := l.count(fmt.Sprintf("job_id = '%s' AND crash_count = %d", id, crashes)); n != 1 || job.Status != status || job.Attempt != attempt {
		l.Errorf("%s is %s after %d attempts, with %d crashes: %t; want %s after %d", id, job.Status, job.Attempt, crashes, n == 1, status, attempt)
	}
}

// TestQ08_Quarantine lets workers die and checks who is counted, who is
// quarantined, and who may run beside whom.
func TestQ08_Quarantine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(l *crashLab){
		"a job alone is quarantined at its third crash": func(l *crashLab) {
			poison := l.submit()
			for range work.QuarantineCrashes {
				l.crashWith(poison)
			}
			l.stands(poison, work.StatusFailed, 3, 3)
			job, err := l.s.Jobs().Job(l.Context(), poison)
			must(l.T, err)
			if job.Error == nil || !strings.HasPrefix(*job.Error, "Quarantined: ") {
				l.Errorf("its error is %v", job.Error)
			}
		},
		"bystanders of a poison job complete": func(l *crashLab) {
			poison, old := l.submit(), l.submit()
			l.crashWith(poison, old)
			l.makeSuspects(poison, old) // after one crash they run together again
			late := l.submit()
			l.crashWith(poison, late) // both are suspects, of which one runs
			l.stands(poison, work.StatusFailed, 3, 3)
			l.stands(old, work.StatusApproved, 2, 2)
			l.stands(late, work.StatusApproved, 0, 0)
			l.completeAll(old, late)
			l.stands(old, work.StatusCompleted, 2, 3)
			l.stands(late, work.StatusCompleted, 0, 1)
		},
		"two poison jobs each take three crashes, and nobody with them": func(l *crashLab) {
			first, second := l.submit(), l.submit()
			l.crashWith(first, second)
			l.makeSuspects(first, second)
			beside := l.submit()
			l.crashWith(first, beside)
			l.crashWith(second, beside)
			l.stands(first, work.StatusFailed, 3, 3)
			l.stands(second, work.StatusFailed, 3, 3)
			l.completeAll(beside)
			l.stands(beside, work.StatusCompleted, 0, 1)
		},
		"one crash makes no suspect": func(l *crashLab) {
			a, b, c := l.submit(), l.submit(), submit(l.T, l.s, "ontology_annealing").ID
			l.crashWith(a, b, c)
			if next := l.makeDue(); next != time.Minute {
				l.Errorf("the next sweep comes after %s", next)
			}
			l.completeAll(a, b, c)
		},
		"suspects run one at a time over all lanes, the longest waiting first": func(l *crashLab) {
			first, second, third := l.suspect("ontology_annealing"), l.suspect("polarity"), l.suspect("ontology_annealing")
			if next := l.makeDue(); next != 250*time.Millisecond {
				l.Errorf("with suspects that wait the next sweep comes after %s", next)
			}
			worker, claims := l.work()
			l.same(claims, first)
			other := l.submit()
			l.completeAll(other) // the other lane goes on
			_, err := l.s.Claims().Finish(l.Context(), worker, []work.Outcome{completed(claims[0])})
			must(l.T, err)
			l.makeDue()
			l.completeAll(second)
			if next := l.makeDue(); next != time.Minute {
				l.Errorf("with the last suspect due the next sweep comes after %s", next)
			}
			l.completeAll(third)
		},
		"other jobs become due in time while suspects wait": func(l *crashLab) {
			l.suspect("polarity")
			l.suspect("polarity")
			l.makeDue()
			later := kappa.At(time.Now().Add(time.Hour))
			soon := submit(l.T, l.s, "polarity", func(j *work.NewJob) { j.RunAt = &later }).ID
			next, seen := time.Duration(0), false
			for !seen { // a machine that stands still for so long has it due in the same sweep
				execSQL(l.T, l.dsn, "UPDATE kg_api.jobs SET due = false, run_at = clock_timestamp() + interval '200 milliseconds' WHERE job_id = $1", soon)
				next = l.makeDue()
				seen = l.count("job_id = '"+soon+"' AND NOT due") == 1
			}
			if next > 200*time.Millisecond {
				l.Errorf("the next sweep comes after %s", next)
			}
			execSQL(l.T, l.dsn, "UPDATE kg_api.jobs SET run_at = clock_timestamp() WHERE job_id = $1", soon)
			l.makeDue()
			if n := l.count("status = 'approved' AND due"); n != 2 {
				l.Errorf("%d jobs are due, want one suspect and the other job", n)
			}
		},
		"a suspect that waits can be cancelled": func(l *crashLab) {
			first, second, third := l.suspect("polarity"), l.suspect("polarity"), l.suspect("polarity")
			l.makeDue()
			for _, id := range []string{second, first} { // one that waits for its turn, one that waits for a slot
				running, err := l.s.Jobs().Cancel(l.Context(), id)
				must(l.T, err)
				if running {
					l.Errorf("%s runs", id)
				}
				l.stands(id, work.StatusCancelled, 2, 0)
			}
			l.makeDue()
			l.completeAll(third)
		},
		"a suspect that was asked to stop is blamed too": func(l *crashLab) {
			suspect, beside, stopped := l.suspect("polarity"), l.submit(), l.submit()
			l.makeDue()
			worker, claims := l.work()
			l.same(claims, suspect, beside, stopped)
			for _, id := range []string{suspect, stopped} {
				_, err := l.s.Jobs().Cancel(l.Context(), id)
				must(l.T, err)
			}
			l.crash(worker)
			l.stands(suspect, work.StatusCancelled, 3, 1)
			l.stands(stopped, work.StatusCancelled, 0, 1)
			l.stands(beside, work.StatusApproved, 0, 0)
		},
		"a worker's jobs are judged together, however small the batch": func(l *crashLab) {
			suspect := l.suspect("polarity")
			l.makeDue()
			var beside []string
			for range 5 {
				beside = append(beside, l.submit())
			}
			worker, claims := l.work()
			l.same(claims, append(beside, suspect)...)
			alone := l.submit()
			other, claims := l.work()
			l.same(claims, alone)
			expire(l.T, l.dsn, worker)
			expire(l.T, l.dsn, other)
			for _, want := range []int{6, 1, 0} { // one worker after the other
				taken, err := l.s.Queue().Rescue(l.Context(), 0, 1)
				must(l.T, err)
				if len(taken) != want {
					l.Errorf("%d jobs were taken, want %d", len(taken), want)
				}
			}
			l.stands(suspect, work.StatusFailed, 3, 1)
			l.stands(alone, work.StatusApproved, 1, 1)
			for _, id := range beside {
				l.stands(id, work.StatusApproved, 0, 0)
			}
		},
		"a worker with a suspect is left for the next sweep while one of its jobs is locked": func(l *crashLab) {
			suspect, beside := l.suspect("polarity"), l.submit()
			l.makeDue()
			for _, held := range []string{suspect, beside} {
				worker, claims := l.work()
				if len(claims) != 2 {
					l.Fatalf("claimed %v", ids(claims))
				}
				conn, err := pgx.Connect(l.Context(), l.dsn)
				must(l.T, err)
				_, err = conn.Exec(l.Context(), "BEGIN; SELECT 1 FROM kg_api.jobs WHERE job_id = '"+held+"' FOR UPDATE")
				must(l.T, err)
				l.crash(worker)
				l.stands(suspect, work.StatusProcessing, 2, 1)
				l.stands(beside, work.StatusProcessing, 0, 1)
				_, err = conn.Exec(l.Context(), "ROLLBACK") // which a server does later of one that has only closed
				must(l.T, err)
				must(l.T, conn.Close(l.Context()))
				if held == suspect { // the first time they come back by themselves
					for _, c := range claims {
						_, err := l.s.Claims().Finish(l.Context(), worker, []work.Outcome{{Claim: c, Status: work.StatusApproved}})
						must(l.T, err)
					}
					continue
				}
				l.crash(worker)
			}
			l.stands(suspect, work.StatusFailed, 3, 1)
			l.stands(beside, work.StatusApproved, 0, 0)
		},
		"rescues at once count the suspect and nobody else": func(l *crashLab) {
			suspect := l.suspect("polarity")
			l.makeDue()
			var beside []string
			for range 10 {
				beside = append(beside, l.submit())
			}
			worker, claims := l.work()
			l.same(claims, append(beside, suspect)...)
			expire(l.T, l.dsn, worker)
			for l.count("status = 'processing'") > 0 {
				together(6, func(int) {
					if _, err := l.s.Queue().Rescue(l.Context(), 0, 3); err != nil {
						l.Error(err)
					}
				})
			}
			l.stands(suspect, work.StatusFailed, 3, 1)
			for _, id := range beside {
				l.stands(id, work.StatusApproved, 0, 0)
			}
		},
		"sweeps at once let one suspect go": func(l *crashLab) {
			for range 8 {
				l.suspect("polarity")
			}
			for n := 8; n > 0; n-- {
				together(6, func(int) {
					if _, _, err := l.s.Queue().MakeDue(l.Context(), time.Minute); err != nil {
						l.Error(err)
					}
				})
				_, claims := l.work()
				if len(claims) != 1 {
					l.Fatalf("claimed %v, want one suspect", ids(claims))
				}
				_, err := l.s.Claims().Finish(l.Context(), claims[0].Worker, []work.Outcome{completed(claims[0])})
				must(l.T, err)
			}
		},
		"a suspect that comes back may go at once, and one that waits for a retry lets another go": func(l *crashLab) {
			suspect, other := l.suspect("polarity"), l.suspect("ontology_annealing")
			l.makeDue()
			for _, back := range []func(c work.Claim){
				func(c work.Claim) {
					_, err := l.s.Claims().Finish(l.Context(), c.Worker, []work.Outcome{{Claim: c, Status: work.StatusApproved}})
					must(l.T, err)
				},
				func(c work.Claim) {
					execSQL(l.T, l.dsn, "UPDATE kg_api.jobs SET progress_at = now() - interval '1 day' WHERE job_id = $1", c.JobID)
					taken, err := l.s.Queue().RecoverStale(l.Context(), 0, 10)
					must(l.T, err)
					if taken[c.JobID] != work.StatusApproved {
						l.Errorf("stale recovery took %v", taken)
					}
				},
				func(c work.Claim) {
					_, err := l.s.Claims().Finish(l.Context(), c.Worker, []work.Outcome{{Claim: c, Status: work.StatusApproved, CountRetry: true, RunAt: time.Minute}})
					must(l.T, err)
				},
			} {
				_, claims := l.work()
				l.same(claims, suspect)
				back(claims[0])
				l.makeDue()
			}
			l.completeAll(other)
			execSQL(l.T, l.dsn, "UPDATE kg_api.jobs SET run_at = clock_timestamp() WHERE job_id = $1", suspect)
			l.makeDue()
			l.completeAll(suspect)
		},
		"a suspect that was quarantined and is submitted anew is none": func(l *crashLab) {
			old := l.suspect("polarity")
			l.makeDue()
			l.crashWith(old)
			again, err := l.s.Jobs().RetryJob(l.Context(), work.Retry{JobID: old, UserID: access.SystemUserID})
			must(l.T, err)
			l.suspect("polarity")
			l.makeDue()
			if worker, claims := l.work(); len(claims) != 2 {
				l.Errorf("%s claimed %v", worker, ids(claims))
			}
			l.stands(again.ID, work.StatusProcessing, 0, 1)
		},
		"a suspect that no lane takes up passes its turn on": func(l *crashLab) {
			off, on := false, true
			_, err := l.s.Lanes().UpdateLane(l.Context(), "interactive", work.LaneUpdate{Enabled: &off})
			must(l.T, err)
			paused, other := l.suspect("polarity"), l.suspect("ontology_annealing")
			execSQL(l.T, l.dsn, "UPDATE kg_api.jobs SET run_at = run_at - interval '10 minutes' WHERE job_id = $1", paused) // when it began to wait is not when its turn began
			l.makeDue()
			l.makeDue()
			_, claims := l.work()
			l.same(claims)
			execSQL(l.T, l.dsn, "UPDATE kg_api.jobs SET run_at = run_at - $2::interval WHERE job_id = $1", paused, work.SuspectTurn)
			l.makeDue() // its turn is over
			l.makeDue() // the next one's begins
			_, claims = l.work()
			l.same(claims, other)
			_, err = l.s.Claims().Finish(l.Context(), claims[0].Worker, []work.Outcome{completed(claims[0])})
			must(l.T, err)
			l.makeDue()
			execSQL(l.T, l.dsn, "UPDATE kg_api.jobs SET run_at = run_at - $2::interval WHERE job_id = $1", paused, work.SuspectTurn)
			l.makeDue() // nobody else waits
			_, err = l.s.Lanes().UpdateLane(l.Context(), "interactive", work.LaneUpdate{Enabled: &on})
			must(l.T, err)
			l.completeAll(paused)
		},
		"crashes that are long past make no suspect": func(l *crashLab) {
			a, b := l.suspect("polarity"), l.suspect("polarity")
			execSQL(l.T, l.dsn, "UPDATE kg_api.jobs SET crash_since = crash_since - interval '1 day'")
			l.makeDue()
			l.crashWith(a, b)
			l.stands(a, work.StatusApproved, 1, 1)
			l.completeAll(a, b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newCrashLab(t))
		})
	}
}

// TestQ08_SuspectIsReported reads what a watcher is shown of a lost worker.
func TestQ08_SuspectIsReported(t *testing.T) {
	t.Parallel()
	l := newCrashLab(t)
	poison := l.submit()
	for range 2 {
		l.crashWith(poison)
	}
	beside := l.submit()
	job, err := l.s.Jobs().Job(t.Context(), poison)
	must(t, err)
	if want := "worker lost, 2 times now: a suspect, which waits until no other one runs"; job.Error == nil || *job.Error != want {
		t.Errorf("the suspect says %v, want %q", job.Error, want)
	}
	l.crashWith(poison, beside)
	events := checkHistory(t, l.s, beside)
	change, err := events[len(events)-1].StatusChange()
	must(t, err)
	if want := "worker lost beside a suspect: not counted"; change.Error == nil || *change.Error != want {
		t.Errorf("the bystander was shown %v, want %q", change.Error, want)
	}
}
