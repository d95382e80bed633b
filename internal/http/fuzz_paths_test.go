package http

import (
	"slices"
	"strings"
	"testing"
)

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
	operations := describedWhere(f, 3, func(op operation) bool { return op.takes("path", "") || op.takes("header", "Idempotency-Key") })
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
