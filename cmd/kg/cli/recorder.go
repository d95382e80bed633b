package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"sync"
)

// recorder keeps the body of the last JSON answer, so that -o json can show
// exactly what the API sent, with members that this version of kg does not
// know.
type recorder struct {
	next http.RoundTripper

	mu   sync.Mutex
	last *bytes.Buffer
}

// RoundTrip passes the request on and copies the answer as it is read.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := r.next.RoundTrip(req)
	if err != nil || !isJSON(resp.Header) || resp.Header.Get("Content-Disposition") != "" { // a file is not kept
		return resp, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = &bytes.Buffer{}
	resp.Body = &recordedBody{ReadCloser: resp.Body, to: r.last}
	return resp, nil
}

// CloseIdleConnections closes what the next transport holds.
func (r *recorder) CloseIdleConnections() {
	if t, ok := r.next.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

// answer returns the last answer that was read; nil when there is none.
func (r *recorder) answer() json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		return nil
	}
	return bytes.TrimSpace(r.last.Bytes())
}

func isJSON(h http.Header) bool {
	mediaType, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return mediaType == "application/json"
}

// recordedBody copies what is read of a body.
type recordedBody struct {
	io.ReadCloser
	to *bytes.Buffer
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.to.Write(p[:n])
	return n, err
}
