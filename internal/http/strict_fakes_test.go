package http

import (
	"bytes"
	"log/slog"
	"regexp"
	"strings"
	"testing"
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
		b.subs, b.closed = nil, 0
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
