package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

// mostDescribed is the size up to which answers are held to the document.
const mostDescribed = 1 << 20

// describedTransport holds what a server answers to its OpenAPI document. Streams are left
// alone, and so are answers that break off.
type describedTransport struct {
	*http.Transport
	server string

	mu sync.Mutex // guards what is below
	t  testing.TB // nil after the test
}

// apiDocumented is the document of the first server that has shown it: all of them have the same.
var apiDocumented struct {
	sync.Mutex

	valid *apitest.Validator
}

// describedClient returns what carries the calls to a server until the test ends.
func describedClient(t *testing.T, server string) *http.Client {
	t.Helper()
	d := &describedTransport{Transport: http.DefaultTransport.(*http.Transport).Clone(), server: server, t: t}
	t.Cleanup(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.t = nil
		d.CloseIdleConnections()
	})
	return &http.Client{Transport: d}
}

// RoundTrip makes a call, and reports an answer that is not as described.
func (d *describedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := d.Transport.RoundTrip(req)
	if err != nil || strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") || resp.ContentLength > mostDescribed || resp.StatusCode < 200 {
		return resp, err
	}
	var body bytes.Buffer
	if _, err := io.Copy(&body, io.LimitReader(resp.Body, mostDescribed)); err != nil || body.Len() == mostDescribed {
		resp.Body = readCloser{io.MultiReader(&body, failing{err}, resp.Body), resp.Body}
		return resp, nil //nolint:nilerr // whoever reads the body gets it
	}
	d.check(req, resp, body.Bytes())
	resp.Body = readCloser{&body, resp.Body}
	return resp, nil
}

func (d *describedTransport) check(req *http.Request, resp *http.Response, body []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.t == nil {
		return
	}
	valid := d.validator(req.Context())
	if valid == nil {
		return
	}
	if err := valid.Check(req.Method, req.URL.EscapedPath(), resp, body); err != nil {
		d.t.Error(err)
	}
}

// validator reads the document once; nil when the server does not show it now.
func (d *describedTransport) validator(ctx context.Context) *apitest.Validator {
	apiDocumented.Lock()
	defer apiDocumented.Unlock()
	if apiDocumented.valid != nil {
		return apiDocumented.valid
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.server+"/openapi.json", nil)
	if err != nil {
		return nil
	}
	resp, err := d.Transport.RoundTrip(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	document, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil
	}
	apiDocumented.valid = apitest.ValidatorOf(d.t, document)
	return apiDocumented.valid
}

type readCloser struct {
	io.Reader
	io.Closer
}

// failing fails to read with an error, and has nothing to read without one.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}
