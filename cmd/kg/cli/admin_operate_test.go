package cli

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func TestWorkersCancelAndPriority(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("POST /admin/workers/jobs/job_1/cancel", `{"job_id":"job_1","cancelled":true,"message":"Cancellation flag set."}`)
	f.refuse("POST /admin/workers/jobs/job_2/cancel", 409, "Job not running (status: approved). Use DELETE /jobs/job_2 for queued jobs.")
	f.answer("PATCH /admin/workers/jobs/job_1/priority", `{"job_id":"job_1","old_priority":10,"new_priority":-50}`)
	f.refuse("PATCH /admin/workers/jobs/job_2/priority", 422, "priority: must be at most 100, got 101")
	c := f.console(t)
	for _, tt := range []struct {
		line string
		code int
		out  string
	}{
		{"admin workers cancel job_1", exit.OK, "job_1  Cancellation flag set.\n"},
		{"admin workers cancel job_2", exit.Failed, ""},
		{"admin workers priority job_1 -- -50", exit.OK, "job_1  priority 10 → -50\n"},
		{"admin workers priority job_1 50 -o jsonl", exit.OK, `{"job_id":"job_1","old_priority":10,"new_priority":-50}` + "\n"},
		{"admin workers priority job_2 101", exit.Misused, ""},
	} {
		if c.run(t.Context(), strings.Fields(tt.line)...); c.code != tt.code || c.out != tt.out {
			t.Errorf("%s: code %d, stdout %q, stderr %q", tt.line, c.code, c.out, c.err)
		}
	}
	if !strings.Contains(strings.Join(f.requests, "\n"), "PATCH /admin/workers/jobs/job_1/priority?priority=-50") {
		t.Errorf("asked %q", f.requests)
	}
}

func TestWorkersWatch(t *testing.T) {
	// watch ends the command at its n-th look, as Ctrl-C does.
	watch := func(t *testing.T, looks int, answer func(look int, f *fakeAPI, w http.ResponseWriter), flags ...string) *console {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f := newFakeAPI(t)
		f.answer("GET /admin/workers/lanes", `{"lanes":[`+oneLane+`]}`)
		look := 0
		f.HandleFunc("GET /admin/workers/status", func(w http.ResponseWriter, r *http.Request) {
			if look++; look == looks {
				cancel()
				<-r.Context().Done()
				return
			}
			answer(look, f, w)
		})
		return f.console(t).run(ctx, append([]string{"admin", "workers", "--watch", "--interval", "200ms"}, flags...)...)
	}
	status := func(_ int, f *fakeAPI, w http.ResponseWriter) {
		f.json(w, `{"total_slots":2,"slots_in_use":1,"unclaimed_types":["x"],"running_jobs":[{"job_id":"job_1","job_type":"noop","lane":"interactive","heartbeat_age_seconds":1.26,"claimed_by":"w1"}]}`)
	}
	t.Run("elsewhere than on a terminal each look is a block, and the end is no failure", func(t *testing.T) {
		c := watch(t, 3, status)
		if c.code != exit.OK || c.err != "" || strings.Count(c.out, "1 of 2 slots in use") != 2 || strings.Contains(c.out, "\x1b") ||
			!strings.Contains(c.out, "job_1    noop  interactive       1.3 s ago  w1\n") || !strings.Contains(c.out, "\nNo enabled lane claims: x\n\n") {
			t.Errorf("code %d, stderr %q, stdout\n%s", c.code, c.err, c.out)
		}
	})
	t.Run("jsonl is a line for each look", func(t *testing.T) {
		if c := watch(t, 3, status, "-o", "jsonl"); c.code != exit.OK || strings.Count(c.out, "\n") != 2 || !strings.HasPrefix(c.out, `{"total_slots":2`) {
			t.Errorf("code %d, stdout %q", c.code, c.out)
		}
	})
	t.Run("a server that is away for a while is looked for again", func(t *testing.T) {
		c := watch(t, 4, func(look int, f *fakeAPI, w http.ResponseWriter) {
			if look == 2 {
				f.problem(w, http.StatusServiceUnavailable, "the database does not answer")
				return
			}
			status(look, f, w)
		})
		if c.code != exit.OK || !strings.Contains(c.err, "the database does not answer") || strings.Count(c.out, "1 of 2 slots in use") != 2 {
			t.Errorf("code %d, stderr %q, stdout\n%s", c.code, c.err, c.out)
		}
	})
	t.Run("what will not pass ends it", func(t *testing.T) {
		c := watch(t, 9, func(look int, f *fakeAPI, w http.ResponseWriter) {
			if look == 2 {
				f.problem(w, http.StatusForbidden, "Permission denied: view on workers")
				return
			}
			status(look, f, w)
		})
		if c.code != exit.NotAllowed || !strings.Contains(c.err, "Permission denied") {
			t.Errorf("code %d, stderr %q", c.code, c.err)
		}
	})
	t.Run("a server that is not there at first is a failure", func(t *testing.T) {
		c := newConsole(t)
		c.env["KG_API_URL"] = "http://127.0.0.1:1"
		if c.run(t.Context(), "admin", "workers", "--watch"); c.code != exit.Unreachable {
			t.Errorf("code %d, stderr %q", c.code, c.err)
		}
	})
}

