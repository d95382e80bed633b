package http

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	nethttp "net/http"
	"net/url"
	"regexp"
	"runtime/debug"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/tracing"
)

// exchange is what is known about one request while it is answered.
type exchange struct {
	id   string // named in the answer and in the log
	path string // without the query, which may carry a credential
	body *watchedBody

	header    nethttp.Header                      // of the answer
	refusal   func(status int, detail string) any // of the route; nil: a problem document
	route     string                              // the path with {parameters}; "" when there is no such route
	principal access.Principal                    // zero on public routes
	since     time.Time                           // when its authentication began
	within    time.Duration                       // how long the answer may take; 0 is as long as any other
	span      *tracing.Span                       // nil: not recorded
	late      *time.Timer                         // ends the handler's context when the answer would be late; see bound
}

type exchangeKey struct{}

// exchangeOf returns the exchange that ctx belongs to.
func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{}
}

// PrincipalOf returns who makes the request that ctx belongs to: nobody on public
// routes.
func PrincipalOf(ctx context.Context) access.Principal { return exchangeOf(ctx).principal }

// AuthenticatedAt returns when the authentication of the request that ctx belongs
// to began.
func AuthenticatedAt(ctx context.Context) time.Time { return exchangeOf(ctx).since }

// SetHeader sets a header of the answer to the request that ctx belongs to, before any of
// it is written.
func SetHeader(ctx context.Context, name, value string) {
	if h := exchangeOf(ctx).header; h != nil {
		h.Set(name, value)
	}
}

// RequestID returns the name of the request that ctx belongs to, for the log.
func RequestID(ctx context.Context) string { return exchangeOf(ctx).id }

// begin surrounds every request. It keeps little on the stack, where a stream
// would hold it for hours.
func (r *Router) begin(c *gin.Context) {
	r.open(c)
	defer r.record(c, time.Now())
	c.Next()
}

// contentPolicy has a browser that shows an answer load and run nothing of it, whatever a
// document says, and no page frame it. A handler that serves a page sets its own.
const contentPolicy = "default-src 'none'; frame-ancestors 'none'"

// open names a request and sets the headers that all answers have.
func (r *Router) open(c *gin.Context) {
	x := &exchange{id: requestID(c.Request), path: c.Request.URL.Path, header: c.Writer.Header()}
	ctx := c.Request.Context()
	if r.tracer != nil && !r.unrecorded[c.FullPath()] {
		ctx, x.span = r.beginSpan(ctx, c.Request, x.path)
	}
	c.Request = c.Request.WithContext(context.WithValue(ctx, exchangeKey{}, x))
	h := c.Writer.Header()
	h.Set("X-Request-ID", x.id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("Cache-Control", "no-store")
	demandTLS(c)
	unescapeParams(c)
}

// readQuery refuses a query that cannot be read, as with a ; for a &. What cannot be
// read would be dropped in silence, and a request would mean more than its sender.
func (r *Router) readQuery(c *gin.Context) {
	if _, err := url.ParseQuery(c.Request.URL.RawQuery); err != nil {
		r.fail(c, UnreadableQuery())
		c.Abort()
	}
}

// UnreadableQuery returns a CodeInvalid Error.
func UnreadableQuery() error {
	return kappa.Invalid(kappa.FieldError{In: "query", Name: "query", Rule: "must be encoded as the query of a URL"})
}

// record counts and logs an answer. The query is never logged.
func (r *Router) record(c *gin.Context, started time.Time) {
	took := time.Since(started)
	r.metrics.countRequest(c, took)
	level := slog.LevelDebug
	if c.Writer.Status() >= nethttp.StatusBadRequest {
		level = slog.LevelInfo
	}
	x := exchangeOf(c.Request.Context())
	endSpan(c, x)
	//nolint:sloglint // every request comes here: attributes cost less than pairs
	r.log.LogAttrs(c.Request.Context(), level, "request", slog.String("request", x.id), slog.String("method", c.Request.Method),
		slog.String("route", c.FullPath()), slog.String("path", x.path), slog.Int("status", c.Writer.Status()),
		slog.Duration("duration", took))
}

// unescapeParams decodes the values in the path. gin matches the encoded path
// when there is one, and its own decoding is for queries, where + is a space.
func unescapeParams(c *gin.Context) {
	if c.Request.URL.RawPath == "" {
		return
	}
	for i, p := range c.Params {
		if value, err := url.PathUnescape(p.Value); err == nil {
			c.Params[i].Value = value
		}
	}
}

// recoverPanic answers a request that panicked with a 500. An answer that has
// begun is cut, so that nobody takes it for whole.
func (r *Router) recoverPanic(c *gin.Context) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if err, ok := v.(error); ok && errors.Is(err, nethttp.ErrAbortHandler) {
			panic(v)
		}
		r.log.ErrorContext(c.Request.Context(), "request panicked", "request", exchangeOf(c.Request.Context()).id,
			"method", c.Request.Method, "route", c.FullPath(), "err", fmt.Sprint(v), "stack", string(debug.Stack()))
		if c.Writer.Written() {
			panic(nethttp.ErrAbortHandler)
		}
		r.answerProblem(c, r.newProblem(c.Request.Context(), kappa.CodeInternal, ""))
	}()
	c.Next()
}

var requestIDPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID returns the id that the client or a proxy gave the request, or a
// random one.
func requestID(r *nethttp.Request) string {
	if id := r.Header.Get("X-Request-ID"); requestIDPattern.MatchString(id) {
		return id
	}
	return randomID()
}

func randomID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
