package mcp

import (
	"bytes"
	"context"
	"errors"
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
func Handler(api http.Handler, version string, log *slog.Logger) (http.Handler, error) {
	c, err := client.New(client.Config{BaseURL: inProcessURL, UserAgent: "kappa-mcp", HTTPClient: &http.Client{Transport: inProcess{api}}})
	if err != nil {
		return nil, err
	}
	s := New(c, version) // one for all: to describe the tools takes longer than most calls of one
	agents := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, Logger: log, MaxRequestBodyBytes: maxBodyBytes,
		DisableLocalhostProtection:   true, // the API checks the Host of every request by its own rule
		PropagateRequestCancellation: true,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), agentsRequest{}, r)))
	}), nil
}

// inProcessURL is where the client of the tools believes the API to be.
const inProcessURL = "http://in-process"

// agentsRequest is the key of an agent's request in the context of the calls that it leads to.
type agentsRequest struct{}

// inProcess carries calls to a handler of this process, as who made the agent's request.
type inProcess struct{ api http.Handler }

// RoundTrip lets the handler answer a call.
func (t inProcess) RoundTrip(call *http.Request) (*http.Response, error) {
	as, asked := call.Context().Value(agentsRequest{}).(*http.Request)
	if !asked {
		return nil, errors.New("a call without the request of an agent has no rights")
	}
	call = call.Clone(call.Context())
	call.Header.Set("Authorization", as.Header.Get("Authorization"))
	call.RemoteAddr, call.RequestURI = as.RemoteAddr, call.URL.RequestURI()
	call.URL.Scheme, call.URL.Host, call.Host = "", "", as.Host // as a server sees it
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
