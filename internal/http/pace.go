package http

import (
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// Pace is how quickly a body must arrive.
type Pace struct {
	Grace time.Duration // a pause may be so long, and no longer
	Bytes int64         // a second, on average; what arrives early is worth Grace at most
	Most  time.Duration // in all
}

// LimitPace returns the body of the request, of which no more than most bytes can
// be read, and only while it arrives at the pace. It refuses a body that says to be
// larger before any of it is read. BodyRead must follow.
func LimitPace(c *gin.Context, most int64, pace Pace) (io.Reader, error) {
	body, err := LimitBody(c, most, pace.Grace)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &pacedBody{
		Reader: body, pace: pace, conn: nethttp.NewResponseController(c.Writer),
		deadline: now.Add(pace.Grace), last: now.Add(pace.Most),
	}, nil
}

// pacedBody moves the deadline for reading on with each byte that arrives.
type pacedBody struct {
	io.Reader
	pace     Pace
	conn     *nethttp.ResponseController
	deadline time.Time
	last     time.Time
}

// Read reads on. It returns os.ErrDeadlineExceeded when the body is too slow.
func (b *pacedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err != nil {
		return n, err
	}
	earned := time.Duration(float64(n) / float64(b.pace.Bytes) * float64(time.Second))
	b.deadline = earliest(b.deadline.Add(earned), time.Now().Add(b.pace.Grace), b.last)
	if err := b.conn.SetReadDeadline(b.deadline); err != nil && !errors.Is(err, nethttp.ErrNotSupported) {
		return n, fmt.Errorf("limit the time for the body: %w", err)
	}
	return n, nil
}

func earliest(first time.Time, others ...time.Time) time.Time {
	for _, t := range others {
		if t.Before(first) {
			first = t
		}
	}
	return first
}
