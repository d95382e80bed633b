package http_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	nethttp "net/http"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/klauspost/compress/zstd"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// long answers with text of any length, and with bytes that do not change.
type long struct{}

type length struct {
	N int `query:"n" default:"1"`
}

func (long) Register(r *http.Router) error {
	for _, path := range []string{"/long", "/auth/long"} {
		http.Register(r, http.Route{Method: "GET", Path: path, Permission: access.GraphRead, ID: "graph." + strings.ReplaceAll(path[1:], "/", "-"), Summary: "Long"},
			func(_ context.Context, in *length) (echo, error) { return echo{strings.Repeat("kappa ", in.N)}, nil })
	}
	raw := func(path string, h func(*gin.Context) error) {
		r.RegisterRaw(http.Route{Method: "GET", Path: path, Permission: access.GraphRead, ID: "graph." + path[1:], Summary: "Raw", Document: func(op *huma.Operation) {
			http.Respond(op, "200", "text/plain", "Bytes", &huma.Schema{Type: huma.TypeString})
		}}, h)
	}
	raw("/bytes", func(c *gin.Context) error {
		http.SendBytes(c, "sha256:ab", "text/plain", []byte(strings.Repeat("0123456789", 500)))
		return nil
	})
	raw("/stream", func(c *gin.Context) error {
		c.Header("Content-Type", http.EventStreamType)
		_, _ = c.Writer.WriteString("data: " + strings.Repeat("x", 5000) + "\n\n")
		c.Writer.Flush()
		return nil
	})
	return nil
}

// fetch sends a request as it is, and returns the answer without undoing its encoding.
func fetch(t *testing.T, method, url string, header map[string]string) (*nethttp.Response, []byte) {
	t.Helper()
	req, err := nethttp.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+apitest.Good)
	for name, value := range header {
		req.Header.Set(name, value)
	}
	transport := &nethttp.Transport{DisableCompression: true, DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, body
}

func TestCompressedAnswers(t *testing.T) {
	addr, stop := apitest.Run(t, apitest.Serve(t, long{}))
	defer stop()
	url := "http://" + addr
	for _, c := range []struct{ path, accepts, encoding string }{
		{"/long?n=1000", "gzip", "gzip"},
		{"/long?n=1000", "gzip, deflate, br, zstd", "zstd"},
		{"/long?n=1000", "", ""},
		{"/long?n=1000", "identity", ""},
		{"/long?n=1000", "gzip;q=0", ""},
		{"/long?n=1", "gzip", ""},         // is short
		{"/auth/long?n=1000", "gzip", ""}, // may have a secret
		{"/stream", "gzip", ""},           // each event has to arrive at once
		{"/bytes", "gzip", ""},            // ranges are of the bytes
	} {
		resp, body := fetch(t, "GET", url+c.path, map[string]string{"Accept-Encoding": c.accepts})
		if got := resp.Header.Get("Content-Encoding"); got != c.encoding || resp.StatusCode != 200 {
			t.Errorf("%s, accepting %q: %d in %q, want %q", c.path, c.accepts, resp.StatusCode, got, c.encoding)
		}
		plain := plainOf(t, c.encoding, body)
		if strings.Contains(c.path, "long") && !json.Valid(plain) {
			t.Errorf("%s, accepting %q: %.80q", c.path, c.accepts, plain)
		}
		if c.encoding != "" && (len(body) > len(plain)/5 || !strings.Contains(resp.Header.Get("Vary"), "Accept-Encoding")) {
			t.Errorf("%s: %d bytes of %d, Vary %q", c.path, len(body), len(plain), resp.Header.Get("Vary"))
		}
	}
}

