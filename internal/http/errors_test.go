package http_test

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
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
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
			b := &sample{}
			b.onAsk = func(context.Context) error { return tt.err }
			s := apitest.Serve(t, b)
			resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/api/sample/x/", Header: map[string]string{"X-Request-ID": "req-1"}})
			p := apitest.WantProblem(t, resp, body, tt.status)
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
	logged := func(t *testing.T, b *sample, r apitest.Request) string {
		t.Helper()
		var out bytes.Buffer
		cfg := http.Config{}
		cfg.Log = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
		apitest.Call(t, apitest.ServeWith(t, cfg, b), r)
		return out.String()
	}
	t.Run("an internal error is logged with the request's id", func(t *testing.T) {
		b := &sample{}
		b.onAsk = func(context.Context) error { return errors.New("disk on fire") }
		out := logged(t, b, apitest.Request{Method: "GET", Path: "/sample/x", Header: map[string]string{"X-Request-ID": "req-1"}})
		if !strings.Contains(out, "disk on fire") || !strings.Contains(out, "request=req-1") {
			t.Error(out)
		}
	})
	t.Run("a panic is a 500 and is logged", func(t *testing.T) {
		out := logged(t, &sample{}, apitest.Request{Method: "GET", Path: "/sample/panic"})
		if !strings.Contains(out, "boom") || !strings.Contains(out, "status=500") {
			t.Error(out)
		}
	})
	t.Run("credentials in a query are never logged", func(t *testing.T) {
		for _, path := range []string{
			"/sample/x?token=hush", "/nope?token=hush",
		} {
			if out := logged(t, &sample{}, apitest.Request{Method: "GET", Path: path, Token: apitest.None}); strings.Contains(out, "hush") || !strings.Contains(out, "msg=request") {
				t.Error(out)
			}
		}
	})
	t.Run("an id that could forge a line is not taken", func(t *testing.T) {
		out := logged(t, &sample{}, apitest.Request{Method: "GET", Path: "/livez", Header: map[string]string{"X-Request-ID": "a b"}})
		if strings.Contains(out, "a b") {
			t.Error(out)
		}
	})
}

func TestHeaders(t *testing.T) {
	s := apitest.Serve(t, &sample{})
	for _, r := range []apitest.Request{{Method: "GET", Path: "/sample/x"}, {Method: "GET", Path: "/nope"}} {
		resp, _ := apitest.Call(t, s, r)
		for name, want := range map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": ""} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", r.Method, r.Path, name, got, want)
			}
		}
	}
	resp, _ := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/sample/x"})
	if got := resp.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Errorf("Content-Type %q", got)
	}
}

func TestAPanicAfterTheAnswerBeganCutsIt(t *testing.T) {
	s := apitest.Serve(t, &sample{})
	s.RegisterRaw(http.Route{Method: "GET", Path: "/half", Permission: access.Public, ID: "test.half", Document: func(*huma.Operation) {}}, func(c *gin.Context) error {
		c.Writer.WriteHeaderNow()
		panic("half way")
	})
	defer func() {
		if v := recover(); v != nethttp.ErrAbortHandler { //nolint:errorlint // it is what net/http compares with
			t.Errorf("recovered %v, want the connection aborted", v)
		}
	}()
	apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/half"})
}