func TestGraphInMemory(t *testing.T) {
	for _, tt := range []struct {
		answer string
		want   []string
	}{
		{
			`{"state":"ready","reason":"","epoch":7,"concepts":1200,"edges":3400,"memory_bytes":2097152,"memory_limit_bytes":1073741824,"lag_seconds":0.5,"behind_transactions":1,"loads":1,"load_seconds":0.25,"changes":3,"transactions":2}`,
			[]string{"used for queries", "2.0 MB of 1024.0 MB", "1,200 concepts, 3,400 relationships", "1 transaction behind", "3 changes of 2 transactions"},
		},
		{`{"state":"too_large","reason":"it needs 2 MB","lag_seconds":null,"memory_limit_bytes":1048576}`, []string{"too large", "(it needs 2 MB)", "of 1.0 MB"}},
		{`{"state":"unheard","reason":""}`, []string{"unheard"}},
		{`{"state":"ready","search":{"ready":true,"embeddings":true,"concepts":1300,"memory_bytes":3145728,"memory_limit_bytes":4194304,"lag_seconds":0.5}}`, []string{"Searches       in memory\n", "3.0 MB of 4.0 MB", "1,300 concepts"}},
		{`{"state":"off","search":{"ready":true,"lag_seconds":1}}`, []string{"in memory, without embeddings"}},
		{`{"state":"off","search":{"ready":false,"reason":"above its memory"}}`, []string{"read the tables (above its memory)"}},
	} {
		f := newFakeAPI(t)
		f.answer("GET /admin/graph/status", tt.answer)
		c := f.console(t).run(t.Context(), "admin", "graph")
		for _, want := range tt.want {
			if c.code != 0 || !strings.Contains(c.out, want) {
				t.Errorf("code %d, no %q in %s%s", c.code, want, c.out, c.err)
			}
		}
	}
}

