package jobs

import (
	"net/url"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// TestJobFilterWords sends every word of a filter: each reaches the store as it was meant, in
// a list and in the errors.
func TestJobFilterWords(t *testing.T) {
	words := url.Values{
		"ontology": {"notes"}, "job_type": {"noop"}, "lane": {"maintenance"}, "queue": {"slow"}, "client_id": {"anna"}, "worker": {"00000000-0000-0000-0000-000000000001"},
		"parent": {"job_0123456789ab"}, "priority": {"..5"}, "attempt": {"2..3"}, "submitted_from": {"8d"}, "submitted_to": {"1h"},
		"started_from": {"2026-01-01T00:00:00Z"}, "started_to": {"2026-02-01T00:00:00Z"}, "ended_from": {"2h"}, "ended_to": {"1h"}, "error": {"timed out"}, "error_key": {"timed out after #"}, "file": {"report"},
		"status": {"failed,completed"}, "quarantined": {"true"}, "paused": {"false"}, "dead": {"true"}, "data": {"url=https://example.org/?a=b,c"},
	}
	for _, word := range work.JobFilterWords() {
		switch word {
		case "age", "data.NAME", "waits_for", "sort", "count", "cursor", "limit", "offset":
		default:
			if !words.Has(word) {
				t.Errorf("%s is not sent", word)
			}
		}
	}
	for _, path := range []string{"/jobs", "/jobs/errors"} {
		f := newFake(work.StatusFailed)
		s := newServer(t, f)
		resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path + "?" + words.Encode()})
		if resp.StatusCode != 200 {
			t.Fatalf("%s: %d %s", path, resp.StatusCode, body)
		}
		got := f.filter
		got.Limit = 0
		if got.Words().Encode() != words.Encode() {
			t.Errorf("%s got %v,\nwant %v", path, got.Words(), words)
		}
	}
	f := newFake(work.StatusFailed)
	f.page = work.JobPage{Next: "next", Total: &work.JobTotal{Jobs: 7, Is: "at_least"}}
	resp, _ := apitest.Call(t, newServer(t, f), apitest.Request{Method: "GET", Path: "/jobs?age=%3E1h,%3C2d&waits_for=provider:openai&sort=oldest&count=exact&data.url=x&data.a.b=y"})
	if h := resp.Header; resp.StatusCode != 200 || h.Get("X-Next-Cursor") != "next" || h.Get("X-Total-Count") != "7" || h.Get("X-Total-Count-Is") != "at_least" {
		t.Errorf("%d %v", resp.StatusCode, h)
	}
	want := "count=exact&data=a.b%3Dy&data=url%3Dx&limit=50&sort=oldest&submitted_from=2d&submitted_to=1h&waits_for=provider%3Aopenai"
	if got := f.filter.Words().Encode(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestJobFilterRefusals sends filters that select nothing, or cannot be read: each is refused
// with what there is, and none reaches the store.
func TestJobFilterRefusals(t *testing.T) {
	cursor := kappa.Cursor{List: kappa.ListJobs, Keys: []int64{1_700_000_000_000_000}, ID: "job_0123456789ab", Of: work.JobFilter{Type: "noop"}.Fingerprint()}.String()
	byPriority := kappa.Cursor{List: kappa.ListJobs, Keys: []int64{100, 1_700_000_000_000_000}, ID: "job_0123456789ab"}.String()
	for query, want := range map[string]string{
		"status=asleep":               "status: must be one of pending, awaiting_approval",
		"status=failed,asleep":        "status: must be one of pending",
		"statuses=failed":             "is not a known parameter; did you mean status?",
		"priority=high":               "priority: must be a number or a range, as in 5, 5..9",
		"priority=9..5":               "priority: must not be an empty range",
		"priority=101":                "priority: must be at most 100",
		"attempt=-1":                  "attempt: must be at least 0",
		"age=1h":                      "age: must be an age with < or >",
		"age=%3E2h,%3C1h":             "submitted_to: must be after submitted_from",
		"age=%3E2h&submitted_from=1d": "age: must not come with submitted_from",
		"ended_from=yesterday":        "ended_from: must be an instant such as",
		"started_from=2026-02-01&started_to=2026-01-01": "started_to: must be after started_from",
		"waits_for=nothing":                             "waits_for: must be one of time, pause, limit, slot, budget, approval, provider",
		"dead=true&status=completed":                    "status: contradicts another filter: no job can be both; see status, dead",
		"paused=true&quarantined=true":                  "contradicts another filter",
		"waits_for=slot&status=failed":                  "contradicts another filter",
		"dead=perhaps":                                  "dead: must be true or false",
		"data=url":                                      "data: must be NAME=VALUE",
		"worker=kg-1":                                   "worker: must be the id of a worker",
		"sort=size":                                     "sort: must be one of newest, oldest, ended, started, priority",
		"count=all":                                     "count: must be one of exact, estimated",
		"cursor=" + cursor:                              "cursor: must be the next_cursor of a page of the same filter and order",
		"job_type=sleep&cursor=" + cursor:               "cursor: must be the next_cursor of a page of the same filter",
		"cursor=" + byPriority:                          "cursor: must be the next_cursor of a page of this list",
		"sort=oldest&job_type=noop&cursor=" + cursor:    "cursor: must be the next_cursor of a page of the same filter",
	} {
		f := newFake(work.StatusFailed)
		resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "GET", Path: "/jobs?" + query})
		if p := apitest.WantProblem(t, resp, body, 422); !strings.Contains(p.Detail, want) {
			t.Errorf("%s: %q, want %q", query, p.Detail, want)
		}
		if f.filter.Limit != 0 {
			t.Errorf("%s reached the store as %+v", query, f.filter)
		}
	}
	f := newFake(work.StatusFailed)
	if resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "GET", Path: "/jobs?sort=newest&job_type=noop&limit=3&count=exact&cursor=" + cursor}); resp.StatusCode != 200 {
		t.Errorf("the cursor of the same filter: %d %s", resp.StatusCode, body)
	}
	if _, err := work.ParseJobFilter(map[string][]string{"colour": {"red"}}); err == nil || !strings.Contains(kappa.ErrorMessage(err), "there are age, attempt, client_id") {
		t.Errorf("an unknown word: %v", err)
	}
}

