package http_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	nethttp "net/http"

	"github.com/gin-gonic/gin"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

// lateWithin leaves a tenth of itself for the answer to be written: a busy machine takes that.
const lateWithin = 2 * time.Second

// waiting is a resource that waits for something that does not come, as long as it may.
type waiting struct{}

func (waiting) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(20 * lateWithin):
		return nil
	}
}

func (w waiting) Register(r *http.Router) error {
	route := func(method, path string) http.Route {
		return http.Route{Method: method, Path: path, Permission: access.GraphRead, ID: "graph." + method + strings.ReplaceAll(path, "/", ""), Summary: "Wait", AnswerWithin: lateWithin, Document: func(*huma.Operation) {}}
	}
	http.Register(r, route("GET", "/typed"), func(ctx context.Context, _ *struct{}) (echo, error) { return echo{}, w.wait(ctx) })
	http.Register(r, route("POST", "/typed"), func(ctx context.Context, _ *question) (echo, error) { return echo{}, w.wait(ctx) })
	r.RegisterRaw(route("GET", "/raw"), func(c *gin.Context) error { return w.wait(c.Request.Context()) })
	r.RegisterRaw(route("GET", "/pieces"), func(c *gin.Context) error {
		http.AnswerBegins(c.Request.Context())
		rc := nethttp.NewResponseController(c.Writer)
		for range 6 {
			if err := rc.SetWriteDeadline(time.Now().Add(lateWithin)); err != nil {
				return err
			}
			_, _ = io.WriteString(c.Writer, "piece ")
			_ = rc.Flush()
			select {
			case <-c.Request.Context().Done():
				return c.Request.Context().Err()
			case <-time.After(lateWithin / 5):
			}
		}
		return nil
	})
	return nil
}

// TestLateAnswers: a handler that waits for too long, as for a lock in the database, is
// answered with 503 before the time for its answer is over. An answer in pieces is not.
func TestLateAnswers(t *testing.T) {
	addr, stop := run(t, http.Config{}, waiting{})
	t.Cleanup(func() { _ = stop() })
	for _, c := range []lateCase{
		{"GET", "/typed", "", 503, "The answer took too long"},
		{"POST", "/typed", `{"query":"a"}`, 503, "The answer took too long"},
		{"GET", "/raw", "", 503, "The answer took too long"},
		{"GET", "/pieces", "", 200, "piece piece piece piece piece piece "},
	} {
		t.Run(c.method+c.path, func(t *testing.T) {
			t.Parallel()
			c.check(t, "http://"+addr)
		})
	}
}

type lateCase struct {
	method, path, body string
	status             int
	want               string
}

func (c lateCase) check(t *testing.T, base string) {
	t.Helper()
	req, err := nethttp.NewRequestWithContext(t.Context(), c.method, base+c.path, strings.NewReader(c.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer good")
	req.Close = true
	resp, err := nethttp.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != c.status || !strings.Contains(string(body), c.want) {
		t.Errorf("%d %s, err %v; want %d %s", resp.StatusCode, body, err, c.status, c.want)
	}
	if c.status == 503 && resp.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}
