package jobs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// TestActionIsRefused sends acts that select nothing or everything, or whose words are unknown
// or contradict each other: each is refused with what there is, and reaches nothing.
func TestActionIsRefused(t *testing.T) {
	for body, want := range map[string]string{
		`{"act": "cancel"}`:               "selects every job",
		`{"act": "cancel", "filter": {}}`: "narrow it by age, ",
		`{"act": "cancel", "ids": []}`:    "or all when every job is meant",
		`{"act": "delete", "filter": {"status": "pending,awaiting_approval,approved,processing,completed,failed,cancelled"}}`: "selects every job",
		`{"act": "delete", "filter": {"priority": "-100.."}}`:                                                                 "selects every job",
		`{"act": "explode", "all": true}`:                                                                                     "must be one of approve, cancel, retry, delete, priority, run-now, move-to-queue",
		`{"act": "cancel", "filter": {"colour": "red"}}`:                                                                      "is no filter of jobs; there are age, ",
		`{"act": "cancel", "filter": {"limit": 3}}`:                                                                           "is no filter of an act; there are age, ",
		`{"act": "cancel", "filter": {"lane": ""}}`:                                                                           "must not be empty",
		`{"act": "cancel", "filter": {"status": "failed"}}`:                                                                   "cancel can be done to jobs that are pending,awaiting_approval,approved,processing, and the filter selects those that are failed",
		`{"act": "cancel", "filter": {"status": "failed", "waits_for": "time"}}`:                                              "contradicts another filter",
		`{"act": "cancel", "filter": {"lane": "l"}, "ids": ["job_0123456789ab"]}`:                                             "must not come with a filter or all",
		`{"act": "cancel", "filter": {"lane": "l"}, "all": true}`:                                                             "must not come with a filter that narrows",
		`{"act": "cancel", "ids": ["all"]}`:                                                                                   "must be ids of jobs",
		`{"act": "cancel", "all": true, "priority": 3}`:                                                                       "belongs to the act priority, not to cancel",
		`{"act": "cancel", "all": true, "force": true}`:                                                                       "belongs to the act delete",
		`{"act": "priority", "all": true}`:                                                                                    "priority: is required",
		`{"act": "priority", "all": true, "priority": 101}`:                                                                   "must be at most 100",
		`{"act": "move-to-queue", "all": true}`:                                                                               "letters, digits and _",
		`{"act": "retry", "all": true, "from": "middle"}`:                                                                     "must be one of start, checkpoint",
		`{"act": "approve", "all": true, "budget": "much"}`:                                                                   "must be US dollars",
		`{"act": "cancel", "all": true, "expect": -1}`:                                                                        "must be how many jobs the dry run has selected",
	} {
		f := newFake(work.StatusFailed)
		resp, problem := apitest.Call(t, newServer(t, f), apitest.Request{Method: "POST", Path: "/jobs/actions", Body: body})
		apitest.WantProblem(t, resp, problem, 422)
		if !strings.Contains(problem, want) || len(f.did) > 0 || f.act.Act != "" {
			t.Errorf("%s: %s, want %q; did %q", body, problem, want, f.did)
		}
	}
}