// TestJobErrorsAreNarrowed asks for errors as those who may see all jobs, their own and none.
func TestJobErrorsAreNarrowed(t *testing.T) {
	for reach, want := range map[access.Reach]*access.VisibleRows{access.ReachAll: nil, access.ReachOwn: {Owner: 1001}} {
		f := newFake(work.StatusFailed)
		f.errors = work.JobErrors{Jobs: 3, Errors: []work.JobError{{Type: "noop", ErrorKey: "call # failed", Count: 3}}}
		s, accounts := newServerAs(t, f)
		accounts.Grant(map[access.Permission]access.Reach{access.JobsRead: reach})
		resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/jobs/errors"})
		if resp.StatusCode != 200 || !strings.Contains(body, `"error_key":"call # failed","count":3`) || !f.filter.Dead {
			t.Errorf("%v: %d %s", reach, resp.StatusCode, body)
		}
		if got := f.filter.Visible; (got == nil) != (want == nil) || got != nil && got.Owner != want.Owner {
			t.Errorf("%v: narrowed to %+v, want %+v", reach, got, want)
		}
	}
}

// TestFullPages: who asks in the words that there were before cursors gets pages that are full,
// and who knows more does not have them looked for.
func TestFullPages(t *testing.T) {
	for query, full := range map[string]bool{
		"": true, "limit=5": true, "status=failed&job_type=noop": true, "ontology=a&client_id=b&parent=job_0123456789ab": true, "offset=5": true,
		"status=failed,completed": false, "lane=a": false, "sort=oldest": false, "count=exact": false, "data.a=b": false, "job_type=noop&age=%3E1h": false,
	} {
		f := newFake(work.StatusFailed)
		if resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "GET", Path: "/jobs?" + query}); resp.StatusCode != 200 || f.filter.Full != full {
			t.Errorf("%s: %d, full %t %s", query, resp.StatusCode, f.filter.Full, body)
		}
	}
}
