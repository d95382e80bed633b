package mcp

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/kappagraph/kappa/client"
)

// maxBodyBytes bounds a request of an agent; a document has its bound in the API.
const maxBodyBytes = 16 << 20

// Handler serves the tools over streamable HTTP. Each request stands for itself and
// carries the token that its calls are made with, which go to api in this process;
// nothing is kept between two requests.
func Handler(api http.Handler, version string, log *slog.Logger) http.Handler {
	schemas := mcp.NewSchemaCache()
	return mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		c, err := client.New(client.Config{
			BaseURL: "http://" + r.Host, UserAgent: "kappa-mcp", HTTPClient: &http.Client{Transport: inProcess{api, r}},
		})
		if err != nil {
			log.ErrorContext(r.Context(), "a request of an agent cannot be answered", "err", err)
			return nil
		}
		return New(c, version, schemas)
	}, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: log, MaxRequestBodyBytes: maxBodyBytes,
		DisableLocalhostProtection:   true, // the API checks the Host of every request by its own rule
		PropagateRequestCancellation: true,
	})
}

// inProcess carries calls to a handler of this process, as who made a request.
type inProcess struct {
	api http.Handler
	as  *http.Request
}

// RoundTrip lets the handler answer a call.
func (t inProcess) RoundTrip(call *http.Request) (*http.Response, error) {
	call = call.Clone(call.Context())
	call.Header.Set("Authorization", t.as.Header.Get("Authorization"))
	call.RemoteAddr, call.RequestURI = t.as.RemoteAddr, call.URL.RequestURI()
	call.URL.Scheme, call.URL.Host, call.Host = "", "", call.URL.Host // as a server sees it
	if call.Body == nil {
		call.Body = http.NoBody
	}
	w := &recorder{header: http.Header{}}
	t.api.ServeHTTP(w, call)
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return &http.Response{
		Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: call,
	}, nil
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the headers of the answer.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader sets the status.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write adds to the body.
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }
