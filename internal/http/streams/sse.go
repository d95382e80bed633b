package streams

import (
	"bytes"
	nethttp "net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

const (
	firstRetry    = 2 * time.Second // a client whose connection breaks comes back after this
	frameOverhead = 64              // bytes around the data of an event, or a little more
)

// frame is one server-sent event.
type frame struct {
	id    int64  // number of the event; 0 for none
	event string // lower-case letters
	data  []byte // JSON
}

// appendTo appends the frame in the text form of event streams. Whatever is in
// it, a reader finds exactly one event there: a line break in data, which JSON
// allows only between its words, becomes a space, and event keeps its letters.
func (f frame) appendTo(dst []byte) []byte {
	dst = slices.Grow(dst, len(f.data)+frameOverhead)
	if f.id > 0 {
		dst = append(dst, "id: "...)
		dst = strconv.AppendInt(dst, f.id, 10)
		dst = append(dst, '\n')
	}
	dst = append(dst, "event: "...)
	for _, c := range []byte(f.event) {
		if 'a' <= c && c <= 'z' {
			dst = append(dst, c)
		}
	}
	dst = append(dst, "\ndata: "...)
	return append(appendLine(dst, f.data), "\n\n"...)
}

// appendLine appends data as one line.
func appendLine(dst, data []byte) []byte {
	data = bytes.TrimRight(data, "\r\n")
	begin := len(dst)
	dst = append(dst, data...)
	if !bytes.ContainsAny(data, "\r\n") {
		return dst
	}
	for i, c := range dst[begin:] {
		if c == '\r' || c == '\n' {
			dst[begin+i] = ' '
		}
	}
	return dst
}

// frameWriter sends frames to one client, each write within a time limit. The
// first failure is final.
type frameWriter struct {
	c       *gin.Context // until the answer has begun
	outlet  outlet       // nil until then
	timeout time.Duration
	count   func(event string)

	pending []byte
	sentAt  time.Time
}

// newFrameWriter prepares a stream as the answer, which begins with the first
// push. Until then the request may still be answered otherwise.
func newFrameWriter(c *gin.Context, timeout time.Duration, count func(event string)) *frameWriter {
	f := &frameWriter{c: c, timeout: timeout, count: count}
	f.retry(firstRetry)
	return f
}

// begin begins the answer. Nothing on the way may hold it back or change it.
func (f *frameWriter) begin() {
	h := f.c.Writer.Header()
	h.Set("Content-Type", http.EventStreamType)
	h.Set("Cache-Control", "no-cache, no-store, no-transform")
	h.Set("Connection", "keep-alive")
	h.Set("X-Accel-Buffering", "no")
	f.c.Writer.WriteHeaderNow()
	// Past gin's writer, which hides whether a flush has failed.
	w := nethttp.ResponseWriter(f.c.Writer)
	if wrapped, ok := w.(interface{ Unwrap() nethttp.ResponseWriter }); ok {
		w = wrapped.Unwrap()
	}
	f.outlet, f.c = answerOutlet{w: w, rc: nethttp.NewResponseController(w), shared: f.c.Request.ProtoMajor > 1}, nil
}

// begun reports whether the answer has begun.
func (f *frameWriter) begun() bool { return f.outlet != nil }

// takeOver takes the connection of an answer that has begun, and nothing is
// pending of, over from net/http.
func (f *frameWriter) takeOver() (*chunkOutlet, error) {
	conn, _, err := f.outlet.(answerOutlet).rc.Hijack()
	if err != nil {
		return nil, err
	}
	out := &chunkOutlet{conn: conn}
	f.outlet = out
	return out, nil
}

// add puts a frame behind those that wait for push.
func (f *frameWriter) add(frame frame) {
	f.pending = frame.appendTo(f.pending)
	f.count(frame.event)
}

// addText puts the text of a frame behind those that wait for push. Many streams
// may share it: it is not changed.
func (f *frameWriter) addText(text []byte, event string) {
	if len(f.pending) == 0 {
		f.pending = slices.Clip(text) // what is added behind it goes elsewhere
	} else {
		f.pending = append(f.pending, text...)
	}
	f.count(event)
}

// keepalive adds what breaks a silence: a comment, as proxies know it, and an
// event that a page can see.
func (f *frameWriter) keepalive(now time.Time) {
	f.pending = append(f.pending, ": heartbeat\n"...)
	f.add(frame{event: "keepalive", data: http.EncodeJSON(map[string]kappa.Time{"timestamp": kappa.At(now)})})
}

// retry adds how long the client shall wait when the connection ends.
func (f *frameWriter) retry(wait time.Duration) {
	f.pending = append(f.pending, "retry: "...)
	f.pending = strconv.AppendInt(f.pending, wait.Milliseconds(), 10)
	f.pending = append(f.pending, "\n\n"...)
}

// empty reports whether nothing waits for push.
func (f *frameWriter) empty() bool { return len(f.pending) == 0 }

// drop forgets what was added.
func (f *frameWriter) drop() { f.pending = nil }

// push sends what was added. It returns an error when the client has gone or
// does not read.
func (f *frameWriter) push() error {
	if len(f.pending) == 0 {
		return nil
	}
	if !f.begun() {
		f.begin()
	}
	f.sentAt = time.Now()
	err := f.outlet.send(f.pending, f.timeout)
	f.pending = nil // not kept: most streams are silent most of the time
	return err
}

// lastEventID returns the number of the last event that the client has seen.
// What is not a number counts as absent.
func lastEventID(r *nethttp.Request) (id int64, ok bool) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("last_event_id")
	}
	if text == "" || strings.ContainsFunc(text, func(c rune) bool { return c < '0' || c > '9' }) {
		return 0, false
	}
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil
}
