package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/work"
)

// principals are those who act: each sees and may do something else.
func principals() map[string]access.Principal {
	scopes := []string{access.ScopeRead, access.ScopeWrite}
	as := func(id int, role string) access.Principal {
		return access.Principal{User: access.User{ID: id, Username: "user " + fmt.Sprint(id), Role: role}, Scopes: scopes}
	}
	granted := as(2001, "made-up")
	granted.Grants = map[access.Permission]access.Reach{access.JobsRead: access.ReachOwn, access.WorkersManage: access.ReachAll}
	granted.Rows = map[access.Permission]access.RowSet{
		access.JobsRead:   {Filters: []access.RowFilter{{"ontology": "notes"}}},
		access.JobsCancel: {Filters: []access.RowFilter{{"ontology": "notes", "job_type": "sleep"}}},
		access.JobsDelete: {Filters: []access.RowFilter{{"job_type": "noop"}}},
	}
	return map[string]access.Principal{"admin": as(access.SystemUserID, access.RoleAdmin), "curator": as(2000, access.RoleCurator), "contributor": as(2002, access.RoleContributor), "granted": granted}
}

// row is what permissions ask of a stored job.
func (j storedJob) row() access.Row {
	r := access.Row{Owner: j.user, ID: j.id, Type: j.jobType}
	if j.ontology != nil {
		r.Ontology = *j.ontology
	}
	return r
}

// afterAct is what an act makes of a job, said once more and naively: its status, or "" when
// it is gone; ok says whether the act can be done to it.
func afterAct(a work.JobAct, j storedJob, now time.Time) (status string, ok bool) {
	switch was := work.Status(j.status); a.Act {
	case work.ActApprove:
		return "approved", was == work.StatusAwaitingApproval
	case work.ActCancel:
		if was == work.StatusProcessing {
			return j.status, true
		}
		return "cancelled", !was.Terminal()
	case work.ActDelete:
		return "", a.Force || was != work.StatusProcessing
	case work.ActRetry:
		return j.status, (was == work.StatusFailed || was == work.StatusCancelled) && j.jobType != "polarity"
	case work.ActRunNow:
		return j.status, was == work.StatusApproved && !j.due && j.runAt.After(now)
	case work.ActPriority:
		return j.status, was == work.StatusApproved
	default:
		return j.status, false // no job of these is for remote workers
	}
}

// drawnManyAct is an act on random jobs, by a filter or by ids.
func drawnManyAct(t *rapid.T, all []storedJob, a work.Act) work.JobAct {
	act := work.JobAct{Act: a}
	switch a {
	case work.ActPriority:
		act.Priority = new(rapid.IntRange(-100, 100).Draw(t, "priority"))
	case work.ActMove:
		act.Queue = "elsewhere"
	case work.ActDelete:
		act.Force = rapid.Bool().Draw(t, "force")
	}
	if rapid.Bool().Draw(t, "by ids") {
		for range rapid.IntRange(1, 30).Draw(t, "ids") {
			act.Filter.IDs = append(act.Filter.IDs, rapid.SampledFrom(all).Draw(t, "job").id)
		}
		act.Filter.IDs = append(act.Filter.IDs, "job_ffffffffffff")
		return act
	}
	f := &act.Filter
	f.Type = rapid.SampledFrom([]string{"", "noop", "sleep"}).Draw(t, "type")
	f.Ontology = rapid.SampledFrom([]string{"", "", "notes"}).Draw(t, "ontology")
	f.Queue = rapid.SampledFrom([]string{"", "slow"}).Draw(t, "queue")
	f.User = rapid.SampledFrom([]string{"", "", "user 2001", "2002"}).Draw(t, "user")
	f.Error = rapid.SampledFrom([]string{"", "", "timed OUT"}).Draw(t, "error")
	return act
}

// barred says that jobs of the type polarity are not submitted again.
func barred(a work.JobAct) func(string) string {
	return func(jobType string) string {
		if a.Act == work.ActRetry && jobType == "polarity" {
			return "Jobs of the type polarity cannot be submitted again"
		}
		return ""
	}
}

// TestActAgainstModel does random acts on random jobs as several users, at once and by a job,
// and compares with a naive model what is selected, what becomes of each job and of all
// others, and that nobody acts on or learns of what he may not see.
func TestActAgainstModel(t *testing.T) {
	t.Parallel()
	checkActs(t, 25)
}

