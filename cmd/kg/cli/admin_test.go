package cli

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

const oneLane = `{"name":"interactive","job_types":["ingestion","noop"],"max_slots":2,"poll_interval_ms":2000,"stale_timeout_minutes":30,"enabled":false,"running_jobs":1,"queued_jobs":3,"slots_available":1}`

func TestAdminWorkers(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /admin/workers/lanes", `{"lanes":[`+oneLane+`]}`)
	f.answer("GET /admin/workers/status", `{"running_jobs":[{"job_id":"job_1","job_type":"noop","lane":"interactive","claimed_by":"w1","claimed_at":"2020-01-01T00:00:00Z"}],
		"running_count":1,"queued_by_type":[{"job_type":"noop","count":3,"oldest":"2020-01-01T00:00:00Z"}],"total_queued":3,"lanes":[],"total_slots":2,"slots_in_use":1,"unclaimed_types":["noop"],
		"processes":[{"kind":"server","name":"m:7","version":"0.1.0","state":"live","running":1,"leads_since":"2020-01-01T00:00:00Z"},{"kind":"remote","name":"gpu","version":"0.2.0","state":"online","running":1,"capacity":4}]}`)
	c := f.console(t).run(t.Context(), "admin", "workers")
	for _, says := range []string{
		"1 of 2 slots in use, 3 jobs queued\n", "interactive    1/2       3  2000 ms  30 min  disabled  ingestion noop\n", "job_1    noop  interactive", "noop       3",
		"m:7     server  0.1.0           1  leads since 2020-01-01", "gpu     remote  0.2.0         1/4  online\n",
	} {
		if !strings.Contains(c.out, says) {
			t.Errorf("does not say %q:\n%s", says, c.out)
		}
	}
	if c.err != "No enabled lane claims: noop\n" {
		t.Errorf("stderr %q", c.err)
	}
	if c.run(t.Context(), "admin", "workers", "-o", "jsonl"); !strings.HasPrefix(c.out, `{"running_jobs":[{"job_id":"job_1"`) || strings.Count(c.out, "\n") != 1 {
		t.Errorf("jsonl: %s", c.out)
	}
	if c.run(t.Context(), "admin", "workers", "lanes", "-o", "jsonl"); c.out != oneLane+"\n" {
		t.Errorf("jsonl of the lanes: %s", c.out)
	}
}

func TestLanesSet(t *testing.T) {
	f := newFakeAPI(t)
	var sent, match string
	f.HandleFunc("PATCH /admin/workers/lanes/interactive", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent, match = string(body), r.Header.Get("If-Match")
		f.json(w, `{"lane":{"name":"interactive"},"changed":{"max_slots":{"old":2,"new":0},"enabled":{"old":true,"new":false}}}`)
	})
	c := f.console(t).run(t.Context(), "admin", "workers", "lanes", "set", "interactive", "--max-slots", "0", "--disable")
	if sent != `{"max_slots":0,"enabled":false}` {
		t.Errorf("sent %s", sent)
	}
	if c.code != exit.OK || c.out != "interactive: enabled true → false\ninteractive: max_slots 2 → 0\n" {
		t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
	for flag, want := range map[string]string{"--enable=false": `{"enabled":false}`, "--disable=false": `{"enabled":true}`, "--enable": `{"enabled":true}`} {
		sent = ""
		if c.run(t.Context(), "admin", "workers", "lanes", "set", "interactive", flag); c.code != exit.OK || sent != want {
			t.Errorf("%s: code %d, sent %q, stderr %q", flag, c.code, sent, c.err)
		}
	}
	f.HandleFunc("GET /admin/workers/lanes", func(w http.ResponseWriter, _ *http.Request) {
		f.json(w, `{"lanes":[{"name":"other","etag":"\"1\""},{"name":"interactive","etag":"\"2\""}]}`)
	})
	if c.run(t.Context(), "admin", "workers", "lanes", "set", "interactive", "--enable"); match != `"2"` {
		t.Errorf("the version that is to be changed is %s, want that of the lane", match)
	}
	f.refuse("PATCH /admin/workers/lanes/other", http.StatusUnprocessableEntity, "max_slots: must be at most 16, got 99")
	if c.run(t.Context(), "admin", "workers", "lanes", "set", "other", "--max-slots", "99"); c.code != exit.Misused || !strings.Contains(c.err, "must be at most 16") {
		t.Errorf("out of range: code %d, stderr %q", c.code, c.err)
	}
}

