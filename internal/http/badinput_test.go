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

		"an unknown status":         {request{method: "GET", path: "/jobs?status=doing"}, 422, "status: must be one of", "query.status"},
		"a limit of text":           {request{method: "GET", path: "/jobs?limit=many"}, 422, "limit: must be a whole number", "query.limit"},
		"a limit of 501":            {request{method: "GET", path: "/jobs?limit=501"}, 422, "limit: must be at most 500, got 501", "query.limit"},
		"a negative offset":         {request{method: "GET", path: "/jobs?offset=-1"}, 422, "offset: must be at least 0, got -1", "query.offset"},
		"a NUL in a filter":         {request{method: "GET", path: "/jobs?ontology=%00"}, 422, "ontology: must not contain control characters", "query.ontology"},
		"an unknown job":            {request{method: "GET", path: "/jobs/job_ffffffffffff"}, 404, "Job not found: job_ffffffffffff", ""},
		"what is no id of a job":    {request{method: "GET", path: "/jobs/..%2F..%00"}, 404, "Job not found: ../..", ""},
		"an unknown job to approve": {request{method: "POST", path: "/jobs/job_ffffffffffff/approve"}, 404, "Job not found", ""},
		"an unknown job to cancel":  {request{method: "DELETE", path: "/jobs/nope"}, 404, "Job not found: nope", ""},
		"an unknown job to follow":  {request{method: "GET", path: "/jobs/job_ffffffffffff/stream"}, 404, "Job not found: job_ffffffffffff", ""},
		"what is no id to follow":   {request{method: "GET", path: "/jobs/nope/stream"}, 404, "Job not found: nope", ""},
		"a flag that is none":       {request{method: "DELETE", path: "/jobs/" + knownJob + "?purge=maybe"}, 422, "purge: must be true or false", "query.purge"},
		"an unknown job to purge":   {request{method: "DELETE", path: "/jobs/job_ffffffffffff?purge=true"}, 404, "Job not found: job_ffffffffffff", ""},
		"an unknown job to retry":   {request{method: "POST", path: "/jobs/job_ffffffffffff/retry"}, 404, "Job not found", ""},
		"an unknown job to stop":    {request{method: "POST", path: "/admin/workers/jobs/nope/cancel"}, 404, "Job not found: nope", ""},
		"an unknown job to hurry":   {request{method: "PATCH", path: "/admin/workers/jobs/nope/priority?priority=1"}, 404, "Job not found: nope", ""},

		"a bulk delete of an age that is none":    {request{method: "DELETE", path: "/jobs?confirm=true&older_than=2d"}, 422, `older_than: must be one of 1h, 24h, 7d, 30d, got "2d"`, "query.older_than"},
		"a bulk delete of an unknown status":      {request{method: "DELETE", path: "/jobs?confirm=true&status=done"}, 422, "status: must be one of", "query.status"},
		"a bulk delete of an impossible type":     {request{method: "DELETE", path: "/jobs?confirm=true&job_type=%00"}, 422, "job_type: must not contain control characters", "query.job_type"},
		"a bulk delete with two mistakes":         {request{method: "DELETE", path: "/jobs?confirm=true&status=done&older_than=x"}, 422, `; older_than: must be one of`, ""},
		"a bulk delete by a filter that is none":  {request{method: "DELETE", path: "/jobs?confirm=true&type=noop"}, 422, "type: is not a known field", "query.type"},
		"a bulk delete by a filter that is empty": {request{method: "DELETE", path: "/jobs?confirm=true&older_than="}, 422, "older_than: must be given once, with a value, or left out", "query.older_than"},
		"a bulk delete by two values":             {request{method: "DELETE", path: "/jobs?confirm=true&status=failed&status=completed"}, 422, "status: must be given once", "query.status"},
		"a bulk delete by what cannot be read":    {request{method: "DELETE", path: "/jobs?confirm=true&status=failed;older_than=30d"}, 422, "query: must be encoded as the query of a URL", "query.query"},
		"a list by what cannot be read":           {request{path: "/jobs?status=failed;limit=5"}, 422, "query: must be encoded as the query of a URL", "query.query"},
		"a purge by what cannot be read":          {request{method: "DELETE", path: "/jobs/" + knownJob + "?purge=true;force=true"}, 422, "query: must be encoded as the query of a URL", "query.query"},
		"a bulk delete by half a character":       {request{method: "DELETE", path: "/jobs?confirm=true&job_type=%zz"}, 422, "query: must be encoded as the query of a URL", "query.query"},

		"no priority":                    {request{method: "PATCH", path: priority}, 422, "priority: is required", "query.priority"},
		"a priority of null":             {request{method: "PATCH", path: priority, body: `{"priority":null}`}, 422, "priority: is required", "query.priority"},
		"a priority of text":             {request{method: "PATCH", path: priority + "?priority=high"}, 422, "priority: must be a whole number", "query.priority"},
		"a priority out of range":        {request{method: "PATCH", path: priority + "?priority=101"}, 422, "priority: must be at most 100, got 101", "query.priority"},
		"a priority below the range":     {request{method: "PATCH", path: priority, body: `{"priority":-101}`}, 422, "priority: must be at least -100, got -101", "body.priority"},
		"a priority twice":               {request{method: "PATCH", path: priority + "?priority=1", body: `{"priority":1}`}, 422, "priority: must be given once", "body.priority"},
		"a priority and a misspelt word": {request{method: "PATCH", path: priority, body: `{"priority":1,"prio":2}`}, 422, "prio: is not a known field", "body.prio"},

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

		"an ingestion as a job":   {request{method: "POST", path: "/jobs", body: `{"job_type":"ingestion"}`}, 422, "job_type: is not submitted here: use POST /ingest", "body.job_type"},
		"an unknown job type":     {request{method: "POST", path: "/jobs", body: `{"job_type":"mine"}`}, 422, "job_type: must be one of noop, sleep, got mine", "body.job_type"},
		"no job type":             {request{method: "POST", path: "/jobs", body: `{}`}, 422, "job_type: is required", "body.job_type"},
		"a priority of 101":       {request{method: "POST", path: "/jobs", body: `{"job_type":"noop","priority":101}`}, 422, "priority: must be at most 100", "body.priority"},
		"a queue with a newline":  {request{method: "POST", path: "/jobs", body: `{"job_type":"noop","queue":"a\nb"}`}, 422, "queue: must not contain control characters", "body.queue"},
		"an instant that is none": {request{method: "POST", path: "/jobs", body: `{"job_type":"noop","run_at":"tomorrow"}`}, 422, "run_at: must be an instant in RFC 3339", "body.run_at"},
		"a key with a space":      {request{method: "POST", path: "/jobs", body: `{"job_type":"noop"}`, header: map[string]string{"Idempotency-Key": "a b"}}, 422, "Idempotency-Key: must be printable ASCII without spaces", "header.Idempotency-Key"},
		"a key that is too long":  {request{method: "POST", path: "/jobs", body: `{"job_type":"noop"}`, header: map[string]string{"Idempotency-Key": strings.Repeat("a", 256)}}, 422, "Idempotency-Key: must have at most 255 characters, got 256", "header.Idempotency-Key"},
		"too much data":           {request{method: "POST", path: "/jobs", body: `{"job_type":"noop","data":"` + strings.Repeat("a", 70_000) + `"}`}, 422, "data: must be at most 65536 bytes", "body.data"},
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
			if len(b.newJobs)+len(b.updates)+len(b.operated) != 0 {
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