func TestActAgainstModel_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkActs(t, allExamples)
}

func checkActs(t *testing.T, examples int) {
	t.Helper()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	register(t, s, workerA)
	everybody := principals()
	checkSome(t, examples, func(r *rapid.T) {
		_, err := conn.Exec(t.Context(), "DELETE FROM kg_api.jobs; TRUNCATE kg_api.provider_waits, kg_api.job_events; DELETE FROM kg_api.users WHERE id BETWEEN 2000 AND 2002; "+variedJobs)
		must(t, err)
		before := readVaried(t, conn)
		who := everybody[rapid.SampledFrom([]string{"admin", "contributor", "curator", "granted"}).Draw(r, "who")]
		a := drawnManyAct(r, before, rapid.SampledFrom(work.Acts()).Draw(r, "act"))
		now := time.Now()
		want := map[string]bool{}     // that are selected, and whether it can be done
		unseen := map[string]string{} // that were asked for
		for _, j := range before {
			seen := who.PermitRow(access.JobsRead, j.row()) == nil
			_, can := afterAct(a, j, now)
			can = can && who.PermitRow(a.Act.Permission(), j.row()) == nil
			switch asked := slices.Contains(a.Filter.IDs, j.id); {
			case asked && seen, len(a.Filter.IDs) == 0 && seen && selects(a.Filter, j, now) && slices.Contains(a.Statuses(), work.Status(j.status)):
				want[j.id] = can
			case asked:
				unseen[j.id] = "Job not found: " + j.id
			}
		}
		if len(a.Filter.IDs) > 0 {
			unseen["job_ffffffffffff"] = "Job not found: job_ffffffffffff"
		}
		if !a.Narrow(who) && len(a.Filter.IDs) == 0 {
			if len(want) > 0 {
				r.Fatalf("%v: nothing is said to be selected, want %d", a, len(want))
			}
			return
		}
		a.Barred = barred(a)
		preview, err := s.Jobs().Preview(t.Context(), a)
		must(t, err)
		if int(preview.Selected) != len(want) || len(preview.Jobs) != min(len(want), work.ActPreview) {
			r.Fatalf("%+v: a dry run selects %d and shows %d, want %d", a, preview.Selected, len(preview.Jobs), len(want))
		}
		if again := readVaried(t, conn); fmt.Sprint(len(again), again[0].status) != fmt.Sprint(len(before), before[0].status) {
			r.Fatal("a dry run changes jobs")
		}
		var outcomes []work.ActOutcome
		if rapid.Bool().Draw(r, "by a job") && len(a.Filter.IDs) == 0 {
			outcomes = byJob(t, s, a)
		} else {
			report, err := s.Jobs().Act(t.Context(), a)
			must(t, err)
			outcomes = report.Outcomes
		}
		checkOutcomes(r, a, outcomes, want, unseen)
		checkActed(r, a, before, readVaried(t, conn), want, now)
	})
}

// byJob has a job do an act, in parts of a few jobs, and returns what it says of each job.
func byJob(t *testing.T, s *postgres.DB, a work.JobAct) []work.ActOutcome {
	t.Helper()
	report, err := s.Jobs().ActByJob(t.Context(), a)
	must(t, err)
	c := claimAction(t, s)
	if c.JobID != report.JobID {
		t.Fatalf("claimed %s, want %s", c.JobID, report.JobID)
	}
	figures := doParts(t, s, c, a, 1000)
	_, err = s.Claims().Finish(t.Context(), c.Worker, []work.Outcome{{Claim: c, Status: work.StatusCompleted}})
	must(t, err)
	if figures.Done+figures.Refused != report.Selected {
		t.Fatalf("%+v, selected %d", figures, report.Selected)
	}
	return allOutcomes(t, s, report.JobID, "")
}

// claimAction claims the job of an act.
func claimAction(t *testing.T, s *postgres.DB) work.Claim {
	t.Helper()
	batch, err := s.Claims().Claim(t.Context(), work.ClaimRequest{Lane: "actions", Worker: workerA, Types: []string{work.TypeJobAction}, Most: 1})
	must(t, err)
	if len(batch.Claims) != 1 {
		t.Fatal("the job of the act is not claimed")
	}
	return batch.Claims[0]
}

