package apitest

import (
	"slices"
	"strings"
	"testing"
)

// Bodies sends any bytes to every route that takes a body, of which there are so
// many at least: the server accepts nothing but JSON, or a form where that is taken.
func (f *Fuzzer) Bodies(fuzz *testing.F, least int) {
	for _, seed := range bodies() {
		fuzz.Add(KnownJob, seed.contentType, seed.text)
	}
	fuzz.Add("a/b\x00%\xff", "application/json", "{}")
	operations := Operations(fuzz, f.Server, least, Operation.TakesBody)
	fuzz.Fuzz(func(t *testing.T, id, contentType, body string) {
		for _, op := range operations {
			resp, _ := f.Send(t, Request{Method: op.Method, Path: op.PathWith(id), ContentType: contentType, Body: body})
			if resp.StatusCode < 400 && !op.MayTake(contentType, body) {
				t.Errorf("%s %s took %q of type %q", op.Method, op.Path, body, contentType)
			}
		}
	})
}

// Queries sends any query to every route that takes one, of which there are so many
// at least. deletes names the operation that must get through exactly once when it
// succeeds; "" is none. Streams have targets of their own.
func (f *Fuzzer) Queries(fuzz *testing.F, least int, deletes string) {
	for _, query := range queries() {
		fuzz.Add(query)
	}
	operations := Operations(fuzz, f.Server, least, Operation.TakesQuery)
	fuzz.Fuzz(func(t *testing.T, query string) {
		for _, op := range operations {
			resp, _ := f.Send(t, Request{Method: op.Method, Path: op.PathWith(KnownJob), Query: query})
			if op.OperationID == deletes && resp.StatusCode == 200 && f.Calls != 1 {
				t.Errorf("%q led to %d deletions", query, f.Calls)
			}
		}
	})
}

// Names puts any text into the paths of all routes that have a place for it, and
// into Idempotency-Key: a job is looked for by what can be its id only, a name and a
// key arrive as they were sent, or the request is refused.
func (f *Fuzzer) Names(fuzz *testing.F, least int) {
	for _, text := range names() {
		fuzz.Add(text, "key-1")
		fuzz.Add(KnownJob, text)
	}
	fuzz.Add(KnownJob, "")
	operations := Operations(fuzz, f.Server, least, Operation.TakesName)
	fuzz.Fuzz(func(t *testing.T, text, key string) {
		if text == "" {
			text = "/" // nothing at all is another path
		}
		f.Name = text
		for _, op := range operations {
			f.sendName(t, op, text, key)
		}
	})
}

func (f *Fuzzer) sendName(t *testing.T, op Operation, text, key string) {
	bodies := []string{""}
	if op.TakesBody() {
		bodies = []string{`{"enabled":true}`, `{"priority":5}`, `{"job_type":"noop"}`}
		if !op.RequestBody.Required {
			bodies = append(bodies, "")
		}
	}
	for _, body := range bodies {
		resp, _ := f.Send(t, Request{Method: op.Method, Path: op.PathWith(text), Body: body, Header: map[string]string{"Idempotency-Key": key}})
		ofJob := slices.Contains(op.Tags, "jobs") || strings.Contains(op.Path, "/jobs/")
		if ofJob && op.Takes("path", "id") && resp.StatusCode < 400 && !JobID.MatchString(text) {
			t.Errorf("%s %s: status %d for %q", op.Method, op.Path, resp.StatusCode, text)
		}
		want := 1
		if resp.Header.Get("Idempotent-Replayed") != "" { // an earlier text came with the same key
			want = 0
		}
		if op.Takes("header", "Idempotency-Key") && resp.StatusCode < 400 && f.Calls != want {
			t.Errorf("%s %s: status %d with key %q, and %d submissions", op.Method, op.Path, resp.StatusCode, key, f.Calls)
		}
	}
}
