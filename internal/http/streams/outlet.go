package streams

import (
	"net"
	nethttp "net/http"
	"strconv"
	"time"
)

// outlet is where the frames of a stream go.
type outlet interface {
	// send writes p and flushes it, or fails when that takes too long or the
	// client has gone.
	send(p []byte, within time.Duration) error
}

// answerOutlet is the outlet of a stream that is the answer to its request.
type answerOutlet struct {
	w      nethttp.ResponseWriter
	rc     *nethttp.ResponseController
	shared bool // the connection is HTTP/2's: a deadline counts while nothing is written too
}

func (o answerOutlet) send(p []byte, within time.Duration) error {
	_ = o.rc.SetWriteDeadline(time.Now().Add(within)) // as far as supported
	_, err := o.w.Write(p)
	if err == nil {
		err = o.rc.Flush()
	}
	if err == nil && o.shared {
		_ = o.rc.SetWriteDeadline(time.Time{})
	}
	return err
}

// chunkOutlet is the outlet of a stream that has taken its connection over in
// the middle of a chunked answer (RFC 9112, section 7.1).
type chunkOutlet struct {
	conn  net.Conn
	until time.Time // the deadline for writes
}

const (
	chunkOverhead = 20 // bytes: the length in hexadecimal and two line ends
	deadlineStep  = 10 // a deadline serves further writes for one part in so many of its time
)

func (o *chunkOutlet) send(p []byte, within time.Duration) error {
	b := make([]byte, 0, len(p)+chunkOverhead)
	b = strconv.AppendInt(b, int64(len(p)), 16)
	b = append(b, "\r\n"...)
	b = append(b, p...)
	return o.write(append(b, "\r\n"...), within)
}

// finish ends the answer in good order.
func (o *chunkOutlet) finish(within time.Duration) error { return o.write([]byte("0\r\n\r\n"), within) }

// write writes b within about the time. Of many writes that follow each other
// closely not every one sets a deadline of its own.
func (o *chunkOutlet) write(b []byte, within time.Duration) error {
	now := time.Now()
	if left := o.until.Sub(now); left > within || left < within-within/deadlineStep {
		o.until = now.Add(within)
		if err := o.conn.SetWriteDeadline(o.until); err != nil {
			return err
		}
	}
	_, err := o.conn.Write(b)
	return err
}
