package http

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	nethttp "net/http"
	"os"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// watchedBody is the body of a request that knows whether all of it was read.
type watchedBody struct {
	io.ReadCloser
	begun, ended bool
}

// Read reads on, and records the end.
func (b *watchedBody) Read(p []byte) (int, error) {
	b.begun = true
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.ended = true
	}
	return n, err
}

// linger reads and drops what a client is still sending after its request was
// answered, for a few seconds. Closing the connection at once would reset it,
// and a client that sends first and reads later would never see the answer.
func (r *Router) linger(c *gin.Context) {
	if c.Request.ContentLength == 0 {
		return
	}
	body := &watchedBody{ReadCloser: c.Request.Body}
	c.Request.Body = body
	exchangeOf(c.Request.Context()).body = body
	c.Next()
	waits := c.GetHeader("Expect") != "" && !body.begun // for a word to go on, which the answer was not
	if body.ended || waits {
		return
	}
	rc := nethttp.NewResponseController(c.Writer)
	_ = rc.Flush()
	if rc.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return // not a connection
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(body, lingerBytes))
	if body.ended {
		_ = rc.SetReadDeadline(time.Time{})
	}
	// Otherwise the deadline stays: net/http reads on before it closes the connection, and
	// would wait for ever for a client that sends nothing.
}

// LimitBody returns the body of the request, of which no more than most bytes
// can be read, and not after the timeout. It refuses a body that says to be
// larger before any of it is read. BodyRead must follow.
func LimitBody(c *gin.Context, most int64, timeout time.Duration) (io.Reader, error) {
	if c.Request.ContentLength > most {
		return nil, errBodyTooLarge(most)
	}
	exchangeOf(c.Request.Context()).answerBegins() // until BodyRead: the body has a time of its own
	rc := nethttp.NewResponseController(c.Writer)
	if err := rc.SetReadDeadline(time.Now().Add(timeout)); err != nil && !errors.Is(err, nethttp.ErrNotSupported) {
		return nil, fmt.Errorf("limit the time for the body: %w", err)
	}
	return nethttp.MaxBytesReader(nil, c.Request.Body, most), nil
}

// BodyRead ends the time limit of LimitBody, so that it does not cut off what
// follows, and lets the time for the answer begin.
func BodyRead(c *gin.Context) {
	rc := nethttp.NewResponseController(c.Writer)
	_ = rc.SetReadDeadline(time.Time{}) // as far as supported
	x := exchangeOf(c.Request.Context())
	_ = rc.SetWriteDeadline(time.Now().Add(cmp.Or(x.within, writeTimeout)))
	if x.late != nil {
		x.late.Reset(x.giveUpAfter())
	}
}

// readJSON reads the body of the request as a whole, so that what follows never
// waits for the client. What is JSON counts as JSON, whatever its type says: curl -d
// sends forms. A page of another site can send forms too, but no bearer, and every
// route with a JSON body demands one; a credential that browsers add by themselves,
// as a cookie, will need protection against requests of other sites.
func (r *Router) readJSON(c *gin.Context) {
	body, err := LimitBody(c, maxJSONBytes, r.limits.Body)
	if err != nil {
		r.fail(c, err)
		return
	}
	data, err := io.ReadAll(body)
	BodyRead(c)
	if err != nil {
		r.fail(c, bodyError(err))
		return
	}
	if json.Valid(data) {
		c.Request.Header.Set("Content-Type", "application/json")
	}
	c.Request.Body = io.NopCloser(bytes.NewReader(data))
}

// BodyError says why a body could not be read.
func BodyError(err error) error { return bodyErrorUnlessKnown(err) }

// bodyError says why a body could not be read.
func bodyError(err error) error {
	var tooLarge *nethttp.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return errBodyTooLarge(tooLarge.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &problem{Status: nethttp.StatusRequestTimeout, Detail: "The body of the request did not arrive in time, or too slowly"}
	}
	return &kappa.Error{Code: kappa.CodeMalformed, Message: "The body of the request ended early or is not encoded as announced", Err: err}
}

func errBodyTooLarge(most int64) error {
	return kappa.NewError(kappa.CodeTooLarge, "The body of the request is larger than "+corpus.HumanSize(int(most))+", the limit here")
}
