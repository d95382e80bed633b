package http

import (
	"context"
	nethttp "net/http"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/tracing"
)

// beginSpan begins the span of a request.
func (r *Router) beginSpan(ctx context.Context, req *nethttp.Request, path string) (context.Context, *tracing.Span) {
	ctx, span := tracing.Begin(ctx, r.tracer, tracing.Beginning{Kind: tracing.Server, Operation: req.Method, Parent: req.Header.Get("Traceparent")})
	span.String(tracing.HTTPMethod, req.Method)
	span.String(tracing.URLPath, path)
	span.String(tracing.URLScheme, "http")
	return ctx, span
}

// endSpan ends the span of a request that is answered. It failed when the fault was ours.
func endSpan(c *gin.Context, x *exchange) {
	if x.span == nil {
		return
	}
	x.span.Name(c.Request.Method, x.route)
	x.span.String(tracing.HTTPRoute, x.route)
	status := c.Writer.Status()
	x.span.Int(tracing.HTTPStatus, int64(status))
	var err error
	if status >= nethttp.StatusInternalServerError {
		err = &kappa.Error{Code: kappa.CodeInternal, Message: nethttp.StatusText(status)}
	}
	x.span.End(err)
}
