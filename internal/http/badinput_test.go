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
	for name, tt := range map[string]struct {
		request
		status int
		detail string // contained in the detail
		loc    string // of the first error, "" is not checked
	}{

		"an unknown job to follow": {request{method: "GET", path: "/jobs/job_ffffffffffff/stream"}, 404, "Job not found: job_ffffffffffff", ""},
		"what is no id to follow":  {request{method: "GET", path: "/jobs/nope/stream"}, 404, "Job not found: nope", ""},
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
			if b.queries["events after"] != 0 {
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
