package apitest

import (
	"bytes"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	nethttp "net/http"

	"github.com/kappagraph/kappa/internal/http"
)

// Fuzzer sends anything to a server, which must not fail, and which must let nothing
// through that breaks a rule. The rules are written down once more in the fakes that
// call Allow: the domain's own may be what is broken.
type Fuzzer struct {
	Server  *http.Server
	Request Request // the one at hand
	Name    string  // what was put in for names in its path
	Calls   int     // that got through

	t   testing.TB
	log bytes.Buffer // errors
}

// Begin serves resources to the fuzzer.
func (f *Fuzzer) Begin(t testing.TB, resources ...http.Resource) {
	t.Helper()
	log := slog.New(slog.NewTextHandler(&f.log, &slog.HandlerOptions{Level: slog.LevelError}))
	f.Server = ServeWith(t, http.Config{Log: log}, resources...)
}

// Send sends a request and checks that the answer is none of a server that has
// failed: what it refuses, it refuses with a reason.
func (f *Fuzzer) Send(t testing.TB, r Request) (*nethttp.Response, string) {
	t.Helper()
	f.t, f.Request, f.Calls = t, r, 0
	f.log.Reset()
	resp, body := Call(t, f.Server, r)
	switch {
	case resp.StatusCode >= 500 && resp.StatusCode != nethttp.StatusNotImplemented || f.log.Len() > 0:
		t.Fatalf("%s %s?%q with %q: status %d with %s\n%s", r.Method, r.Path, r.Query, r.Body, resp.StatusCode, body, f.log.String())
	case resp.StatusCode >= 400:
		WantProblem(t, resp, body, resp.StatusCode)
	}
	return resp, body
}

// Allow counts what got through, and reports what should not have.
func (f *Fuzzer) Allow(ok bool, what any) {
	f.t.Helper()
	if f.Calls++; !ok {
		f.t.Errorf("%s %s?%q with %q got through: %+v", f.Request.Method, f.Request.Path, f.Request.Query, f.Request.Body, what)
	}
}

// NameInPath reports whether a name is what the path says, and can be looked up.
func (f *Fuzzer) NameInPath(name string) bool {
	return utf8.ValidString(name) && !strings.Contains(name, "\x00") && (f.Name == "" || name == f.Name)
}

var keyPattern = regexp.MustCompile(`^[!-~]{0,255}$`)

// KeyAsSent reports whether a key is that of the request, and may be one.
func (f *Fuzzer) KeyAsSent(key string) bool {
	return key == f.Request.Header["Idempotency-Key"] && keyPattern.MatchString(key)
}

// Sentence reports whether text has 1 to most characters, none of them one that
// controls.
func Sentence(text string, most int) bool {
	return utf8.ValidString(text) && strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= most && !strings.ContainsFunc(text, unicode.IsControl)
}

// SentenceOrNone is Sentence, or "".
func SentenceOrNone(text string, most int) bool { return text == "" || Sentence(text, most) }

// Within reports whether v is in a range.
func Within(v, least, most int) bool { return least <= v && v <= most }