func plainOf(t *testing.T, encoding string, body []byte) []byte {
	t.Helper()
	var r io.Reader = strings.NewReader(string(body))
	var err error
	switch encoding {
	case "gzip":
		r, err = gzip.NewReader(r)
	case "zstd":
		var d *zstd.Decoder
		if d, err = zstd.NewReader(r); err == nil {
			defer d.Close()
			r = d
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestHead(t *testing.T) {
	addr, stop := apitest.Run(t, apitest.Serve(t, long{}))
	defer stop()
	for path, size := range map[string]string{"/api/bytes": "5000", "/bytes/": "5000"} {
		resp, body := fetch(t, "HEAD", "http://"+addr+path, map[string]string{"Accept-Encoding": "gzip"})
		if resp.StatusCode != 200 || len(body) != 0 || resp.Header.Get("Content-Length") != size {
			t.Errorf("%s: %d, %d bytes, Content-Length %s", path, resp.StatusCode, len(body), resp.Header.Get("Content-Length"))
		}
	}
	if resp, _ := fetch(t, "HEAD", "http://"+addr+"/long", map[string]string{"Authorization": "Bearer nobody"}); resp.StatusCode != 401 {
		t.Errorf("a stranger: %d", resp.StatusCode)
	}
	if resp, _ := fetch(t, "DELETE", "http://"+addr+"/long", nil); resp.StatusCode != 405 || !strings.Contains(resp.Header.Get("Allow"), "GET") || !strings.Contains(resp.Header.Get("Allow"), "HEAD") {
		t.Errorf("another method: %d, Allow %q", resp.StatusCode, resp.Header.Get("Allow"))
	}
}

func TestRanges(t *testing.T) {
	s := apitest.Serve(t, long{})
	addr, stop := apitest.Run(t, s)
	defer stop()
	for _, c := range []struct {
		header map[string]string
		status int
		body   string
	}{
		{map[string]string{"Range": "bytes=3-6"}, 206, "3456"},
		{map[string]string{"Range": "bytes=-2"}, 206, "89"},
		{map[string]string{"Range": "bytes=4998-9999"}, 206, "89"},
		{map[string]string{"Range": "bytes=5000-"}, 416, "invalid range: failed to overlap\n"},
		{map[string]string{"Range": "bytes=3-6", "If-Range": `"sha256:ab"`}, 206, "3456"},
		{map[string]string{"If-None-Match": `"sha256:ab"`}, 304, ""},
	} {
		resp, body := fetch(t, "GET", "http://"+addr+"/bytes", c.header)
		if resp.StatusCode != c.status || string(body) != c.body {
			t.Errorf("%v: %d %q", c.header, resp.StatusCode, body)
		}
	}
	resp, body := fetch(t, "GET", "http://"+addr+"/bytes", map[string]string{"Range": "bytes=3-6", "If-Range": `"another"`})
	if resp.StatusCode != 200 || len(body) != 5000 || resp.Header.Get("Accept-Ranges") != "bytes" || resp.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("%d, %d bytes, header %v", resp.StatusCode, len(body), resp.Header)
	}
}

func TestOrigins(t *testing.T) {
	const app = "https://app.example.com"
	s := apitest.ServeWith(t, http.Config{Origins: []string{app}}, &sample{})
	call := func(method, path, origin string) *nethttp.Response {
		resp, _ := apitest.Call(t, s, apitest.Request{Method: method, Path: path, Header: map[string]string{"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization", "Sec-Fetch-Site": "cross-site"}})
		return resp
	}
	if resp := call("OPTIONS", "/sample/x", app); resp.StatusCode != 204 || resp.Header.Get("Access-Control-Allow-Origin") != app || !strings.Contains(resp.Header.Get("Access-Control-Allow-Headers"), "Authorization") || !strings.Contains(resp.Header.Get("Access-Control-Allow-Methods"), "DELETE") {
		t.Errorf("a preflight: %d, header %v", resp.StatusCode, resp.Header)
	}
	if resp := call("GET", "/sample/x", app); resp.StatusCode != 200 || resp.Header.Get("Access-Control-Allow-Origin") != app || resp.Header.Get("Access-Control-Allow-Credentials") != "" || resp.Header.Get("Vary") != "Origin" {
		t.Errorf("a request: %d, header %v", resp.StatusCode, resp.Header)
	}
	for _, other := range []string{"https://evil.example", "null", app + ".evil.example", "http://app.example.com", app + ":444", strings.ToUpper(app)} {
		if resp := call("OPTIONS", "/sample/x", other); resp.StatusCode < 400 || resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("a preflight from %s: %d", other, resp.StatusCode)
		}
		if resp := call("GET", "/sample/x", other); resp.Header.Get("Access-Control-Allow-Origin") != "" || resp.Header.Get("Vary") != "Origin" {
			t.Errorf("a request from %s: header %v", other, resp.Header)
		}
	}
	for _, bad := range []string{"*", "app.example.com", "https://app.example.com/", "https://App.example.com", "ftp://a", "https://", "https://a b"} {
		if http.CheckOrigins([]string{app, bad}) == nil {
			t.Errorf("%q is an origin", bad)
		}
	}
	if err := http.CheckOrigins([]string{app, "http://localhost:3000"}); err != nil {
		t.Error(err)
	}
}