// doParts does up to so many parts of an act.
func doParts(t *testing.T, s *postgres.DB, c work.Claim, a work.JobAct, most int) work.ActFigures {
	t.Helper()
	var stored work.JobAct
	must(t, json.Unmarshal(c.Data, &stored))
	stored.Barred = a.Barred
	for range most {
		_, more, err := s.Jobs().ActPart(t.Context(), c, stored, work.ActFigures{}, func(work.ActFigures) work.Checkpoint { return work.Checkpoint{} })
		must(t, err)
		if !more {
			break
		}
	}
	figures, err := s.Jobs().ActFigures(t.Context(), c.JobID)
	must(t, err)
	return figures
}

// allOutcomes reads the outcomes of an act, page by page.
func allOutcomes(t *testing.T, s *postgres.DB, id string, kind work.OutcomeKind) (all []work.ActOutcome) {
	t.Helper()
	for cursor := ""; ; {
		page, next, err := s.Jobs().ActOutcomes(t.Context(), id, kind, cursor, 7)
		must(t, err)
		all = append(all, page...)
		if next == "" {
			return all
		}
		cursor = next
	}
}

// checkOutcomes compares what was said of each job with what was wanted.
func checkOutcomes(r *rapid.T, a work.JobAct, outcomes []work.ActOutcome, want map[string]bool, unseen map[string]string) {
	told := map[string]bool{}
	for _, o := range outcomes {
		if told[o.JobID] {
			r.Fatalf("%s: %s is told of twice", a.Act, o.JobID)
		}
		told[o.JobID] = true
		can, selected := want[o.JobID]
		reason, hidden := unseen[o.JobID]
		switch {
		case hidden && (o.Outcome != work.OutcomeRefused || o.Reason != reason):
			r.Fatalf("%s: %+v of a job that may not be seen, want %q", a.Act, o, reason)
		case !hidden && !selected:
			r.Fatalf("%s: %+v of a job that is not selected", a.Act, o)
		case selected && (o.Outcome == work.OutcomeDone) != can:
			r.Fatalf("%s: %+v, want done %t", a.Act, o, can)
		case (o.Outcome == work.OutcomeRefused) != (o.Reason != ""):
			r.Fatalf("%s: %+v", a.Act, o)
		}
	}
	if len(told) != len(want)+len(unseen) {
		r.Fatalf("%s: %d jobs are told of, want %d", a.Act, len(told), len(want)+len(unseen))
	}
}

// checkActed compares the jobs after an act with what the model makes of those before.
func checkActed(r *rapid.T, a work.JobAct, before, after []storedJob, want map[string]bool, now time.Time) {
	is, retried := map[string]storedJob{}, 0
	for _, j := range after {
		is[j.id] = j
	}
	for _, j := range before {
		status := j.status
		if want[j.id] {
			status, _ = afterAct(a, j, now)
			if a.Act == work.ActRetry {
				retried++
			}
		}
		got, there := is[j.id]
		delete(is, j.id)
		if there != (status != "") || there && got.status != status {
			r.Fatalf("%s of %s, which was %s and is wanted %t: %t %s, want %q", a.Act, j.id, j.status, want[j.id], there, got.status, status)
		}
		if a.Act == work.ActPriority && want[j.id] && got.priority != *a.Priority || !want[j.id] && got.priority != j.priority {
			r.Fatalf("%s of %s: its priority is %d after %d", a.Act, j.id, got.priority, j.priority)
		}
		if a.Act == work.ActRunNow && want[j.id] && !got.due {
			r.Fatalf("%s is not due", j.id)
		}
	}
	for id, j := range is {
		if j.jobType == work.TypeJobAction {
			delete(is, id)
		}
	}
	if len(is) != retried {
		r.Fatalf("%s: %d new jobs, want %d", a.Act, len(is), retried)
	}
}