// TestLaneCommands makes a lane, moves types and deletes it.
func TestLaneCommands(t *testing.T) {
	f := newFakeAPI(t)
	var sent []string
	answer := func(route, body string) {
		f.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
			got, _ := io.ReadAll(r.Body)
			sent = append(sent, r.URL.RequestURI()+" "+string(got))
			f.json(w, body)
		})
	}
	answer("POST /admin/workers/lanes", `{"lane":{"name":"own","max_slots":3},"moved":{"b":["x","y"],"a":[]}}`)
	answer("POST /admin/workers/lanes/own/types", `{"lane":{"name":"own"},"moved":{"a":["x"]}}`)
	answer("DELETE /admin/workers/lanes/own", `{"lane":{"name":"own"},"moved":{"a":"x"},"unclaimed_types":["b"]}`)
	for _, c := range []struct{ args, sent, out, err string }{
		{"create own --types a,b --max-slots 3 --disable", `/admin/workers/lanes {"name":"own","job_types":["a","b"],"max_slots":3,"enabled":false}`, "own created with 3 slots\na: no lane → own\nb: x, y → own\n", ""},
		{"move a --to own", `/admin/workers/lanes/own/types {"job_types":["a"]}`, "a: x → own\n", ""},
		{"delete own --move-to x", "/admin/workers/lanes/own?move_to=x ", "own deleted\na → x\n", "In no lane any more: b\n"},
	} {
		sent = nil
		got := f.console(t).run(t.Context(), append([]string{"admin", "workers", "lanes"}, strings.Fields(c.args)...)...)
		if got.code != exit.OK || len(sent) != 1 || sent[0] != c.sent || got.out != c.out || got.err != c.err {
			t.Errorf("%s: code %d, sent %q, stdout %q, stderr %q", c.args, got.code, sent, got.out, got.err)
		}
	}
	for _, args := range []string{"move a", "create own --enable --disable", "create", "delete"} {
		if c := f.console(t).run(t.Context(), append([]string{"admin", "workers", "lanes"}, strings.Fields(args)...)...); c.code != exit.Misused {
			t.Errorf("%s: code %d, %s", args, c.code, c.err)
		}
	}
}

// TestTypeCommands lists job types and changes one.
func TestTypeCommands(t *testing.T) {
	const one = `{"job_type":"exec","policy":{"max_retries":3,"backoff_first_ms":1000,"backoff_most_ms":60000,"backoff_factor":2,"jitter":0.2,"deadline_ms":1800000},"changed":["deadline_ms","jitter"]}`
	f := newFakeAPI(t)
	sent := ""
	f.answer("GET /admin/job-types", `{"job_types":[`+one+`]}`)
	f.HandleFunc("PATCH /admin/job-types/exec", func(w http.ResponseWriter, r *http.Request) {
		got, _ := io.ReadAll(r.Body)
		sent = string(got)
		f.json(w, one)
	})
	c := f.console(t).run(t.Context(), "admin", "types")
	if c.code != exit.OK || !strings.Contains(c.out, "exec            3  1.0 s to 1 min 0 s, ×2 ±20 %  30 min 0 s  deadline_ms jitter\n") {
		t.Errorf("code %d\n%s%s", c.code, c.out, c.err)
	}
	c = f.console(t).run(t.Context(), strings.Fields("admin types set exec --max-retries 0 --backoff-first 1s --backoff-factor 1.5 --jitter 0 --deadline 2m --reset backoff_most_ms")...)
	if want := `{"max_retries":0,"backoff_first_ms":1000,"backoff_factor":1.5,"jitter":0,"deadline_ms":120000,"reset":["backoff_most_ms"]}`; c.code != exit.OK || sent != want {
		t.Errorf("code %d, sent %s, want %s\n%s", c.code, sent, want, c.err)
	}
	for _, args := range []string{"set exec", "set", "set exec --deadline 1ms", "set exec --reset deadline", "set exec --jitter 2"} {
		if c := f.console(t).run(t.Context(), append([]string{"admin", "types"}, strings.Fields(args)...)...); c.code != exit.Misused {
			t.Errorf("%s: code %d, %s", args, c.code, c.err)
		}
	}
}

