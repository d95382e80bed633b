package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
)

func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		name    string
		status  int
		header  http.Header
		body    string
		code    kappa.Code
		message string
		fields  []kappa.FieldError
		retry   time.Duration
	}{
		{
			name: "not found", status: 404, body: `{"title":"Not Found","status":404,"detail":"Job not found: job_1"}`,
			code: kappa.CodeNotFound, message: "Job not found: job_1",
		},
		{
			name: "broken rules name their fields", status: 422,
			body: `{"detail":"max_slots: must be at most 16, got 99","errors":[{"loc":["body","max_slots"],"msg":"must be at most 16, got 99","type":"x","input":99}]}`,
			code: kappa.CodeInvalid, message: "max_slots: must be at most 16, got 99",
			fields: []kappa.FieldError{{In: "body", Name: "max_slots", Rule: "must be at most 16, got 99"}},
		},
		{
			name: "nested and numbered fields", status: 422, body: `{"detail":"x","errors":[{"loc":["body","paths",2,"name"],"msg":"no"}]}`,
			code: kappa.CodeInvalid, message: "x", fields: []kappa.FieldError{{In: "body", Name: "paths.2.name", Rule: "no"}},
		},
		{
			name: "busy", status: 503, header: http.Header{"Retry-After": {"3"}}, body: `{"detail":"the database is busy"}`,
			code: kappa.CodeUnavailable, message: "the database is busy", retry: 3 * time.Second,
		},
		{name: "a proxy's page", status: 502, body: "<html>Bad Gateway</html>", code: kappa.CodeUnavailable, message: "the server answered 502 Bad Gateway"},
		{name: "a detail that is no sentence", status: 400, body: `{"detail":[{"msg":"x"}]}`, code: kappa.CodeMalformed, message: "the server answered 400 Bad Request"},
		{name: "an unknown status", status: 418, body: ``, code: kappa.CodeInternal, message: "the server answered 418 I'm a teapot"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := fakeTransport(t, func(*http.Request) *http.Response {
					return &http.Response{StatusCode: tt.status, Header: tt.header, Body: io.NopCloser(strings.NewReader(tt.body))}
				})
				_, err := c.Health(t.Context())
				var got *Error
				if !errors.As(err, &got) {
					t.Fatalf("got %v, want an *Error", err)
				}
				if got.Status != tt.status || kappa.ErrorCode(err) != tt.code || err.Error() != tt.message || got.Problem.RetryAfter != tt.retry {
					t.Errorf("got status %d, code %s, retry after %s, message %q", got.Status, kappa.ErrorCode(err), got.Problem.RetryAfter, err)
				}
				if !reflect.DeepEqual(got.Problem.Fields, tt.fields) {
					t.Errorf("fields %+v, want %+v", got.Problem.Fields, tt.fields)
				}
			})
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Run("nobody listens", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := "http://" + l.Addr().String()
		l.Close()
		c, err := New(Config{BaseURL: address})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_, err = c.Health(t.Context())
		if !errors.Is(err, ErrUnreachable) || strings.Count(err.Error(), address) != 1 || !strings.Contains(err.Error(), "refused") {
			t.Errorf("got %v, want the address once and the reason", err)
		}
	})
	t.Run("no answer in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := fakeTransport(t, func(r *http.Request) *http.Response { <-r.Context().Done(); return nil })
			_, err := c.Health(t.Context())
			if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "no answer within 1m0s") {
				t.Errorf("got %v", err)
			}
		})
	})
	t.Run("the caller gives up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(errors.New("interrupted")) })
			c := fakeTransport(t, func(r *http.Request) *http.Response { <-r.Context().Done(); return nil })
			if _, err := c.Health(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnreachable) {
				t.Errorf("got %v, want context.Canceled alone", err)
			}
		})
	})
}

func TestAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := fakeTransport(t, func(*http.Request) *http.Response {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(io.LimitReader(zeros{}, 1<<40))}
		})
		if _, err := c.Health(t.Context()); err == nil || !strings.Contains(err.Error(), "more than") {
			t.Errorf("got %v", err)
		}
	})
}

func TestAnswersThatAreNotKappas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := fakeTransport(t, func(*http.Request) *http.Response {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("<html>"))}
		})
		if _, err := c.Health(t.Context()); err == nil || !strings.Contains(err.Error(), "GET /health") {
			t.Errorf("got %v, want it to name the call", err)
		}
	})
}

// zeros is an endless stream.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
