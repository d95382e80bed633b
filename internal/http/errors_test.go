package http

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	nethttp "net/http"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

func TestErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		err    error
		status int
		detail string // "" is not checked
		header string // name and value
	}{
		"malformed":       {kappa.NewError(kappa.CodeMalformed, "bad"), 400, "bad", ""},
		"invalid":         {kappa.Invalid(kappa.FieldError{In: "body", Name: "a", Rule: "must be b"}), 422, "a: must be b", ""},
		"unauthenticated": {kappa.NewError(kappa.CodeUnauthenticated, "who"), 401, "who", "WWW-Authenticate: Bearer"},
		"forbidden":       {kappa.NewError(kappa.CodeForbidden, "no"), 403, "no", ""},
		"not found":       {kappa.NewError(kappa.CodeNotFound, "gone"), 404, "gone", ""},
		"conflict":        {kappa.NewError(kappa.CodeConflict, "taken"), 409, "taken", ""},
		"too large":       {kappa.NewError(kappa.CodeTooLarge, "big"), 413, "big", ""},
		"unsupported":     {kappa.NewError(kappa.CodeUnsupported, "pdf"), 415, "pdf", ""},
		"rate limited": {
			&kappa.Error{Code: kappa.CodeRateLimited, Message: "slow", RetryAfter: 1500 * time.Millisecond}, 429, "slow", "Retry-After: 2",
		},
		"not implemented":                  {kappa.NewError(kappa.CodeNotImplemented, "later"), 501, "later", ""},
		"unavailable":                      {fmt.Errorf("list: %w", kappa.NewError(kappa.CodeUnavailable, "busy")), 503, "busy", "Retry-After: 1"},
		"a deadline":                       {fmt.Errorf("list: %w", context.DeadlineExceeded), 503, "", "Retry-After: 1"},
		"anything else":                    {errors.New("pq: password of user secret"), 500, "Internal error (request req-1)", ""},
		"an internal error with a message": {kappa.NewError(kappa.CodeInternal, "secret"), 500, "Internal error (request req-1)", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBackend()
			b.onAsk = func(context.Context) error { return tt.err }
			s := newTestServer(t, testConfig(b))
			resp, body := call(t, s, request{method: "GET", path: "/api/sample/x/?x=1", header: map[string]string{"X-Request-ID": "req-1"}})
			p := wantProblem(t, resp, body, tt.status)
			if tt.detail != "" && p.Detail != tt.detail {
				t.Errorf("detail %q, want %q", p.Detail, tt.detail)
			}
			if p.Instance != "/api/sample/x/" || p.RequestID != "req-1" || resp.Header.Get("X-Request-ID") != "req-1" {
				t.Errorf("problem %+v does not name the request", p)
			}
			if name, value, ok := strings.Cut(tt.header, ": "); ok && resp.Header.Get(name) != value {
				t.Errorf("%s is %q, want %q", name, resp.Header.Get(name), value)
			}
			if strings.Contains(body, "secret") {
				t.Errorf("%s gives a secret away", body)
			}
		})
	}
}

func TestLog(t *testing.T) {
	logged := func(t *testing.T, b *backend, r request) string {
		t.Helper()
		var out bytes.Buffer
		cfg := testConfig(b)
		cfg.Log = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
		call(t, newTestServer(t, cfg), r)
		return out.String()
	}
	t.Run("an internal error is logged with the request's id", func(t *testing.T) {
		b := newBackend()
		b.onAsk = func(context.Context) error { return errors.New("disk on fire") }
		out := logged(t, b, request{method: "GET", path: "/sample/x", header: map[string]string{"X-Request-ID": "req-1"}})
		if !strings.Contains(out, "disk on fire") || !strings.Contains(out, "request=req-1") {
			t.Error(out)
		}
	})
	t.Run("a panic is a 500 and is logged", func(t *testing.T) {
		out := logged(t, newBackend(), request{method: "GET", path: "/sample/panic"})
		if !strings.Contains(out, "boom") || !strings.Contains(out, "status=500") {
			t.Error(out)
		}
	})
	t.Run("credentials in a query are never logged", func(t *testing.T) {
		for _, path := range []string{
			"/sample/x?token=hush", "/nope?token=hush",
		} {
			if out := logged(t, newBackend(), request{method: "GET", path: path, token: "-"}); strings.Contains(out, "hush") || !strings.Contains(out, "msg=request") {
				t.Error(out)
			}
		}
	})
	t.Run("an id that could forge a line is not taken", func(t *testing.T) {
		out := logged(t, newBackend(), request{method: "GET", path: "/livez", header: map[string]string{"X-Request-ID": "a b"}})
		if strings.Contains(out, "a b") {
			t.Error(out)
		}
	})
}

func TestHeaders(t *testing.T) {
	s := newTestServer(t, testConfig(newBackend()))
	for _, r := range []request{{method: "GET", path: "/sample/x"}, {method: "GET", path: "/nope"}} {
		resp, _ := call(t, s, r)
		for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": ""} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", r.method, r.path, name, got, want)
			}
		}
	}
	resp, _ := call(t, s, request{method: "GET", path: "/sample/x"})
	if got := resp.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
}

func TestAPanicAfterTheAnswerBeganCutsIt(t *testing.T) {
	s := newTestServer(t, testConfig(newBackend()))
	s.RegisterRaw(Route{Method: "GET", Path: "/half", Permission: kappa.Public, ID: "test.half", Document: func(*huma.Operation) {}}, func(c *gin.Context) error {
		c.Writer.WriteHeaderNow()
		panic("half way")
	})
	defer func() {
		if v := recover(); v != nethttp.ErrAbortHandler { //nolint:errorlint // it is what net/http compares with
			t.Errorf("recovered %v, want the connection aborted", v)
		}
	}()
	call(t, s, request{method: "GET", path: "/half"})
}
