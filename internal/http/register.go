package http

import (
	"context"
	nethttp "net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
)

// route is one method of one path, and what it takes to use it.
type route struct {
	method, path string     // the path with {parameters}
	permission   permission // required
	id           string     // unique, "tag.name"
	summary      string
	status       int  // of a success; 0 is 200, or 204 without a body
	stream       bool // answers with events: the query may hold a credential

	// document completes the description of a route that is not typed.
	document func(op *huma.Operation)
}

// routeKey finds the route in the metadata of a huma operation.
const routeKey = "route"

// answer is the form in which huma wants the body of a response.
type answer[T any] struct{ Body T }

// register adds a typed route: its input comes from the path, the query and a
// JSON body, and what h returns is the answer.
func register[I, T any](s *Server, r route, h func(context.Context, *I) (T, error)) {
	huma.Register(s.api, s.operation(r), func(ctx context.Context, in *I) (*answer[T], error) {
		body, err := h(ctx, in)
		if err == nil {
			err = s.reconfirm(ctx, r)
		}
		if err != nil {
			return nil, s.problem(ctx, err)
		}
		return &answer[T]{Body: body}, nil
	})
}

// registerEmpty adds a typed route whose answer has no body.
func registerEmpty[I any](s *Server, r route, h func(context.Context, *I) error) {
	huma.Register(s.api, s.operation(r), func(ctx context.Context, in *I) (*struct{}, error) {
		if err := h(ctx, in); err != nil {
			return nil, s.problem(ctx, err)
		}
		return &struct{}{}, nil
	})
}

// registerRaw adds a route that reads the request and writes the answer itself:
// a form, an upload, a stream. An error that h returns before it writes becomes
// the answer.
func (s *Server) registerRaw(r route, h func(*gin.Context) error) {
	op := s.operation(r)
	r.document(&op)
	s.api.OpenAPI().AddOperation(&op)
	s.mount(r, func(c *gin.Context) {
		if err := h(c); err != nil {
			s.fail(c, err)
		}
	})
}

// operation describes a route for huma and for the OpenAPI document.
func (s *Server) operation(r route) huma.Operation {
	tag, _, _ := strings.Cut(r.id, ".")
	op := huma.Operation{
		Method: r.method, Path: r.path, OperationID: r.id, Summary: r.summary, Tags: []string{tag}, DefaultStatus: r.status,
		Responses: map[string]*huma.Response{"default": s.problemResponse()},
		Metadata:  map[string]any{routeKey: r},
		// Bodies are read and limited before huma sees them. Values in paths and
		// queries are checked by the domain's own rules.
		MaxBodyBytes: -1, BodyReadTimeout: -1, SkipValidateParams: true,
	}
	if r.permission != public {
		op.Security = []map[string][]string{{bearerScheme: {}}}
	}
	return op
}

// mount registers the handlers of a route for every form of its path.
func (s *Server) mount(r route, handlers ...gin.HandlerFunc) {
	if r.permission == "" {
		panic("http: route " + r.method + " " + r.path + " demands no permission and is not public")
	}
	chain := append([]gin.HandlerFunc{s.authorize(r)}, handlers...)
	for _, path := range pathForms(r.path) {
		s.engine.Handle(r.method, path, chain...)
	}
}

// pathForms returns a path in gin's notation: at the root and below /api, with
// and without a trailing slash.
func pathForms(path string) []string {
	path = strings.NewReplacer("{", ":", "}", "").Replace(path)
	path = strings.TrimSuffix(path, "/")
	if path == "" {
		return []string{"/", "/api", "/api/"}
	}
	if base, ok := strings.CutSuffix(path, "/*"); ok {
		return []string{base, path + "below", "/api" + base, "/api" + path + "below"}
	}
	return []string{path, path + "/", "/api" + path, "/api" + path + "/"}
}

// adapter lets huma register on gin.
type adapter struct{ server *Server }

// Handle mounts an operation of register; there are no others.
func (a adapter) Handle(op *huma.Operation, handle func(huma.Context)) {
	r, ok := op.Metadata[routeKey].(route)
	if !ok {
		panic("http: operation " + op.OperationID + " was not registered as a route")
	}
	var handlers []gin.HandlerFunc
	if op.RequestBody != nil {
		handlers = append(handlers, a.server.readJSON)
	}
	a.server.mount(r, append(handlers, func(c *gin.Context) { handle(newHumaContext(op, c)) })...)
}

// ServeHTTP answers a request.
func (a adapter) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	a.server.engine.ServeHTTP(w, r)
}
