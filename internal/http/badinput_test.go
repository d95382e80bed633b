package http

import (
	"strings"
	"testing"
)

// TestBadInput lists what callers get wrong. Each answer names the field and
// the rule, and nothing reaches what is behind the API.
func TestBadInput(t *testing.T) {
	b := newBackend()
	s := newTestServer(t, testConfig(b))
	const (
		lane     = "/admin/workers/lanes/interactive"
		priority = "/admin/workers/jobs/" + knownJob + "/priority"
	)
	for name, tt := range map[string]struct {
		request
		status int
		detail string // contained in the detail
		loc    string // of the first error, "" is not checked
	}{
		"an unknown field in a lane's settings": {request{method: "PATCH", path: lane, body: `{"max_slot":3}`}, 422, "max_slot: is not a known field", "body.max_slot"},
		"an unknown field beside a good one":    {request{method: "PATCH", path: lane, body: `{"max_slots":3,"job_types":[]}`}, 422, "job_types: is not a known field", ""},
		"no field at all":                       {request{method: "PATCH", path: lane, body: `{}`}, 422, "No fields to update", ""},
		"only null":                             {request{method: "PATCH", path: lane, body: `{"max_slots":null}`}, 422, "No fields to update", ""},
		"an empty body":                         {request{method: "PATCH", path: lane}, 422, "No fields to update", ""},
		"slots above the ceiling":               {request{method: "PATCH", path: lane, body: `{"max_slots":17}`}, 422, "max_slots: must be at most 16, got 17", "body.max_slots"},
		"two broken rules":                      {request{method: "PATCH", path: lane, body: `{"max_slots":-1,"poll_interval_ms":1}`}, 422, "max_slots: must be at least 0, got -1; poll_interval_ms: must be at least 500, got 1", ""},
		"text for a number":                     {request{method: "PATCH", path: lane, body: `{"max_slots":"3"}`}, 422, "max_slots: must be a whole number", "body.max_slots"},
		"a fraction for a whole number":         {request{method: "PATCH", path: lane, body: `{"max_slots":1.5}`}, 422, "max_slots: must be a whole number", "body.max_slots"},
		"a number that is out of range":         {request{method: "PATCH", path: lane, body: `{"max_slots":1e30}`}, 422, "max_slots: must be in range, got number 1e30", "body.max_slots"},
		"a number for a boolean":                {request{method: "PATCH", path: lane, body: `{"enabled":1}`}, 422, "enabled: must be true or false", "body.enabled"},
		"a list for an object":                  {request{method: "PATCH", path: lane, body: `[1]`}, 422, "body: must be an object", "body"},
		"broken JSON":                           {request{method: "PATCH", path: lane, body: `{"max_slots":`}, 400, "not valid JSON", ""},
		"two JSON values":                       {request{method: "PATCH", path: lane, body: `{"max_slots":1}{}`}, 400, "not valid JSON", ""},
		"a form for JSON":                       {request{method: "PATCH", path: lane, body: `max_slots=3`, contentType: URLEncodedType}, 415, "application/json", ""},
		"a name with a NUL":                     {request{method: "PATCH", path: "/admin/workers/lanes/a%00", body: `{"max_slots":3}`}, 404, "Lane not found", ""},

		"an unknown job to follow": {request{method: "GET", path: "/jobs/job_ffffffffffff/stream"}, 404, "Job not found: job_ffffffffffff", ""},
		"what is no id to follow":  {request{method: "GET", path: "/jobs/nope/stream"}, 404, "Job not found: nope", ""},

		"a schedule without a name":         {request{method: "POST", path: "/admin/schedules", body: `{"job_type":"noop","cron":"* * * * *"}`}, 422, "name: is required", "body.name"},
		"a schedule with an unknown field":  {request{method: "POST", path: "/admin/schedules", body: `{"name":"n","job_type":"noop","cron":"* * * * *","timezone":"UTC"}`}, 422, "timezone: is not a known field", "body.timezone"},
		"no schedule at all":                {request{method: "POST", path: "/admin/schedules"}, 400, "A JSON body is required", ""},
		"an update that changes nothing":    {request{method: "PATCH", path: "/admin/schedules/n", body: `{"cron":null}`}, 422, "No fields to update", ""},
		"an update without a body":          {request{method: "PATCH", path: "/admin/schedules/n"}, 422, "No fields to update", ""},
		"an update of an unknown field":     {request{method: "PATCH", path: "/admin/schedules/n", body: `{"name":"m"}`}, 422, "name: is not a known field", "body.name"},
		"a schedule's name with a NUL":      {request{method: "PATCH", path: "/admin/schedules/a%00", body: `{"cron":"* * * * *"}`}, 404, "Schedule not found", ""},
		"a removal of a name with a NUL":    {request{method: "DELETE", path: "/admin/schedules/a%00"}, 404, "Schedule not found", ""},
		"a run of a name with a NUL":        {request{method: "POST", path: "/admin/schedules/a%00/run"}, 404, "Schedule not found", ""},
		"more runs than are shown":          {request{method: "GET", path: "/admin/schedules/n/runs?limit=501"}, 422, "limit: must be at most 500, got 501", "query.limit"},
		"runs of a schedule's name of NULs": {request{method: "GET", path: "/admin/schedules/%00/runs"}, 404, "Schedule not found", ""},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := call(t, s, tt.request)
			p := wantProblem(t, resp, body, tt.status)
			if !strings.Contains(p.Detail, tt.detail) {
				t.Errorf("detail %q does not say %q", p.Detail, tt.detail)
			}
			if tt.loc != "" && (len(p.Errors) == 0 || locString(p.Errors[0].Loc) != tt.loc) {
				t.Errorf("errors %+v, want the first at %s", p.Errors, tt.loc)
			}
			if tt.status != 422 && p.Errors != nil {
				t.Errorf("errors %+v with status %d", p.Errors, tt.status)
			}
			if len(b.updates)+len(b.operated) != 0 {
				t.Error("it reached what is behind the API")
			}
		})
	}
}

func locString(loc []any) string {
	parts := make([]string, len(loc))
	for i, part := range loc {
		switch part := part.(type) {
		case string:
			parts[i] = part
		case float64:
			parts[i] = string(rune('0' + int(part)))
		}
	}
	return strings.Join(parts, ".")
}