// TestActAfterCrashes lets acts meet servers that die.
func TestActAfterCrashes(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	for range 40 {
		submit(t, s, "noop")
	}
	a := work.JobAct{Act: work.ActCancel, Filter: work.JobFilter{Type: "noop"}}
	a.Narrow(principals()["admin"])
	lost := 0
	broken, err := postgres.Open(t.Context(), postgres.Config{DSN: dsn, AcquireTimeout: connectLimit, Hook: func(_ context.Context, point string) error {
		if point == "after ActionPartDone" && lost%2 == 0 || point == "after COMMIT" && lost%2 == 1 {
			lost++
			return errors.New("the answer is lost")
		}
		return nil
	}})
	must(t, err)
	t.Cleanup(broken.Close)
	report, err := s.Jobs().ActByJob(t.Context(), a)
	must(t, err)
	c := claimAction(t, s)
	for range 4 { // one part that is not done, and one whose answer is lost, by turns
		if _, _, err := broken.Jobs().ActPart(t.Context(), c, a, work.ActFigures{}, func(work.ActFigures) work.Checkpoint { return work.Checkpoint{} }); err == nil {
			t.Error("a lost statement is no error")
		}
	}
	done := allOutcomes(t, s, report.JobID, work.OutcomeDone)
	if open := allOutcomes(t, s, report.JobID, work.OutcomeOpen); len(done) != 2*postgres.ActPart() || len(done)+len(open) != 40 {
		t.Fatalf("%d done and %d open after two parts of 40", len(done), len(open))
	}
	figures := doParts(t, s, c, a, 1000)
	if figures != (work.ActFigures{Selected: 40, Done: 40}) {
		t.Errorf("%+v, want 40 done", figures)
	}
	for _, o := range allOutcomes(t, s, report.JobID, "") {
		if events := checkHistory(t, s, o.JobID); count(events, work.EventCancelled) != 1 {
			t.Errorf("the history of %s is %v", o.JobID, events)
		}
	}
}

// TestActIsCancelled stops an act in the middle, and one whose claim is lost.
func TestActIsCancelled(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	for range 30 {
		submit(t, s, "noop")
	}
	a := work.JobAct{Act: work.ActCancel, Filter: work.JobFilter{Type: "noop"}}
	a.Narrow(principals()["admin"])
	report, err := s.Jobs().ActByJob(t.Context(), a)
	must(t, err)
	c := claimAction(t, s)
	doParts(t, s, c, a, 1)
	running, err := s.Jobs().Cancel(t.Context(), report.JobID)
	must(t, err)
	next := func(work.ActFigures) work.Checkpoint { return work.Checkpoint{} }
	if _, _, err := s.Jobs().ActPart(t.Context(), c, a, work.ActFigures{}, next); !running || !errors.Is(err, kappa.ErrCancelled) {
		t.Errorf("the next part of a cancelled act: %v", err)
	}
	stale := c
	stale.Token--
	if _, _, err := s.Jobs().ActPart(t.Context(), stale, a, work.ActFigures{}, next); !errors.Is(err, kappa.ErrStale) {
		t.Errorf("a part under an old claim: %v", err)
	}
	if done, open := allOutcomes(t, s, report.JobID, work.OutcomeDone), allOutcomes(t, s, report.JobID, work.OutcomeOpen); len(done) != 2*postgres.ActPart() || len(done)+len(open) != 30 {
		t.Errorf("%d done, %d open", len(done), len(open))
	}
}

// TestActExpects refuses acts on other jobs than were expected, and changes nothing.
func TestActExpects(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	for range 20 {
		submit(t, s, "noop")
	}
	for expect, ok := range map[int64]bool{0: false, 17: false, 18: false, 19: true, 20: true, 22: true, 23: false, 1000: false} {
		a := work.JobAct{Act: work.ActPriority, ActOptions: work.ActOptions{Priority: new(7)}, Filter: work.JobFilter{Type: "noop"}, Expect: &expect}
		a.Narrow(principals()["admin"])
		_, atOnce := s.Jobs().Act(t.Context(), a)
		_, later := s.Jobs().ActByJob(t.Context(), a)
		for _, err := range []error{atOnce, later} {
			if (err == nil) != ok || err != nil && kappa.ErrorCode(err) != kappa.CodeConflict {
				t.Errorf("expected %d of 20: %v", expect, err)
			}
		}
	}
	acts, err := s.Jobs().Jobs(t.Context(), work.JobFilter{Type: work.TypeJobAction, Limit: 50})
	must(t, err)
	if len(acts) != 3 {
		t.Errorf("%d jobs were made for acts, want 3", len(acts))
	}
}
