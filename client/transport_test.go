package client

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
)

// transport answers requests without a network, so that tests can use fake
// time.
type transport func(*http.Request) *http.Response

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	done := make(chan *http.Response, 1)
	go func() { done <- f(r) }()
	select {
	case resp := <-done:
		if resp == nil {
			return nil, io.ErrUnexpectedEOF
		}
		return resp, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// fakeTransport returns a client whose requests are answered by f; nil is a
// broken connection.
func fakeTransport(t *testing.T, f func(*http.Request) *http.Response) *Client {
	t.Helper()
	c, err := New(Config{
		BaseURL: "http://kappa.test", ClientID: "kg-cli-admin-1", ClientSecret: "s3cret",
		HTTPClient: &http.Client{Transport: transport(f)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// answer returns an answer with v as JSON.
func answer(status int, v any) *http.Response {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body))}
}

// streamed returns an answer that is an event stream, read from r.
func streamed(r io.Reader) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(r)}
}
