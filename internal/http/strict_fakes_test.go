package http

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	nethttp "net/http"

	"github.com/kappagraph/kappa"
)

// strict is a backend that fails the test when the API lets something through
// that breaks a rule. The rules are written down once more here: the domain's own
// may be what is broken.
type strict struct {
	*backend
	t     testing.TB
	key   string       // the Idempotency-Key of the request at hand
	query string       // and its query
	name  string       // and what was put in for names in its path
	calls int          // that got through
	log   bytes.Buffer // errors
}

// newStrictServer returns a server with a strict backend that has one job, which
// failed.
func newStrictServer(t testing.TB) (*Server, *strict) {
	b := &strict{backend: withHistory(3, kappa.StatusFailed)}
	cfg := testConfig(b.backend)
	cfg.Jobs, cfg.Lanes, cfg.Operator, cfg.Schedules = b, b, b, b
	cfg.Log = slog.New(slog.NewTextHandler(&b.log, &slog.HandlerOptions{Level: slog.LevelError}))
	return newTestServer(t, cfg), b
}

// send forgets earlier requests, sends one and checks that the answer is none of
// a server that has failed: what it refuses, it refuses with a reason.
func (b *strict) send(t testing.TB, s *Server, r request) (*nethttp.Response, string) {
	t.Helper()
	b.t, b.key, b.query, b.calls = t, r.header["Idempotency-Key"], r.query, 0
	b.log.Reset()
	b.set(func() {
		b.subs, b.closed, b.updates, b.newJobs, b.operated = nil, 0, nil, nil, nil
	})
	resp, body := call(t, s, r)
	switch {
	case resp.StatusCode >= 500 && resp.StatusCode != nethttp.StatusNotImplemented || b.log.Len() > 0:
		t.Fatalf("%s %s?%q with %q: status %d with %s\n%s", r.method, r.path, r.query, r.body, resp.StatusCode, body, b.log.String())
	case resp.StatusCode >= 400:
		wantProblem(t, resp, body, resp.StatusCode)
	}
	return resp, body
}

// allow counts what got through, and reports what should not have.
func (b *strict) allow(ok bool, what any) {
	b.t.Helper()
	if b.calls++; !ok {
		b.t.Errorf("%q with key %q got through: %+v", b.query, b.key, what)
	}
}

// sentence reports whether text has 1 to most characters, none of them one that
// controls.
func sentence(text string, most int) bool {
	return utf8.ValidString(text) && strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, unicode.IsControl)
}

func sentenceOrNone(text string, most int) bool { return text == "" || sentence(text, most) }

func within(v, least, most int) bool { return least <= v && v <= most }

// nameInPath reports whether a name is what the path says, and can be looked up.
func (b *strict) nameInPath(name string) bool {
	return utf8.ValidString(name) && !strings.Contains(name, "\x00") && (b.name == "" || name == b.name)
}

var keyPattern = regexp.MustCompile(`^[!-~]{0,255}$`)

func (b *strict) keyAsSent(key string) bool { return key == b.key && keyPattern.MatchString(key) }

func (b *strict) SubmitJob(ctx context.Context, j kappa.NewJob) (kappa.Job, error) {
	b.allow(slices.Contains([]string{kappa.TypeNoop, kappa.TypeSleep}, j.Type) && sentence(j.Queue, 100) && within(j.Priority, -100, 100) &&
		within(j.MaxRetries, 0, 100) && len(j.Data) <= 65536 && (j.Data == nil || json.Valid(j.Data)) && b.keyAsSent(j.Key), j)
	return b.backend.SubmitJob(ctx, j)
}

func (b *strict) RetryJob(ctx context.Context, r kappa.Retry) (kappa.Job, error) {
	b.allow(b.keyAsSent(r.Key), r)
	return b.backend.RetryJob(ctx, r)
}

func (b *strict) Jobs(_ context.Context, f kappa.JobFilter) ([]kappa.Job, error) {
	b.allow(within(f.Limit, 1, 500) && within(f.Offset, 0, 1_000_000) && (f.Status == "" || slices.Contains(kappa.Statuses(), f.Status)) &&
		sentenceOrNone(f.Ontology, 200) && sentenceOrNone(f.Type, 100) && sentenceOrNone(f.User, 100), f)
	return nil, nil
}

// BulkDelete wants each word of the query understood: one that is lost would
// delete more than was asked for.
func (b *strict) BulkDelete(ctx context.Context, sel kappa.JobSelection, dryRun bool) (kappa.JobDeletion, error) {
	words, err := url.ParseQuery(b.query)
	ok := err == nil && sentenceOrNone(sel.Type, 100) && (dryRun || yes(words.Get("confirm"))) && dryRun == yes(words.Get("dry_run")) &&
		words.Has("status") == (sel.Status != "") && words.Has("older_than") == (sel.OlderThan != 0) && words.Get("job_type") == sel.Type &&
		sel.System == yes(words.Get("system")) && slices.Contains([]time.Duration{0, time.Hour, 24 * time.Hour, 168 * time.Hour, 720 * time.Hour}, sel.OlderThan)
	for name, values := range words {
		ok = ok && len(values) == 1 && values[0] != "" && slices.Contains([]string{"confirm", "dry_run", "status", "system", "older_than", "job_type"}, name)
	}
	b.allow(ok, sel)
	return b.backend.BulkDelete(ctx, sel, dryRun)
}

func yes(word string) bool {
	return slices.Contains([]string{"true", "1", "yes", "on"}, strings.ToLower(word))
}

func (b *strict) Reprioritize(ctx context.Context, id string, priority int) (int, int, error) {
	b.allow(within(priority, -100, 100), priority)
	return b.backend.Reprioritize(ctx, id, priority)
}

func (b *strict) UpdateLane(ctx context.Context, name string, u kappa.LaneUpdate) (kappa.LaneChange, error) {
	b.allow(b.nameInPath(name), name)
	return b.backend.UpdateLane(ctx, name, u)
}

func (b *strict) ScheduleRuns(_ context.Context, name string, limit int) ([]kappa.ScheduleRun, error) {
	b.allow(within(limit, 1, 500) && b.nameInPath(name), name)
	return nil, nil
}

func (b *strict) UpdateSchedule(ctx context.Context, name string, u kappa.ScheduleUpdate) (kappa.Schedule, error) {
	b.allow(b.nameInPath(name), name)
	return b.backend.UpdateSchedule(ctx, name, u)
}

func (b *strict) RemoveSchedule(_ context.Context, name string) error {
	b.allow(b.nameInPath(name), name)
	return nil
}

func (b *strict) RunSchedule(ctx context.Context, name, by string) (kappa.Job, error) {
	b.allow(b.nameInPath(name), name)
	return b.backend.RunSchedule(ctx, name, by)
}
