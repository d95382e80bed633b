package streams

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// TestCredentials says in what places a credential counts.
func TestCredentials(t *testing.T) {
	const stream = "/jobs/job_ffffffffffff/stream"
	s := newTestServer(t, testConfig(newBackend()))
	for name, tt := range map[string]struct {
		path   string
		header string
		status int
	}{
		"the query counts on streams":                  {stream + "?token=good", "", 404},
		"the query's other name counts too":            {stream + "?access_token=good", "", 404},
		"a header wins over the query":                 {stream + "?token=good", "Bearer bad", 401},
		"a malformed header wins over the query":       {stream + "?token=good", "good", 401},
		"a ticket that nobody issued is no credential": {stream + "?ticket=good&token=good", "", 401},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := call(t, s, apitest.Request{Method: "GET", Path: tt.path, Token: apitest.None, Header: map[string]string{"Authorization": tt.header}})
			if resp.StatusCode != tt.status {
				t.Errorf("status %d with %s, want %d", resp.StatusCode, body, tt.status)
			}
		})
	}
}

// TestAStopEndsStreams has the server stop: the streams end without a terminal event.
func TestAStopEndsStreams(t *testing.T) {
	b := withHistory(2, work.StatusProcessing)
	cfg := testConfig(b)
	cfg.Limits.spread = 50 * time.Millisecond
	addr, stop := run(t, cfg)
	w := openWatch(t, "http://"+addr, "")
	w.want("2 snapshot")
	started := time.Now()
	if err := stop(); err != nil {
		t.Errorf("Run: %v", err)
	}
	if took := time.Since(started); took > 10*time.Second {
		t.Errorf("the stop took %s", took)
	}
	w.wantEnd()
	if n := b.openStreams(); n != 0 {
		t.Errorf("%d streams are left", n)
	}
}

// TestRowRights opens streams and asks for tickets in every built-in role, for a job
// of one's own, of somebody else and of the system.
func TestRowRights(t *testing.T) {
	for _, role := range access.BuiltinRoles() {
		for whose, owner := range map[string]int{"one's own": 1001, "a foreign": access.AdminUserID, "the system's": access.SystemUserID} {
			b := withHistory(2, work.StatusCompleted)
			j := b.jobs[knownJob]
			j.UserID = owner
			b.jobs[knownJob] = j
			b.user = access.User{ID: 1001, Username: "eve", Role: role}
			s := newTestServer(t, testConfig(b))
			want := 200
			p := access.Principal{User: b.user, Scopes: []string{access.ScopeRead, access.ScopeWrite}}
			if p.PermitRow(access.JobsRead, access.Row{Owner: owner}) != nil {
				want = 404
			}
			for _, r := range []apitest.Request{
				{Method: "GET", Path: "/jobs/" + knownJob + "/stream"}, {Method: "POST", Path: "/jobs/" + knownJob + "/stream-ticket"},
			} {
				if resp, body := call(t, s, r); resp.StatusCode != want {
					t.Errorf("%s %s of %s job as %s: %d %s, want %d", r.Method, r.Path, whose, role, resp.StatusCode, body, want)
				}
			}
			if want == 404 {
				if resp, _ := call(t, s, apitest.Request{Method: "GET", Path: "/events?jobs=" + knownJob}); resp.StatusCode != want {
					t.Errorf("many jobs, %s as %s: %d, want %d", whose, role, resp.StatusCode, want)
				}
			}
		}
	}
}

// TestGrantedRows opens streams of a job of somebody else, which was granted, or another
// one was.
func TestGrantedRows(t *testing.T) {
	for id, want := range map[string]int{knownJob: 200, "job_ffffffffffff": 404} {
		b := withHistory(2, work.StatusCompleted)
		j := b.jobs[knownJob]
		j.UserID = access.AdminUserID
		b.jobs[knownJob] = j
		b.user = access.User{ID: 1001, Username: "eve", Role: "unknown"}
		b.rows = map[access.Permission]access.RowSet{access.JobsRead: {IDs: []string{id}}}
		s := newTestServer(t, testConfig(b))
		for _, r := range []apitest.Request{
			{Method: "GET", Path: "/jobs/" + knownJob + "/stream"}, {Method: "POST", Path: "/jobs/" + knownJob + "/stream-ticket"},
		} {
			if resp, body := call(t, s, r); resp.StatusCode != want {
				t.Errorf("%s %s, granted %s: %d %s, want %d", r.Method, r.Path, id, resp.StatusCode, body, want)
			}
		}
		if want == 404 {
			if resp, _ := call(t, s, apitest.Request{Method: "GET", Path: "/events?jobs=" + knownJob}); resp.StatusCode != want {
				t.Errorf("many jobs: %d, want %d", resp.StatusCode, want)
			}
		}
	}
}
