package jobs

import (
	"fmt"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// demand is a permission that a route takes, for the row or at all.
type demand struct {
	permission access.Permission
	ofRow      bool
}

const (
	oneJob   = "/jobs/" + apitest.KnownJob
	operated = "/admin/workers" + oneJob
)

// rowRequests is every request about one job, with what it demands.
var rowRequests = []struct {
	method, path string
	operation    string // that is tested by this
	status       work.Status
	demands      []demand
}{
	{"GET", oneJob, "jobs.show", work.StatusFailed, []demand{{access.JobsRead, true}}},
	{"GET", oneJob + "/attempts", "jobs.attempts", work.StatusProcessing, []demand{{access.JobsRead, true}}},
	{"GET", oneJob + "/wait", "jobs.wait", work.StatusApproved, []demand{{access.JobsRead, true}}},
	{"POST", oneJob + "/approve", "jobs.approve", work.StatusAwaitingApproval, []demand{{access.JobsApprove, true}}},
	{"POST", oneJob + "/retry", "jobs.retry", work.StatusFailed, []demand{{access.JobsWrite, true}}},
	{"DELETE", oneJob, "jobs.cancel", work.StatusApproved, []demand{{access.JobsCancel, true}}},
	{"DELETE", oneJob + "?purge=true", "jobs.cancel", work.StatusFailed, []demand{{access.JobsCancel, false}, {access.JobsDelete, true}}},
	{"DELETE", oneJob + "?purge=true&force=true", "jobs.cancel", work.StatusProcessing, []demand{{access.JobsCancel, false}, {access.JobsDelete, true}}},
	{"POST", operated + "/cancel", "workers.cancel-job", work.StatusProcessing, []demand{{access.WorkersManage, true}, {access.JobsCancel, true}}},
	{"PATCH", operated + "/priority?priority=5", "workers.reprioritize-job", work.StatusApproved, []demand{{access.WorkersManage, true}}},
}

// TestRowRights sends every request about a job, in every built-in role, for a job of
// one's own, of somebody else and of the system: what access.Principal.PermitRow
// allows happens, and nothing else reaches what is behind the API.
func TestRowRights(t *testing.T) {
	const own = 1001
	for _, c := range rowRequests {
		for _, role := range append(access.BuiltinRoles(), "made-up") {
			for whose, owner := range map[string]int{"one's own": own, "a foreign": access.AdminUserID, "the system's": access.SystemUserID} {
				t.Run(fmt.Sprintf("%s %s of %s job as %s", c.method, c.path, whose, role), func(t *testing.T) {
					f := newFake(c.status)
					j := f.jobs[apitest.KnownJob]
					j.UserID = owner
					f.jobs[j.ID] = j
					s, accounts := newServerAs(t, f)
					accounts.InRole(role)
					var want error
					status := 403
					for _, d := range c.demands {
						p := access.Principal{User: access.User{ID: own, Role: role}, Scopes: []string{access.ScopeRead, access.ScopeWrite}}
						err := p.Permit(d.permission)
						if d.ofRow {
							missing := kappa.NewError(kappa.CodeNotFound, "Job not found: "+apitest.KnownJob)
							if err = p.PermitSome(d.permission); err == nil {
								err = p.PermitFound(d.permission, access.Row{Owner: owner}, missing)
							}
						}
						if want == nil && kappa.ErrorCode(err) == kappa.CodeNotFound {
							status = 404
						}
						if want == nil {
							want = err
						}
					}
					resp, body := apitest.Call(t, s, apitest.Request{Method: c.method, Path: c.path})
					if want == nil {
						if resp.StatusCode != 200 {
							t.Errorf("%d %s, want 200", resp.StatusCode, body)
						}
						return
					}
					if p := apitest.WantProblem(t, resp, body, status); p.Detail != kappa.ErrorMessage(want) {
						t.Errorf("detail %q, want %q", p.Detail, kappa.ErrorMessage(want))
					}
					if len(f.did) != 0 || f.by != "" {
						t.Errorf("did %q, approved by %q", f.did, f.by)
					}
				})
			}
		}
		t.Run(c.operation+" is an operation on one job", func(t *testing.T) {
			apitest.Operations(t, newServer(t, newFake(c.status)), 1, func(op apitest.Operation) bool { return op.OperationID == c.operation })
		})
	}
	t.Run("no operation on one job is left out", func(t *testing.T) {
		ofJobs := apitest.Operations(t, newServer(t, newFake(work.StatusFailed)), 8, func(op apitest.Operation) bool {
			return op.Takes("path", "id") && op.OperationID != "jobs.act-status" // of jobs of one type alone; see TestActStatus
		})
		if len(ofJobs) != 8 {
			t.Errorf("%d operations on one job, of which 8 are tested", len(ofJobs))
		}
	})
}

// TestGrantedRows sends every request about a job as somebody who has what it demands for
// that job alone, for those of its ontology, for another job, or not at all, with a token
// of each scope: what is granted happens, and nothing else reaches what is behind the API.
func TestGrantedRows(t *testing.T) {
	sets := map[string]access.RowSet{
		"this job":               {IDs: []string{"job_000000000000", apitest.KnownJob}},
		"its ontology":           {Filters: []access.RowFilter{{"ontology": "notes"}}},
		"its ontology and type":  {Filters: []access.RowFilter{{"ontology": "notes", "job_type": "ingestion"}}},
		"another job":            {IDs: []string{"job_000000000000"}},
		"another ontology":       {Filters: []access.RowFilter{{"ontology": "letters"}}},
		"its ontology, no type":  {Filters: []access.RowFilter{{"ontology": "notes", "job_type": "noop"}}},
		"a filter nobody stores": {Filters: []access.RowFilter{{"color": "red"}}},
		"nothing":                {},
	}
	granted := map[string]bool{"this job": true, "its ontology": true, "its ontology and type": true}
	for _, c := range rowRequests {
		for name, set := range sets {
			for _, token := range []string{apitest.Good, apitest.ReadOnly} {
				f := newFake(c.status)
				j := f.jobs[apitest.KnownJob]
				j.UserID, j.Ontology, j.Type = access.AdminUserID, new("notes"), "ingestion"
				f.jobs[j.ID] = j
				s, accounts := newServerAs(t, f)
				reach, rows := map[access.Permission]access.Reach{}, map[access.Permission]access.RowSet{}
				allowed, inScope := granted[name], true
				for _, d := range c.demands {
					if d.permission.Resource() != "jobs" {
						reach[d.permission] = access.ReachAll
					} else {
						rows[d.permission] = set
					}
					inScope = inScope && (token == apitest.Good || d.permission.Reads())
				}
				allowed = allowed && inScope
				if len(rows) == 0 {
					continue // demands nothing of jobs
				}
				accounts.GrantRows(reach, rows)
				resp, body := apitest.Call(t, s, apitest.Request{Method: c.method, Path: c.path, Token: token})
				want := 403
				switch {
				case allowed:
					want = 200
				case inScope && name != "nothing":
					want = 404 // some are granted, and this one may not be seen
				}
				if resp.StatusCode != want {
					t.Errorf("%s %s, granted %s, %s token: %d %s, want %d", c.method, c.path, name, token, resp.StatusCode, body, want)
				}
				if !allowed && (len(f.did) != 0 || f.by != "") {
					t.Errorf("%s %s, granted %s, %s token: did %q", c.method, c.path, name, token, f.did)
				}
			}
		}
	}
}

// TestGrantedRowsAreListed lists what is one's own and what was granted, and no more.
func TestGrantedRowsAreListed(t *testing.T) {
	f := newFake(work.StatusFailed)
	for i, owner := range []int{1001, access.AdminUserID, access.SystemUserID} {
		j := apitest.Job(work.StatusFailed)
		j.ID, j.UserID = fmt.Sprintf("job_%012x", i), owner
		f.jobs[j.ID] = j
	}
	delete(f.jobs, apitest.KnownJob)
	s, accounts := newServerAs(t, f)
	for reach, want := range map[access.Reach]int{access.ReachNone: 1, access.ReachOwn: 2, access.ReachAll: 3} {
		accounts.GrantRows(map[access.Permission]access.Reach{access.JobsRead: reach}, map[access.Permission]access.RowSet{access.JobsRead: {IDs: []string{"job_000000000001"}}})
		if got := len(listed(t, s, "")); got != want {
			t.Errorf("reaching %v and one job: %d jobs, want %d", reach, got, want)
		}
	}
}

// TestBulkDeleteReachesAll deletes the jobs of everybody or of nobody: who may delete
// jobs of their own, which no built-in role may, gets past the route's permission and
// deletes nothing.
func TestBulkDeleteReachesAll(t *testing.T) {
	for _, reach := range []access.Reach{access.ReachNone, access.ReachOwn, access.ReachAll} {
		for _, query := range []string{"?confirm=true", "?dry_run=true"} {
			f := newFake(work.StatusFailed)
			s, accounts := newServerAs(t, f)
			accounts.Grant(map[access.Permission]access.Reach{access.JobsDelete: reach})
			resp, body := apitest.Call(t, s, apitest.Request{Method: "DELETE", Path: "/jobs" + query})
			if reach == access.ReachAll {
				if resp.StatusCode != 200 || len(f.did) != 1 {
					t.Errorf("%s reaching all: %d %s, did %q", query, resp.StatusCode, body, f.did)
				}
				continue
			}
			apitest.WantProblem(t, resp, body, 403)
			if len(f.did) != 0 {
				t.Errorf("%s reaching %v: did %q", query, reach, f.did)
			}
		}
	}
}

// TestListsShowOnlyWhatMayBeRead has a store that returns the jobs of others too, as
// when the name of one user is the id of another.
func TestListsShowOnlyWhatMayBeRead(t *testing.T) {
	for _, role := range access.BuiltinRoles() {
		f := newFake(work.StatusFailed)
		for i, owner := range []int{1001, access.AdminUserID, access.SystemUserID} {
			j := apitest.Job(work.StatusFailed)
			j.ID, j.UserID = fmt.Sprintf("job_%012x", i), owner
			f.jobs[j.ID] = j
		}
		delete(f.jobs, apitest.KnownJob)
		s, accounts := newServerAs(t, f)
		accounts.InRole(role)
		want := map[access.Reach]int{access.ReachOwn: 1, access.ReachAll: 3}[access.RoleReach(role, access.JobsRead)]
		if got := len(listed(t, s, "")); got != want {
			t.Errorf("as %s: %d jobs, want %d", role, got, want)
		}
		want = map[access.Reach]int{access.ReachAll: 3}[access.RoleReach(role, access.JobsRead)]
		if got := len(listed(t, s, "?client_id=admin")); got != want {
			t.Errorf("as %s: %d jobs of somebody else, want %d", role, got, want)
		}
	}
}

// TestPriorityIsARight has each role submit jobs of priorities: one above that of the job
// type, and above 0, takes the right by which priorities are changed.
func TestPriorityIsARight(t *testing.T) {
	for _, c := range []struct {
		role, body string
		want       int
	}{
		{access.RoleContributor, `{"job_type":"noop","priority":1}`, 403},
		{access.RoleContributor, `{"job_type":"noop","priority":100}`, 403},
		{access.RoleContributor, `{"job_type":"once","priority":8}`, 403},
		{access.RoleContributor, `{"job_type":"once","priority":7}`, 200},
		{access.RoleContributor, `{"job_type":"noop","priority":0}`, 200},
		{access.RoleContributor, `{"job_type":"noop","priority":-100}`, 200},
		{access.RoleCurator, `{"job_type":"noop","priority":1}`, 403},
		{access.RoleAdmin, `{"job_type":"noop","priority":100}`, 200},
	} {
		b := newFake(work.StatusPending)
		s, accounts := newServerAs(t, b)
		accounts.InRole(c.role)
		resp, answer := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/jobs", Body: c.body})
		if resp.StatusCode != c.want || (len(b.added) == 1) != (c.want == 200) {
			t.Errorf("%s submits %s: %d %s", c.role, c.body, resp.StatusCode, answer)
		}
	}
}
