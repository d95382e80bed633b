package cli

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/internal/pgembed"
)

// wellAPI is a server on which the doctor finds nothing.
func wellAPI(t *testing.T, status string) *fakeAPI {
	return readingAPI(t, status, `{"workers":4,"in_force":["seccomp"],"not_in_force":[]}`)
}

// readingAPI is such a server that says of its reading of documents what it is told.
func readingAPI(t *testing.T, status, reading string) *fakeAPI {
	f := newFakeAPI(t)
	f.answer("GET /{$}", `{"service":"Kappa","version":"`+"test"+`","status":"healthy"}`)
	f.answer("GET /health", `{"status":"healthy","components":{}}`)
	f.answer("GET /ontology/", `{"count":0,"ontologies":[]}`)
	f.answer("GET /admin/workers/status", status)
	f.answer("GET /admin/status", `{"reading":`+reading+`}`)
	f.answer("GET /datasets/status", `{"workers":2,"version":"v1.5","in_force":["memory"],"not_in_force":[]}`)
	return f
}

const wellStatus = `{"total_slots":4,"slots_in_use":1,"total_queued":2,"lanes":[{"name":"interactive","max_slots":2,"enabled":true}],"leader":{"worker_id":"w1","term":3,"since":"2026-01-31T08:00:00Z"}}`