func TestScheduler(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /admin/scheduler/status", `{"running":false,"config":{"cleanup_interval":3600,"approval_timeout":24,"completed_retention":48,"failed_retention":168},
		"stats":{"jobs_by_status":{"failed":1234},"last_cleanup":null,"next_cleanup":"2020-01-01T00:00:00.000Z"}}`)
	f.answer("POST /admin/scheduler/cleanup", `{"success":true,"message":"Cleanup completed successfully","note":"7 jobs deleted"}`)
	c := f.console(t).run(t.Context(), "admin", "scheduler", "status")
	for _, says := range []string{"not running: no server leads", "Cleanup every      1 h 0 min\n", "Last cleanup       -\n", "completed and cancelled 48 h, failed 168 h\n", "failed             1,234\n", "processing             0\n"} {
		if !strings.Contains(c.out, says) {
			t.Errorf("does not say %q:\n%s", says, c.out)
		}
	}
	if c.run(t.Context(), "admin", "scheduler", "cleanup"); c.out != "Cleanup completed successfully: 7 jobs deleted\n" {
		t.Errorf("stdout %q, stderr %q", c.out, c.err)
	}
}

func TestSchedules(t *testing.T) {
	const nightly = `{"name":"nightly","job_type":"noop","cron":"30 2 * * *","time_zone":"Europe/Berlin","enabled":false,"last_outcome":"skipped"}`
	f := newFakeAPI(t)
	sent := map[string]string{}
	for route, body := range map[string]string{
		"GET /admin/schedules":              `{"schedules":[` + nightly + `]}`,
		"POST /admin/schedules":             nightly,
		"PATCH /admin/schedules/nightly":    nightly,
		"POST /admin/schedules/nightly/run": `{"job_id":"job_1","status":"approved","message":"Job approved."}`,
		"GET /admin/schedules/nightly/runs": `{"runs":[{"scheduled_for":"2026-01-31T08:00:00.000Z","skip_reason":"2 jobs wait"},{"scheduled_for":"2026-01-31T07:00:00.000Z","job_id":"job_2"}]}`,
		"DELETE /admin/schedules/nightly":   "",
	} {
		f.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
			b, _ := io.ReadAll(r.Body)
			sent[r.Method] = string(b)
			if body == "" {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			f.json(w, body)
		})
	}
	local := func(hour int) string {
		return time.Date(2026, 1, 31, hour, 0, 0, 0, time.UTC).Local().Format("01-02 15:04")
	}
	c := f.console(t)
	for _, tt := range []struct {
		args []string
		out  string // contained
		sent string // of the method that is named first
	}{
		{[]string{"list"}, "nightly   noop  30 2 * * *  Europe/Berlin  disabled  skipped\n", ""},
		{
			[]string{"add", "nightly", "--type", "noop", "--cron", "30 2 * * *", "--zone", "Europe/Berlin", "--disable", "--data", `{"a":1}`},
			"nightly   noop",
			`POST {"name":"nightly","job_type":"noop","cron":"30 2 * * *","time_zone":"Europe/Berlin","enabled":false,"condition":"","data":{"a":1},"priority":0}`,
		},
		{
			[]string{"add", "nightly", "--type", "noop", "--cron", "30 2 * * *", "--enable=false"},
			"nightly   noop",
			`POST {"name":"nightly","job_type":"noop","cron":"30 2 * * *","time_zone":"","enabled":false,"condition":"","data":null,"priority":0}`,
		},
		{[]string{"set", "nightly", "--priority", "0", "--condition", "", "--enable"}, "nightly   noop", `PATCH {"enabled":true,"condition":"","priority":0}`},
		{[]string{"run", "nightly"}, "job_1  Job approved.\n", ""},
		{[]string{"runs", "nightly"}, local(8) + "  -      2 jobs wait\n" + local(7) + "  job_2\n", ""},
		{[]string{"remove", "nightly"}, "nightly  removed\n", ""},
		{[]string{"remove", "nightly", "-o", "jsonl"}, `{"name":"nightly","removed":true}` + "\n", ""},
	} {
		c.run(t.Context(), append([]string{"admin", "schedules"}, tt.args...)...)
		if c.code != exit.OK || !strings.Contains(c.out, tt.out) {
			t.Errorf("%q: code %d, stdout %q, stderr %q", tt.args, c.code, c.out, c.err)
		}
		if method, body, _ := strings.Cut(tt.sent, " "); sent[method] != body {
			t.Errorf("%q: sent %s, want %s", tt.args, sent[method], body)
		}
	}
}