// TestAction does acts, and reads what the store is asked for and what the caller is told.
func TestAction(t *testing.T) {
	post := func(t *testing.T, f *fake, role, body string) (int, api.JobActReply) {
		t.Helper()
		s, accounts := newServerAs(t, f)
		accounts.InRole(role)
		resp, text := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/jobs/actions", Body: body})
		var reply api.JobActReply
		if err := json.Unmarshal([]byte(text), &reply); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, reply
	}
	t.Run("a filter has the words of the list, as texts, lists, numbers and flags", func(t *testing.T) {
		f := newFake(work.StatusFailed)
		f.report = work.ActReport{ActFigures: work.ActFigures{Selected: 2, Done: 1, Refused: 1}, Outcomes: []work.ActOutcome{
			{JobID: apitest.KnownJob, Outcome: work.OutcomeDone}, {JobID: "job_00000000000b", Outcome: work.OutcomeRefused, Reason: "no"},
		}}
		status, reply := post(t, f, access.RoleAdmin, `{"act": "retry", "filter": {"priority": 5, "dead": true, "data": ["a=b"], "data.c": "d", "error": "timed out"}, "expect": 2}`)
		if status != 200 || len(reply.Outcomes) != 2 || reply.Message != "retry: 1 job done, 1 refused" || reply.JobID != nil {
			t.Errorf("%d %+v", status, reply)
		}
		a := f.act
		if a.Filter.Error != "timed out" || !a.Filter.Dead || len(a.Filter.Data) != 2 || *a.Filter.Priority.Least != 5 || a.May != nil || a.Filter.Visible != nil || *a.Expect != 2 {
			t.Errorf("asked for %+v", a)
		}
		if len(a.Filter.Statuses) != 1 || a.Filter.Statuses[0] != work.StatusFailed {
			t.Errorf("of the statuses %q", a.Filter.Statuses)
		}
		if a.Barred("once") == "" || a.Barred("noop") != "" {
			t.Error("what cannot be submitted again is not barred, or something else is")
		}
	})
	t.Run("a dry run does nothing", func(t *testing.T) {
		f := newFake(work.StatusFailed)
		f.report = work.ActReport{ActFigures: work.ActFigures{Selected: 1234}, Denied: 3, Jobs: []work.Job{apitest.Job(work.StatusFailed)}}
		status, reply := post(t, f, access.RoleAdmin, `{"act": "delete", "filter": {"status": "failed"}, "dry_run": true}`)
		if status != 200 || !reply.DryRun || reply.Selected != 1234 || len(reply.Jobs) != 1 || reply.Message != "Would delete 1234 jobs; 3 of them may be seen, but not acted on" || len(f.did) > 0 {
			t.Errorf("%d %+v, did %q", status, reply, f.did)
		}
	})
	t.Run("who may see own jobs only acts on these", func(t *testing.T) {
		f := newFake(work.StatusFailed)
		if status, _ := post(t, f, access.RoleContributor, `{"act": "cancel", "all": true}`); status != 200 || f.act.Filter.Visible == nil || f.act.Filter.Visible.Owner == 0 || f.act.May == nil || f.act.May.Owner == 0 {
			t.Errorf("%d, asked for %+v", status, f.act)
		}
	})
	t.Run("who may see all jobs and cancel own ones is told so of the others", func(t *testing.T) {
		f := newFake(work.StatusFailed)
		if status, _ := post(t, f, access.RoleCurator, `{"act": "cancel", "all": true}`); status != 200 || f.act.Filter.Visible != nil || f.act.May == nil || f.act.May.Owner == 0 {
			t.Errorf("%d, asked for %+v", status, f.act)
		}
	})
	for role, act := range map[string]string{access.RoleReadOnly: "cancel", access.RoleContributor: "delete", access.RoleCurator: "priority"} {
		t.Run("it takes the permission of the act: "+act, func(t *testing.T) {
			f := newFake(work.StatusFailed)
			body := `{"act": "` + act + `", "all": true}`
			if act == "priority" {
				body = `{"act": "priority", "all": true, "priority": 1}`
			}
			if status, _ := post(t, f, role, body); status != 403 || len(f.did) > 0 {
				t.Errorf("%d, did %q", status, f.did)
			}
		})
	}
}

