package http

import (
	"bytes"
	nethttp "net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
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
	for _, c := range bytes.TrimRight(f.data, "\r\n") {
		if c == '\r' || c == '\n' {
			c = ' '
		}
		dst = append(dst, c)
	}
	return append(dst, "\n\n"...)
}

// frameWriter sends frames to one client, each write within a time limit. The
// first failure is final.
type frameWriter struct {
	w       nethttp.ResponseWriter
	rc      *nethttp.ResponseController
	timeout time.Duration
	pending []byte
	sentAt  time.Time
}

// openFrames begins a stream as the answer. Nothing on the way may hold it back
// or change it.
func openFrames(c *gin.Context, timeout time.Duration) *frameWriter {
	h := c.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-store, no-transform")
	h.Set("Connection", "keep-alive")
	h.Set("X-Accel-Buffering", "no")
	c.Writer.WriteHeaderNow()
	// Past gin's writer, which hides whether a flush has failed.
	w := nethttp.ResponseWriter(c.Writer)
	if wrapped, ok := w.(interface{ Unwrap() nethttp.ResponseWriter }); ok {
		w = wrapped.Unwrap()
	}
	f := &frameWriter{w: w, rc: nethttp.NewResponseController(w), timeout: timeout}
	f.pending = append(f.pending, "retry: 2000\n\n"...)
	return f
}

// add puts a frame behind those that wait for push.
func (f *frameWriter) add(frame frame) { f.pending = frame.appendTo(f.pending) }

// push sends what was added. It returns an error when the client has gone or
// does not read.
func (f *frameWriter) push() error {
	if len(f.pending) == 0 {
		return nil
	}
	f.sentAt = time.Now()
	_ = f.rc.SetWriteDeadline(f.sentAt.Add(f.timeout)) // as far as supported
	_, err := f.w.Write(f.pending)
	f.pending = nil // not kept: most streams are silent most of the time
	if err != nil {
		return err
	}
	return f.rc.Flush()
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