// withPostgres lets the doctor find PostgreSQL's programs.
func withPostgres(t *testing.T, c *console) *console {
	dir := t.TempDir()
	for _, name := range []string{"initdb", "postgres"} {
		writeFile(t, filepath.Join(dir, name), "#!/bin/sh\necho 'postgres (PostgreSQL) 16.4'\n")
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.env["KG_PG_BIN"] = dir
	return c
}

func TestDoctorFindsNothing(t *testing.T) {
	c := withPostgres(t, wellAPI(t, wellStatus).console(t)).run(t.Context(), "doctor")
	if c.code != exit.OK || strings.Contains(c.out, "fail") || strings.Contains(c.out, "warn") || strings.Count(c.out, "\nok    ") < 9 || c.err != "" {
		t.Errorf("code %d, stdout\n%s\nstderr %s", c.code, c.out, c.err)
	}
}

func TestDoctorFinds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, f *fakeAPI, c *console)
		status string
		code   int
		says   string // in the line of the check
		remedy string
	}{
		{
			name: "no programs of PostgreSQL", change: func(_ *testing.T, _ *fakeAPI, c *console) { c.env["KG_PG_BIN"] = "/nowhere" },
			code: exit.OK, says: "warn  PostgreSQL", remedy: pgembed.InstallCommand(),
		},
		{
			name: "a database of its own instead", change: func(_ *testing.T, _ *fakeAPI, c *console) {
				c.env["KG_PG_BIN"], c.env["DATABASE_URL"] = "/nowhere", "postgres://x"
			},
			code: exit.OK, says: "ok    PostgreSQL      DATABASE_URL is set",
		},
		{
			name: "no login", change: func(_ *testing.T, _ *fakeAPI, c *console) {
				delete(c.env, "KG_CLIENT_ID")
				delete(c.env, "KG_CLIENT_SECRET")
			},
			code: exit.Failed, says: "fail  login           not logged in", remedy: "kg login -u admin",
		},
		{
			name: "a login that does not work", change: func(_ *testing.T, _ *fakeAPI, c *console) { c.env["KG_CLIENT_SECRET"] = "old" },
			code: exit.Failed, says: "fail  login           Could not validate credentials", remedy: "kg login -u admin",
		},
		{
			name: "a login elsewhere", change: func(t *testing.T, _ *fakeAPI, c *console) {
				delete(c.env, "KG_CLIENT_ID")
				delete(c.env, "KG_CLIENT_SECRET")
				writeFile(t, filepath.Join(c.env["HOME"], ".config", "kg", "config.json"), `{"api_url":"https://a.example","client_id":"id","client_secret":"secret"}`)
			},
			code: exit.Failed, says: "fail  login           logged in at https://a.example, but this is", remedy: "--api-url",
		},
		{
			name: "a configuration that others can read", change: func(t *testing.T, _ *fakeAPI, c *console) {
				path := filepath.Join(c.env["HOME"], ".config", "kg", "config.json")
				writeFile(t, path, `{}`)
				if err := os.Chmod(path, 0o644); err != nil {
					t.Fatal(err)
				}
			},
			code: exit.OK, says: "warn  configuration   others can read", remedy: "chmod 600",
		},
		{
			name: "jobs that wait for a provider for long", change: func(_ *testing.T, f *fakeAPI, _ *console) {
				f.answer("GET /admin/providers", `{"providers":[{"name":"openai","last_error":"openai refuses the key (401); set OPENAI_API_KEY","jobs_waiting":3,"jobs_overdue":2,"waiting_since":"2026-01-31T08:00:00Z"}]}`)
			},
			code: exit.OK, says: "warn  provider openai openai refuses the key (401); set OPENAI_API_KEY; 3 jobs", remedy: "2 for longer than KG_PROVIDER_PATIENCE → see to what it says, then: kg admin providers check",
		},
		{
			name: "a provider that answers", change: func(_ *testing.T, f *fakeAPI, _ *console) {
				f.answer("GET /admin/providers", `{"providers":[{"name":"openai","in_flight":1,"waiting":2}]}`)
			},
			code: exit.OK, says: "ok    provider openai 1 call in flight, 2 waiting",
		},
		{
			name: "a database that was tested", change: func(_ *testing.T, f *fakeAPI, _ *console) {
				f.answer("GET /database/info", `{"connected":true,"version":"16.4"}`)
			},
			code: exit.OK, says: "ok    database        PostgreSQL 16.4; Kappa is tested on 15 to 18",
		},
		{
			name: "a database that nobody has tested", change: func(_ *testing.T, f *fakeAPI, _ *console) {
				f.answer("GET /database/info", `{"connected":true,"version":"19beta2"}`)
			},
			code: exit.OK, says: "warn  database        PostgreSQL 19beta2; Kappa was tested up to version 18", remedy: "a newer version of Kappa",
		},
		{
			name: "a database that does not answer", change: func(_ *testing.T, f *fakeAPI, _ *console) {
				f.answer("GET /database/info", `{"connected":false,"version":null,"error":"the database cannot be reached"}`)
			},
			code: exit.Failed, says: "fail  database        the database cannot be reached", remedy: "whether PostgreSQL runs",
		},
		{
			name: "a proxy that nobody has named", status: strings.Replace(wellStatus, `{`, `{"unheeded_proxy":"10.0.0.3",`, 1),
			code: exit.OK, says: "warn  proxy           requests came from 10.0.0.3", remedy: "KG_TRUSTED_PROXIES=10.0.0.3",
		},
		{
			name: "more workers than connections", change: func(_ *testing.T, f *fakeAPI, _ *console) {
				f.answer("GET /admin/graph/status", `{"state":"ready","workers_allowed":32,"workers_most":10}`)
			},
			code: exit.OK, says: "warn  graph workers   max_workers is 32, the connections of a server leave 10", remedy: "kg admin graph config --max-workers 10",
		},
		{
			name: "a disabled lane", status: strings.Replace(wellStatus, `"enabled":true`, `"enabled":false`, 1),
			code: exit.OK, says: "warn  lanes           disabled: interactive", remedy: "kg admin workers lanes set interactive --enable",
		},
		{
			name: "a lane without slots", status: strings.Replace(wellStatus, `"max_slots":2`, `"max_slots":0`, 1),
			code: exit.OK, says: "warn  lanes           without slots: interactive", remedy: "kg admin workers lanes set interactive --max-slots 2",
		},
		{
			name: "a limit that holds jobs", change: func(_ *testing.T, f *fakeAPI, _ *console) {
				f.answer("GET /admin/limits", `{"limits":[`+limitOfAlice+`]}`)
			},
			code: exit.OK, says: "warn  limit           jobs of alice: limited by bob to at most 2 at once: her", remedy: "kg admin limit remove --user alice",
		},
		{
			name: "no slots at all", status: strings.NewReplacer(`"enabled":true`, `"enabled":false`, `"total_slots":4`, `"total_slots":0`).Replace(wellStatus),
			code: exit.Failed, says: "fail  lanes           no enabled lane has a slot", remedy: "kg admin workers lanes set interactive --enable",
		},
		{
			name: "a type without a lane", status: strings.Replace(wellStatus, `{`, `{"unclaimed_types":["noop"],`, 1),
			code: exit.Failed, says: "fail  job types       no lane claims noop", remedy: "enable the lane",
		},
		{
			name: "loops that are in time", status: strings.Replace(wellStatus, `{`, `{"loops":[{"name":"sweeping","period_seconds":2,"last_run_at":"2026-01-31T08:00:00Z","rounds":9,"failures":4,"failed_in_a_row":4}],`, 1),
			code: exit.OK, says: "ok    loops           1 loop of this server in time",
		},
		{
			name: "a loop that hangs", status: strings.Replace(wellStatus, `{`, `{"loops":[{"name":"sweeping","period_seconds":2,"last_run_at":null,"overdue_seconds":90.4,"last_error":"the database is away"}],`, 1),
			code: exit.OK, says: "warn  loops           sweeping: due every 2s, never since it began, overdue for", remedy: "the server's log says more",
		},
		{
			name: "a loop that fails", status: strings.Replace(wellStatus, `{`, `{"loops":[{"name":"sweeping","period_seconds":2,"last_run_at":"2026-01-31T08:00:00Z","failed_in_a_row":5}],`, 1),
			code: exit.OK, says: "warn  loops           sweeping: failed 5 times in a row, last", remedy: "the server's log says more",
		},
		{
			name: "no leader", status: strings.Replace(wellStatus, `"leader":{`, `"former":{`, 1),
			code: exit.Failed, says: "fail  leader          no server runs the lanes",
		},
		{
			name: "a lane above the ceiling", status: strings.Replace(wellStatus, `{`, `{"slot_ceiling":16,"lanes_over_ceiling":["interactive"],`, 1),
			code: exit.OK, says: "warn  lanes           more slots than the 16 that a lane may use", remedy: "kg admin workers lanes set interactive --max-slots 16",
		},
		{
			name: "a type that the leader does not know", status: strings.Replace(wellStatus, `{`, `{"unhandled_types":["noop"],`, 1),
			code: exit.Failed, says: "fail  handlers        the server that leads has no handler for noop", remedy: "restart the leader",
		},
		{
			name: "a handler that does not return", status: strings.Replace(wellStatus, `{`, `{"orphans":[{"job_id":"job_1","job_type":"noop","since":"2026-11-21T12:08:39Z"}],`, 1),
			code: exit.OK, says: "warn  handlers        1 handler working on although asked to stop: job_1 (noop)", remedy: "a restart of the server ends them",
		},
		{
			name:   "too many handlers that do not return",
			status: strings.Replace(wellStatus, `{`, `{"orphans":[`+strings.Repeat(`{"job_id":"job_1","since":"2026-11-21T12:08:39Z"},`, 8)+`{"job_id":"job_9","since":"2026-11-21T12:08:39Z"}],`, 1),
			code:   exit.Failed, says: "fail  handlers        9 handlers working on", remedy: "restart the server",
		},
		{
			name:   "an old queue",
			status: strings.Replace(wellStatus, `{`, fmt.Sprintf(`{"queued_by_type":[{"job_type":"noop","count":2,"oldest":%q}],`, time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)), 1),
			code:   exit.OK, says: "warn  queue           2 jobs approved and waiting; the oldest noop for 1 h", remedy: "more slots",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.status == "" {
				tt.status = wellStatus
			}
			f := wellAPI(t, tt.status)
			c := withPostgres(t, f.console(t))
			if tt.change != nil {
				tt.change(t, f, c)
			}
			c.run(t.Context(), "doctor")
			if c.code != tt.code || !strings.Contains(c.out, tt.says) || !strings.Contains(strings.Join(strings.Fields(c.out), " "), tt.remedy) {
				t.Errorf("code %d, want %d and %q\n%s", c.code, tt.code, tt.says, c.out)
			}
		})
	}
}

