package http

import (
	"slices"
	"strings"
	"testing"
)

// FuzzQueries sends any query to every route that takes one: the server does not
// fail, what is looked for is in range, and nothing is deleted that was not asked
// for. Streams have targets of their own.
func FuzzQueries(f *testing.F) {
	for _, query := range []string{
		"status=running&ontology=a%20b&job_type=noop&client_id=admin&limit=500&offset=1000000", "limit=0", "limit=501", "limit=", "limit=1&limit=2",
		"limit=9223372036854775808", "limit=%D9%A3", "offset=-1", "offset=1000001", "status=done", "ontology=%00", "ontology=+", "job_type=%ff", "client_id=" + strings.Repeat("a", 101),
		"sort=evidence&limit=100", "sort=age", "include_grounding=maybe&diversity_max_hops=2", "purge=true&force=on", "purge=maybe", "priority=100", "priority=-101", "priority=1e1",
		"confirm=true", "confirm=true&dry_run=yes&status=queued&system=false&older_than=30d&job_type=noop", "confirm=1&older_than=2d", "confirm=true&older_than=", "confirm=true&status=failed&status=failed",
		"confirm=true&type=noop", "confirm=true&Status=failed", "confirm=true&status=failed;older_than=30d", "confirm=true&job_type=%zz", "confirm=false", "%zz", "a;b", "&&=&", "?", "#",
	} {
		f.Add(query)
	}
	operations := describedWhere(f, 1, func(op operation) bool {
		return op.takes("query", "") && op.Responses["200"].Content[EventStreamType] == nil
	})
	s, b := newStrictServer(f)
	f.Fuzz(func(t *testing.T, query string) {
		for _, op := range operations {
			resp, _ := b.send(t, s, request{method: op.method, path: op.pathWith(knownJob), query: query})
			if deletes := op.OperationID == "jobs.prune" && resp.StatusCode == 200; deletes && b.calls != 1 {
				t.Errorf("%q led to %d deletions", query, b.calls)
			}
		}
	})
}

// FuzzPathsAndKeys puts any text into the paths of all routes that have a place for
// it, and into Idempotency-Key: a job is looked for by what can be its id only, a
// name and a key arrive as they were sent, or the request is refused.
func FuzzPathsAndKeys(f *testing.F) {
	for _, text := range []string{
		knownJob, "job_ffffffffffff", "job_0123456789AB", "job_0123456789ab\n", "interactive", "a/b+c%25", "..", ".", "*", "\x00", "\xff", "\ufffd", "\u202e",
		"job_0123456789ab/stream", "kg-cli-admin-00000000", strings.Repeat("a", 255), strings.Repeat("a", 256), "a b", "ä", "~!",
	} {
		f.Add(text, "key-1")
		f.Add(knownJob, text)
	}
	f.Add(knownJob, "")
	operations := describedWhere(f, 8, func(op operation) bool { return op.takes("path", "") || op.takes("header", "Idempotency-Key") })
	s, b := newStrictServer(f)
	f.Fuzz(func(t *testing.T, text, key string) {
		if text == "" {
			text = "/" // nothing at all is another path
		}
		b.name = text
		for _, op := range operations {
			bodies := []string{""}
			if takesBody(op.operation) {
				bodies = []string{`{"enabled":true}`, `{"priority":5}`, `{"job_type":"noop"}`}
			}
			for _, body := range bodies {
				resp, _ := b.send(t, s, request{method: op.method, path: op.pathWith(text), body: body, header: map[string]string{"Idempotency-Key": key}})
				ofJob := slices.Contains(op.Tags, "jobs") || strings.Contains(op.path, "/jobs/")
				if ofJob && op.takes("path", "id") && resp.StatusCode < 400 && !formOfJobID.MatchString(text) {
					t.Errorf("%s %s: status %d for %q", op.method, op.path, resp.StatusCode, text)
				}
				if op.takes("header", "Idempotency-Key") && resp.StatusCode < 400 && b.calls != 1 {
					t.Errorf("%s %s: status %d with key %q, and %d submissions", op.method, op.path, resp.StatusCode, key, b.calls)
				}
			}
		}
	})
}
