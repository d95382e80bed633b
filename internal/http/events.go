package http

import (
	"bytes"
	"context"
	nethttp "net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Events writes the events of an answer, in their order: send writes one, whose name has
// lower-case letters only. An error of send is that of the client's connection, and is to
// be returned. Any other error that Events returns is told the client as the event error,
// whose data is a problem document.
type Events func(ctx context.Context, send func(event string, value any) error) error

// RegisterEvents adds a typed route whose answer is an event stream that ends by itself, and
// that a client which lost it asks for anew. An error of h, or one of the route's own
// checks, is answered as by any other route.
func RegisterEvents[I any](r *Router, route Route, h func(context.Context, *I) (Events, error)) {
	op := r.operation(route)
	op.Responses["200"] = &huma.Response{
		Description: "An event stream",
		Content:     map[string]*huma.MediaType{EventStreamType: {Schema: &huma.Schema{Type: huma.TypeString}}},
	}
	if route.Document != nil {
		route.Document(&op)
	}
	huma.Register(r.api, op, func(ctx context.Context, in *I) (*answer[func(huma.Context)], error) {
		events, err := h(ctx, in)
		if err == nil {
			err = r.reconfirm(ctx, route)
		}
		if err != nil {
			return nil, r.problem(ctx, err)
		}
		return &answer[func(huma.Context)]{Body: func(c huma.Context) { r.sendEvents(c, events) }}, nil
	})
}

// sendEvents writes an event stream to its end.
func (r *Router) sendEvents(c huma.Context, events Events) {
	AnswerBegins(c.Context())
	c.SetHeader("Content-Type", EventStreamType)
	c.SetHeader("Cache-Control", "no-cache, no-store, no-transform")
	c.SetHeader("X-Accel-Buffering", "no") // a proxy would keep it back
	c.SetStatus(nethttp.StatusOK)
	w := c.BodyWriter()
	var flush func() error
	if answer, ok := w.(nethttp.ResponseWriter); ok {
		rc := nethttp.NewResponseController(answer)
		flush = func() error {
			_ = rc.SetWriteDeadline(time.Now().Add(writeTimeout)) // as far as supported
			return rc.Flush()
		}
	}
	var broken error
	send := func(event string, value any) error {
		if broken != nil {
			return broken
		}
		var frame bytes.Buffer
		frame.WriteString("event: " + event + "\ndata: ")
		frame.Write(bytes.TrimRight(EncodeJSON(value), "\n"))
		frame.WriteString("\n\n")
		if _, broken = w.Write(frame.Bytes()); broken == nil && flush != nil {
			broken = flush()
		}
		return broken
	}
	if err := events(c.Context(), send); err != nil && broken == nil {
		_ = send("error", r.problem(c.Context(), err))
	}
}
