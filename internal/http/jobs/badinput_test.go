package jobs

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
)

// TestBadInput lists what callers get wrong.
func TestBadInput(t *testing.T) {
	const priority = "/admin/workers/jobs/" + apitest.KnownJob + "/priority"
	f := newFake(work.StatusAwaitingApproval)
	apitest.Refuses(t, newServer(t, f), map[string]apitest.Refusal{
		"an unknown status":                       apitest.Refused(apitest.Request{Method: "GET", Path: "/jobs?status=doing"}, 422, "status: must be one of", "query.status"),
		"a limit of text":                         apitest.Refused(apitest.Request{Method: "GET", Path: "/jobs?limit=many"}, 422, "limit: must be a whole number", "query.limit"),
		"a limit of 501":                          apitest.Refused(apitest.Request{Method: "GET", Path: "/jobs?limit=501"}, 422, "limit: must be at most 500, got 501", "query.limit"),
		"a negative offset":                       apitest.Refused(apitest.Request{Method: "GET", Path: "/jobs?offset=-1"}, 422, "offset: must be at least 0, got -1", "query.offset"),
		"a NUL in a filter":                       apitest.Refused(apitest.Request{Method: "GET", Path: "/jobs?ontology=%00"}, 422, "ontology: must not contain control characters", "query.ontology"),
		"an unknown job":                          apitest.Refused(apitest.Request{Method: "GET", Path: "/jobs/job_ffffffffffff"}, 404, "Job not found: job_ffffffffffff", ""),
		"what is no id of a job":                  apitest.Refused(apitest.Request{Method: "GET", Path: "/jobs/..%2F..%00"}, 404, "Job not found: ../..", ""),
		"an unknown job to approve":               apitest.Refused(apitest.Request{Method: "POST", Path: "/jobs/job_ffffffffffff/approve"}, 404, "Job not found", ""),
		"an unknown job to cancel":                apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs/nope"}, 404, "Job not found: nope", ""),
		"a parent that is no job":                 apitest.Refused(apitest.Request{Method: "GET", Path: "/jobs?parent=x"}, 422, "parent: must be the id of a job", "query.parent"),
		"a flag that is none":                     apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs/" + apitest.KnownJob + "?purge=maybe"}, 422, "purge: must be true or false", "query.purge"),
		"an unknown job to purge":                 apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs/job_ffffffffffff?purge=true"}, 404, "Job not found: job_ffffffffffff", ""),
		"an unknown job to retry":                 apitest.Refused(apitest.Request{Method: "POST", Path: "/jobs/job_ffffffffffff/retry"}, 404, "Job not found", ""),
		"an unknown job to stop":                  apitest.Refused(apitest.Request{Method: "POST", Path: "/admin/workers/jobs/nope/cancel"}, 404, "Job not found: nope", ""),
		"the priority of an unknown job":          apitest.Refused(apitest.Request{Method: "PATCH", Path: "/admin/workers/jobs/nope/priority?priority=1"}, 404, "Job not found: nope", ""),
		"a bulk delete of an age that is none":    apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs?confirm=true&older_than=2d"}, 422, `older_than: must be one of 1h, 24h, 7d, 30d, got "2d"`, "query.older_than"),
		"a bulk delete of an unknown status":      apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs?confirm=true&status=done"}, 422, "status: must be one of", "query.status"),
		"a bulk delete of an impossible type":     apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs?confirm=true&job_type=%00"}, 422, "job_type: must not contain control characters", "query.job_type"),
		"a bulk delete with two mistakes":         apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs?confirm=true&status=done&older_than=x"}, 422, `; older_than: must be one of`, ""),
		"a bulk delete by a filter that is none":  apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs?confirm=true&type=noop"}, 422, "type: is not a known parameter", "query.type"),
		"a bulk delete by a filter that is empty": apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs?confirm=true&older_than="}, 422, "older_than: must be given once, with a value, or left out", "query.older_than"),
		"a bulk delete by two values":             apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs?confirm=true&status=failed&status=completed"}, 422, "status: must be given once", "query.status"),
		"a bulk delete by what cannot be read":    apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs?confirm=true&status=failed;older_than=30d"}, 422, "query: must be encoded as the query of a URL", "query.query"),
		"a list by what cannot be read":           apitest.Refused(apitest.Request{Path: "/jobs?status=failed;limit=5"}, 422, "query: must be encoded as the query of a URL", "query.query"),
		"a purge by what cannot be read":          apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs/" + apitest.KnownJob + "?purge=true;force=true"}, 422, "query: must be encoded as the query of a URL", "query.query"),
		"a bulk delete by half a character":       apitest.Refused(apitest.Request{Method: "DELETE", Path: "/jobs?confirm=true&job_type=%zz"}, 422, "query: must be encoded as the query of a URL", "query.query"),
		"no priority":                             apitest.Refused(apitest.Request{Method: "PATCH", Path: priority}, 422, "priority: is required", "query.priority"),
		"a priority of null":                      apitest.Refused(apitest.Request{Method: "PATCH", Path: priority, Body: `{"priority":null}`}, 422, "priority: is required", "query.priority"),
		"a priority of text":                      apitest.Refused(apitest.Request{Method: "PATCH", Path: priority + "?priority=high"}, 422, "priority: must be a whole number", "query.priority"),
		"a priority out of range":                 apitest.Refused(apitest.Request{Method: "PATCH", Path: priority + "?priority=101"}, 422, "priority: must be at most 100, got 101", "query.priority"),
		"a priority below the range":              apitest.Refused(apitest.Request{Method: "PATCH", Path: priority, Body: `{"priority":-101}`}, 422, "priority: must be at least -100, got -101", "body.priority"),
		"a priority twice":                        apitest.Refused(apitest.Request{Method: "PATCH", Path: priority + "?priority=1", Body: `{"priority":1}`}, 422, "priority: must be given once", "body.priority"),
		"a priority and a misspelt word":          apitest.Refused(apitest.Request{Method: "PATCH", Path: priority, Body: `{"priority":1,"prio":2}`}, 422, "prio: is not a known field", "body.prio"),
		"an ingestion as a job":                   apitest.Refused(apitest.Request{Method: "POST", Path: "/jobs", Body: `{"job_type":"ingestion"}`}, 422, "job_type: is not submitted here: use POST /ingest", "body.job_type"),
		"an unknown job type":                     apitest.Refused(apitest.Request{Method: "POST", Path: "/jobs", Body: `{"job_type":"mine"}`}, 422, "job_type: must be one of noop, once, sleep, got \"mine\"", "body.job_type"),
		"no job type":                             apitest.Refused(apitest.Request{Method: "POST", Path: "/jobs", Body: `{}`}, 422, "job_type: is required", "body.job_type"),
		"a priority of 101":                       apitest.Refused(apitest.Request{Method: "POST", Path: "/jobs", Body: `{"job_type":"noop","priority":101}`}, 422, "priority: must be at most 100", "body.priority"),
		"a queue with a newline":                  apitest.Refused(apitest.Request{Method: "POST", Path: "/jobs", Body: `{"job_type":"noop","queue":"a\nb"}`}, 422, "queue: must be 1 to 64 letters, digits and _", "body.queue"),
		"an instant that is none":                 apitest.Refused(apitest.Request{Method: "POST", Path: "/jobs", Body: `{"job_type":"noop","run_at":"tomorrow"}`}, 422, "run_at: must be an instant in RFC 3339", "body.run_at"),
		"a key with a space":                      apitest.Refused(apitest.Request{Method: "POST", Path: "/jobs", Body: `{"job_type":"noop"}`, Header: map[string]string{"Idempotency-Key": "a b"}}, 422, "Idempotency-Key: must be printable ASCII without spaces", "header.Idempotency-Key"),
		"a key that is too long":                  apitest.Refused(apitest.Request{Method: "POST", Path: "/jobs", Body: `{"job_type":"noop"}`, Header: map[string]string{"Idempotency-Key": strings.Repeat("a", 256)}}, 422, "Idempotency-Key: must have at most 255 characters, got 256", "header.Idempotency-Key"),
		"too much data":                           apitest.Refused(apitest.Request{Method: "POST", Path: "/jobs", Body: `{"job_type":"noop","data":"` + strings.Repeat("a", 70_000) + `"}`}, 422, "data: must be at most 65536 bytes", "body.data"),
		"data that breaks the rules of its type":  apitest.Refused(apitest.Request{Method: "POST", Path: "/jobs", Body: `{"job_type":"sleep","data":{"ms":"long"}}`}, 422, "data.ms: must be a whole number", "body.data.ms"),
	}, func() int { return len(f.added) + len(f.did) })
}