// TestActStatus shows acts to who asked for them, and to those who may see all jobs.
func TestActStatus(t *testing.T) {
	next := kappa.Cursor{List: kappa.ListOutcomes, Keys: []int64{1, 2}, Of: apitest.KnownJob}.String()
	for _, c := range []struct {
		name, jobType, role, query string
		owner, want                int
	}{
		{"one's own", work.TypeJobAction, access.RoleContributor, "", 1001, 200},
		{"a foreign one", work.TypeJobAction, access.RoleContributor, "", 1002, 404},
		{"a foreign one, to who may see all", work.TypeJobAction, access.RoleCurator, "", 1002, 200},
		{"a job that is no act", "noop", access.RoleAdmin, "", 1001, 404},
		{"the next page", work.TypeJobAction, access.RoleAdmin, "?cursor=" + next, 1001, 200},
		{"a cursor of another act", work.TypeJobAction, access.RoleAdmin, "?cursor=" + kappa.Cursor{List: kappa.ListOutcomes, Keys: []int64{1, 2}, Of: "job_00000000000a"}.String(), 1001, 422},
		{"a cursor of another list", work.TypeJobAction, access.RoleAdmin, "?cursor=" + kappa.Cursor{List: kappa.ListJobs, Keys: []int64{1}}.String(), 1001, 422},
		{"outcomes that there are not", work.TypeJobAction, access.RoleAdmin, "?outcome=lost", 1001, 422},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(work.StatusProcessing)
			j := f.jobs[apitest.KnownJob]
			j.Type, j.UserID = c.jobType, c.owner
			f.jobs[j.ID] = j
			f.report.ActFigures, f.next = work.ActFigures{Selected: 10, Done: 3, Refused: 2}, next
			s, accounts := newServerAs(t, f)
			accounts.InRole(c.role)
			resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/jobs/actions/" + apitest.KnownJob + c.query})
			if resp.StatusCode != c.want || c.want == 200 && (!strings.Contains(body, `"open":5`) || !strings.Contains(body, next)) {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
}

// TestRetriedJob shows what a job was submitted again as, to who may see that.
func TestRetriedJob(t *testing.T) {
	for owner, shown := range map[int]bool{1001: true, 1002: false} {
		f := newFake(work.StatusFailed)
		j := f.jobs[apitest.KnownJob]
		j.UserID = 1001
		f.jobs[j.ID] = j
		f.retried = &work.JobLink{JobID: "job_00000000000c", Status: work.StatusCompleted, Of: access.Row{Owner: owner}}
		s, accounts := newServerAs(t, f)
		accounts.InRole(access.RoleContributor)
		if _, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: oneJob}); strings.Contains(body, "job_00000000000c") != shown {
			t.Errorf("a retry of user %d: %s", owner, body)
		}
	}
}

// TestRetryOptions retries from the checkpoint, from the start and with other data.
func TestRetryOptions(t *testing.T) {
	for _, c := range []struct {
		jobType, query, body string
		want                 int
		says                 string
	}{
		{"sleep", "?from=checkpoint", "", 200, ""},
		{"noop", "?from=checkpoint", "", 409, "keep no checkpoint"},
		{"ingestion", "?from=checkpoint", "", 200, ""},
		{"ingestion", "?from=start", "", 200, ""},
		{"noop", "?from=middle", "", 422, "must be one of start, checkpoint"},
		{"sleep", "", `{"data": {"ms": 1}}`, 200, ""},
		{"sleep", "", `{"data": {"ms": "long"}}`, 422, "must be a whole number"},
		{"sleep", "?from=checkpoint", `{"data": {"ms": 1}}`, 422, "must not be checkpoint with other data"},
		{"ingestion", "", `{"data": {}}`, 409, "it is about a document"},
	} {
		f := newFake(work.StatusFailed)
		j := f.jobs[apitest.KnownJob]
		j.Type = c.jobType
		f.jobs[j.ID] = j
		resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "POST", Path: oneJob + "/retry" + c.query, Body: c.body})
		if resp.StatusCode != c.want || !strings.Contains(body, c.says) || (len(f.did) == 1) != (c.want == 200) {
			t.Errorf("%s %s %s: %d %s, did %q", c.jobType, c.query, c.body, resp.StatusCode, body, f.did)
		}
	}
}
