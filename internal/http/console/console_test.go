package console

import (
	"io/fs"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var built = fstest.MapFS{
	"index.html":          {Data: []byte("<!doctype html><title>Kappa</title>")},
	"index.html.gz":       {Data: []byte("page, compressed")},
	"assets/app-1a2b.js":  {Data: []byte("run()")},
	"assets/app-1a2b.css": {Data: []byte("a{}")},
	"icon.svg":            {Data: []byte("<svg/>")},
}

func TestConsole(t *testing.T) {
	for _, tt := range []struct {
		files              fs.FS
		method, path, take string
		status             int
		says, keep         string
	}{
		{built, "GET", "/console/", "", 200, "<!doctype html>", "no-cache"},
		{built, "GET", "/console/", "gzip, br", 200, "page, compressed", "no-cache"},
		{built, "GET", "/console/jobs/job_0123456789ab", "", 200, "<!doctype html>", "no-cache"},
		{built, "HEAD", "/console/", "", 200, "", "no-cache"},
		{built, "GET", "/console/assets/app-1a2b.js", "gzip", 200, "run()", "public, max-age=31536000, immutable"},
		{built, "GET", "/console/assets/app-old.js", "", 404, "load the page again", "no-store"},
		{built, "GET", "/console/assets", "", 200, "<!doctype html>", "no-cache"},
		{built, "GET", "/console/../console.go", "", 200, "<!doctype html>", "no-cache"},
		{built, "GET", "/console", "", 303, "", "no-store"},
		{built, "POST", "/console/", "", 405, "use GET", "no-store"},
		{fstest.MapFS{}, "GET", "/console/", "", 501, "built without the console", "no-store"},
	} {
		s := apitest.Serve(t, &API{files: tt.files})
		header := map[string]string{}
		if tt.take != "" {
			header["Accept-Encoding"] = tt.take
		}
		resp, body := call(t, s, tt.method, tt.path, header)
		if resp.StatusCode != tt.status || !strings.Contains(body, tt.says) || resp.Header.Get("Cache-Control") != tt.keep {
			t.Errorf("%s %s: %d %q kept %q, want %d %q kept %q", tt.method, tt.path, resp.StatusCode, body, resp.Header.Get("Cache-Control"), tt.status, tt.says, tt.keep)
		}
		csp := resp.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") || !strings.HasPrefix(csp, "default-src 'none'") {
			t.Errorf("%s %s: Content-Security-Policy %q", tt.method, tt.path, csp)
		}
		if zipped := body == "page, compressed"; zipped != (resp.Header.Get("Content-Encoding") == "gzip") {
			t.Errorf("%s %s: Content-Encoding %q", tt.method, tt.path, resp.Header.Get("Content-Encoding"))
		}
	}
}

// call sends a request and returns the answer and its body. There is no route of the API here, so
// that apitest.Call has no document to hold the answers to.
func call(t *testing.T, s *http.Server, method, path string, header map[string]string) (*nethttp.Response, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w.Result(), w.Body.String()
}

// TestRoot sends browsers to the console, and nobody else.
func TestRoot(t *testing.T) {
	s := apitest.Serve(t, New())
	for accept, to := range map[string]string{
		"text/html,application/xhtml+xml,*/*;q=0.8": "/console/", "application/json": "", "*/*": "", "": "",
	} {
		resp, _ := call(t, s, "GET", "/", map[string]string{"Accept": accept})
		if got := resp.Header.Get("Location"); got != to || (to != "") != (resp.StatusCode == nethttp.StatusSeeOther) || resp.Header.Get("Vary") != "Accept" {
			t.Errorf("Accept %q: %d to %q, want %q", accept, resp.StatusCode, got, to)
		}
	}
}
