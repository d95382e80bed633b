package ingestion

import (
	"context"
	"encoding/json"
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// loopback gets whatever is asked for, as the guard does in an installation that opens
// private networks, and refuses the host inside.
type loopback struct{}

func (loopback) Get(ctx context.Context, address string, header nethttp.Header) (*nethttp.Response, error) {
	r, err := nethttp.NewRequestWithContext(ctx, nethttp.MethodGet, address, nethttp.NoBody)
	if err != nil || r.URL.Hostname() == "inside.example" {
		return nil, kappa.Invalid(kappa.FieldError{In: "body", Name: "url", Rule: "must lead elsewhere"})
	}
	r.Header = header
	return nethttp.DefaultClient.Do(r)
}

// serveWeb is a server with documents, and one that redirects to them.
func serveWeb(t *testing.T) string {
	t.Helper()
	mux := nethttp.NewServeMux()
	mux.HandleFunc("/doc/ice%20age.csv", func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		_, _ = fmt.Fprint(w, "a,b\n")
	})
	mux.HandleFunc("/moved", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		nethttp.Redirect(w, r, "/again", nethttp.StatusFound)
	})
	mux.HandleFunc("/again", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		nethttp.Redirect(w, r, "/doc/ice%20age.csv", nethttp.StatusMovedPermanently)
	})
	mux.HandleFunc("/{$}", func(w nethttp.ResponseWriter, _ *nethttp.Request) { _, _ = fmt.Fprint(w, "<html>ice</html>") })
	mux.HandleFunc("/status/{code}", func(w nethttp.ResponseWriter, r *nethttp.Request) {
		var code int
		_, _ = fmt.Sscan(r.PathValue("code"), &code)
		w.WriteHeader(code)
	})
	mux.HandleFunc("/large", func(w nethttp.ResponseWriter, _ *nethttp.Request) { _, _ = fmt.Fprint(w, strings.Repeat("x", 1<<20+1)) })
	mux.HandleFunc("/endless", func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		for range 1 << 10 {
			if _, err := fmt.Fprint(w, strings.Repeat("x", 1<<20)); err != nil {
				return
			}
		}
		t.Error("an answer without end was read to its end")
	})
	s := httptest.NewServer(mux)
	t.Cleanup(func() {
		s.Close()
		nethttp.DefaultClient.CloseIdleConnections()
	})
	return s.URL
}

func TestIngestURL(t *testing.T) {
	address := serveWeb(t)
	f := newFake()
	s := apitest.Serve(t, New(Config{Documents: f, Web: loopback{}, Limits: Limits{DocumentBytes: 1 << 20}}))
	post := func(fields url.Values) (int, string) {
		fields.Set("ontology", "o")
		resp, answer := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/ingest/url", Body: fields.Encode(), ContentType: "application/x-www-form-urlencoded"})
		return resp.StatusCode, answer
	}
	t.Run("a document after redirects", func(t *testing.T) {
		status, body := post(url.Values{"url": {address + "/moved"}, "auto_approve": {"true"}})
		final := address + "/doc/ice%20age.csv"
		var answer submittedAnswer
		if err := json.Unmarshal([]byte(body), &answer); err != nil || status != 200 {
			t.Fatalf("%d %s", status, body)
		}
		want := api.Fetched{URL: final, Redirects: []string{address + "/moved", address + "/again"}, ContentType: "text/csv; charset=utf-8", Bytes: 4}
		if answer.Fetched == nil || !reflect.DeepEqual(*answer.Fetched, want) {
			t.Errorf("fetched %+v, want %+v", answer.Fetched, want)
		}
		got := f.submitted[0]
		if string(got.Body) != "a,b\n" || got.Filename != "ice age.csv" || got.ContentType != "text/csv" || *got.SourceType != "url" || *got.SourcePath != final || !got.AutoApprove {
			t.Errorf("submitted %+v", got)
		}
	})
	t.Run("names", func(t *testing.T) {
		for name, fields := range map[string]url.Values{"127.0.0.1": {"url": {address}}, "mine.html": {"url": {address + "/"}, "filename": {"mine.html"}}} {
			status, body := post(fields)
			if got := f.submitted[len(f.submitted)-1].Filename; status != 200 || got != name {
				t.Errorf("%d %s: named %q, want %q", status, body, got, name)
			}
		}
	})
	t.Run("refused", func(t *testing.T) {
		before := f.taken()
		for path, c := range map[string]struct {
			status int
			says   string
		}{
			"":                       {422, "url: must not be empty"},
			"http://inside.example/": {422, "url: must lead elsewhere"},
			address + "/nothing":     {502, "answered 404 Not Found: there is no document"},
			address + "/status/403":  {502, "not public"},
			address + "/status/503":  {502, "try again later"},
			address + "/status/204":  {502, "only 200 is a document"},
			address + "/large":       {413, "1.0 MB"},
			address + "/endless":     {413, "1.0 MB"},
		} {
			status, body := post(url.Values{"url": {path}})
			if status != c.status || !strings.Contains(body, c.says) {
				t.Errorf("%s: %d %s, want %d and %q", path, status, body, c.status, c.says)
			}
		}
		if f.taken() != before {
			t.Error("something was submitted")
		}
	})
}
