// Package inprocess carries calls of a client to a handler of this process, as who made the
// request that they are made for: whoever may not see something is not shown it this way either.
package inprocess

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/kappagraph/kappa/client"
)

// baseURL is where a client believes the API to be.
const baseURL = "http://in-process"

// requestKey is the key of the request in the context of the calls that it leads to.
type requestKey struct{}

// For has calls with the context that it returns be made as who made the request.
func For(ctx context.Context, r *http.Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// Client returns a client whose calls api answers. Each needs a context of For.
func Client(api http.Handler, userAgent string) (*client.Client, error) {
	return client.New(client.Config{BaseURL: baseURL, UserAgent: userAgent, HTTPClient: &http.Client{Transport: Transport{api}}})
}

// Transport has a handler answer calls.
type Transport struct{ API http.Handler }

// RoundTrip lets the handler answer a call.
func (t Transport) RoundTrip(call *http.Request) (*http.Response, error) {
	as, asked := call.Context().Value(requestKey{}).(*http.Request)
	if !asked {
		return nil, errors.New("a call for nobody's request has no rights")
	}
	call = call.Clone(call.Context())
	for _, name := range []string{"Authorization", "Cookie"} {
		call.Header.Del(name)
		if value := as.Header.Get(name); value != "" {
			call.Header.Set(name, value)
		}
	}
	call.RemoteAddr, call.RequestURI = as.RemoteAddr, call.URL.RequestURI()
	call.URL.Scheme, call.URL.Host, call.Host = "", "", as.Host // as a server sees it
	if call.Body == nil {
		call.Body = http.NoBody
	}
	w := &recorder{header: http.Header{}}
	t.API.ServeHTTP(w, call)
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