func TestHealthExitCode(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /health", `{"status":"degraded","components":{"database":{"status":"unhealthy","error":"no answer"}}}`)
	c := f.console(t).run(t.Context(), "health")
	if c.code != exit.Failed || !strings.Contains(c.out, "database    unhealthy  no answer") || c.err != "kg: the server is degraded\n" {
		t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
}

func TestDatabaseCounters(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /database/counters", `{"counters":{"snapshot":[{"name":"concept_count","value":1234,"delta":-3,"last_measured":null,"notes":"Concepts"}],"activity":[],"legacy_structure":[]}}`)
	f.answer("POST /database/counters/refresh", `{"success":true,"changed_count":1,"changes":[{"name":"concept_count","old":1237,"new":1234,"changed":true}]}`)
	f.answer("GET /database/info", `{"uri":"postgresql://kg@h:1/d","version":"17.2","connected":true}`)
	for args, want := range map[string]string{
		"database counters":           "COUNTER        VALUE  CHANGE  SINCE            WHAT\nconcept_count  1,234      -3  never refreshed  Concepts\n",
		"database counters --refresh": "COUNTER        BEFORE    NOW\nconcept_count   1,237  1,234\n",
		"database info":               "postgresql://kg@h:1/d\nPostgreSQL 17.2\n",
	} {
		if c := f.console(t).run(t.Context(), strings.Fields(args)...); c.out != want {
			t.Errorf("%s: got\n%s%s", args, c.out, c.err)
		}
	}
}

func TestCatalogCommands(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /catalog/children", `{"nodes":[{"id":"3","kind":"ontology","name":"earth","child_count":5}],"child_kind":"ontology","total":9,"offset":0}`)
	f.answer("GET /catalog/node/3", `{"id":"3","kind":"ontology","name":"earth","child_count":5,"properties":{"lifecycle_state":"active"}}`)
	c := f.console(t).run(t.Context(), "catalog", "ls", "--query", "ear", "--sort", "created")
	if c.out != "NAME   ID  DOCUMENTS\nearth  3           5\n" || !strings.Contains(c.err, "1 of 9") {
		t.Errorf("got\n%s%s", c.out, c.err)
	}
	c = f.console(t).run(t.Context(), "catalog", "stat", "3")
	if !strings.HasPrefix(c.out, "earth  ontology 3\n") || !strings.Contains(c.out, "lifecycle_state  active") {
		t.Errorf("got\n%s%s", c.out, c.err)
	}
	if c = f.console(t).run(t.Context(), "catalog", "ls", "--limit", "501"); c.code != exit.Misused || !strings.Contains(c.err, "limit") {
		t.Errorf("code %d, %s", c.code, c.err)
	}
}

func TestDatabaseStats(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("GET /database/stats", `{"nodes":{"concepts":1234,"sources":5,"instances":6,"documents":2},"relationships":{"total":7,"by_type":[{"rel_type":"PART_OF","count":7}]}}`)
	c := f.console(t).run(t.Context(), "database", "stats")
	want := "WHAT           COUNT\nconcepts       1,234\ndocuments          2\nchunks             5\nquotes             6\nrelationships      7\n\nRELATIONSHIP  COUNT\nPART_OF           7\n"
	if c.out != want {
		t.Errorf("got\n%s", c.out)
	}
}