func TestDoctorWithoutAServer(t *testing.T) {
	c := withPostgres(t, newConsole(t))
	c.env["KG_API_URL"] = "http://127.0.0.1:1"
	c.run(t.Context(), "doctor")
	if c.code != exit.Failed || !strings.Contains(c.out, "fail  server") || !strings.Contains(c.out, "→ start it with: kg serve") || strings.Contains(c.out, "  login") {
		t.Errorf("code %d\n%s", c.code, c.out)
	}
}

func TestDoctorComparesVersionAndClock(t *testing.T) {
	f := newFakeAPI(t)
	f.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", time.Now().Add(-time.Minute).UTC().Format(http.TimeFormat))
		f.json(w, `{"service":"Kappa","version":"v99"}`)
	})
	f.answer("GET /health", `{"status":"degraded","components":{"storage":{"status":"unhealthy","error":"full"}}}`)
	c := withPostgres(t, f.console(t)).run(t.Context(), "doctor")
	for _, says := range []string{"the server is v99", "behind this machine's", "fail  health          degraded; storage: unhealthy full"} {
		if !strings.Contains(c.out, says) {
			t.Errorf("does not say %q:\n%s", says, c.out)
		}
	}
}

// TestDoctorReading has the doctor say whether documents are read, and where.
func TestDoctorReading(t *testing.T) {
	for body, want := range map[string]string{
		`{"workers":4,"in_force":["seccomp"],"not_in_force":[]}`:                            "ok    reading         in up to 4 processes; in force: seccomp",
		`{"workers":4,"problem":"no process starts","in_force":[],"not_in_force":[]}`:       "fail  reading         no process starts",
		`{"workers":0,"in_force":[],"not_in_force":["none"]}`:                               "warn  reading         documents are read in the server",
		`{"workers":4,"in_force":["memory"],"not_in_force":["seccomp: not offered by it"]}`: "warn  reading         not in force: seccomp",
	} {
		if c := readingAPI(t, wellStatus, body).console(t).run(t.Context(), "doctor"); !strings.Contains(c.out, want) {
			t.Errorf("%s: want %q in\n%s", body, want, c.out)
		}
	}
}
