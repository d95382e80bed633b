package http

import (
	"context"
	"log/slog"
	"maps"
	nethttp "net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/tracing"
)

// EventStreamType is the type of an answer that is an event stream.
const EventStreamType = "text/event-stream"

// Route is one method of one path, and what it takes to use it.
type Route struct {
	Method, Path string            // the path with {parameters}
	Permission   access.Permission // required
	ID           string            // unique, "tag.name"
	Summary      string            // a few words; what else is to know stands in descriptions/
	Status       int               // of a success; 0 is 200, or 204 without a body

	// AnswerWithin is how long the answer may take, from when the request is read; 0 is
	// as long as any other.
	AnswerWithin time.Duration

	// Submits says that the route makes something: it takes an Idempotency-Key. A route of
	// RegisterRaw calls Once itself.
	Submits bool

	// ByRow says that the route asks access.Principal.PermitRow for every row that it shows
	// or changes, so that a permission for single rows is enough to use it.
	ByRow bool

	// OwnOrigin has the route refuse requests that a browser sends for a page of another
	// site, reading ones too and before any token is looked at.
	OwnOrigin bool

	// Recognize has a public route know who makes a request whose token is good. All others
	// are strangers to it, with a token that is void too.
	Recognize bool

	// Probe has the route answer when so many connections are open that no other does.
	Probe bool

	// Unrecorded has requests be no spans, as those of a Probe are none: they are made again
	// and again, or last for hours.
	Unrecorded bool

	// Credential returns who makes a request that has no Authorization header: for
	// clients that cannot send headers. Without it such a request is nobody's.
	Credential func(c *gin.Context) (access.Principal, error)

	// Refusal returns the body of an answer that is not a success, in the words of another
	// protocol. Without it that is a problem document.
	Refusal func(status int, detail string) any

	// Metadata is the path at which who has no token reads how to get one (RFC 9728).
	Metadata string

	// Document completes the description of a route that is not typed.
	Document func(op *huma.Operation)
}

// Router takes the routes of the resources, and surrounds every request: it
// authorises, limits, logs and counts, and turns errors into problem documents.
type Router struct {
	auth        authenticator
	sessions    sessions
	home        string // where GET / sends browsers; "" for nowhere
	submissions submissions
	rate        *rateLimit
	limits      Limits
	log         *slog.Logger
	engine      *gin.Engine
	api         huma.API
	metrics     *metrics
	hosts       *hosts
	origins     []string // of pages that may ask
	proxies     proxies
	demands     map[string]access.Permission // by method and path
	byRow       map[string]bool              // likewise
	openAPI     func() []byte
	tracer      tracing.Tracer  // nil: no spans
	unrecorded  map[string]bool // paths whose requests are no spans
}

func newRouter(cfg Config) *Router {
	gin.SetMode(gin.ReleaseMode) // global, but the same for every Router
	r := &Router{auth: cfg.Auth, sessions: cfg.Sessions, submissions: cfg.Submissions, limits: cfg.Limits, log: cfg.Log, engine: gin.New(), metrics: newMetrics(), hosts: newHosts(cfg.Hosts), origins: cfg.Origins, demands: map[string]access.Permission{}, byRow: map[string]bool{}, tracer: cfg.Tracer, unrecorded: map[string]bool{}}
	r.rate = newRateLimit(cfg.Limits.Rate, r.metrics.registry)
	r.configureEngine()
	r.api = newAPI(r, cfg.Version)
	return r
}

// configureEngine sets how paths are matched and what surrounds every request.
func (r *Router) configureEngine() {
	e := r.engine
	e.RedirectTrailingSlash, e.RedirectFixedPath = false, false
	e.HandleMethodNotAllowed = true
	e.UseRawPath = true          // a name may contain an encoded slash
	e.UnescapePathValues = false // it would turn + into a space; see unescapeParams
	e.Use(r.readClient, r.begin, r.linger, r.recoverPanic, r.refuseHTTP2, r.checkHost, r.allowOrigin, r.readQuery, r.sendHome)
	e.NoRoute(func(c *gin.Context) { r.fail(c, errNoRoute(c.Request)) })
	e.NoMethod(func(c *gin.Context) { r.fail(c, errNoMethod(c.Request)) })
}

// Permissions returns what each route demands, by its method and its path. Of a path that
// stands for everything below it, the path alone is there.
func (r *Router) Permissions() map[string]access.Permission { return maps.Clone(r.demands) }

// ByRow returns which routes a permission for single rows is enough for, by method and path.
func (r *Router) ByRow() map[string]bool { return maps.Clone(r.byRow) }

// Metrics returns the registry whose metrics GET /metrics shows.
func (r *Router) Metrics() *prometheus.Registry { return r.metrics.registry }

// routeKey finds the Route in the metadata of a huma operation.
const routeKey = "route"

// answer is the form in which huma wants the body of a response.
type answer[T any] struct{ Body T }

// Register adds a typed route: its input comes from the path, the query and a
// JSON body, and what h returns is the answer.
func Register[I, T any](r *Router, route Route, h func(context.Context, *I) (T, error)) {
	register(r, route, func(ctx context.Context, in *I) (*T, error) {
		body, err := h(ctx, in)
		return &body, err
	})
}

// register is Register with a pointer to the answer: all pointers share the code of huma's that
// is compiled for each type of answer, which takes 35 kB.
func register[I, P any](r *Router, route Route, h func(context.Context, *I) (P, error)) {
	huma.Register(r.api, r.operation(route), func(ctx context.Context, in *I) (*answer[P], error) {
		body, err := h(ctx, in)
		if err == nil {
			err = r.reconfirm(ctx, route)
		}
		if err != nil {
			return nil, r.problem(ctx, err)
		}
		return &answer[P]{Body: body}, nil
	})
}

// RegisterEmpty adds a typed route whose answer has no body.
func RegisterEmpty[I any](r *Router, route Route, h func(context.Context, *I) error) {
	huma.Register(r.api, r.operation(route), func(ctx context.Context, in *I) (*struct{}, error) {
		if err := h(ctx, in); err != nil {
			return nil, r.problem(ctx, err)
		}
		return &struct{}{}, nil
	})
}

// preview is the answer of a change, which may be that of a dry run.
type preview interface{ Preview() bool }

// RegisterChange adds a typed route that changes something, unless it is asked for a dry
// run, which is answered with 200. A change is answered with the status of the route, and
// without a body when that is 204.
func RegisterChange[I any, T preview](r *Router, route Route, h func(context.Context, *I) (T, error)) {
	registerChange(r, route, func(ctx context.Context, in *I) (*T, bool, error) {
		body, err := h(ctx, in)
		return &body, err == nil && body.Preview(), err
	})
}

// registerChange is RegisterChange with a pointer to the answer, as register is Register, and
// with whether it is one of a dry run.
func registerChange[I, P any](r *Router, route Route, h func(context.Context, *I) (P, bool, error)) {
	type reply struct {
		Status int
		Body   P
	}
	op := r.operation(route)
	op.DefaultStatus = nethttp.StatusOK
	huma.Register(r.api, op, func(ctx context.Context, in *I) (*reply, error) {
		body, preview, err := h(ctx, in)
		if err == nil && route.Status != nethttp.StatusNoContent {
			err = r.reconfirm(ctx, route)
		}
		if err != nil {
			return nil, r.problem(ctx, err)
		}
		if preview {
			return &reply{nethttp.StatusOK, body}, nil
		}
		return &reply{route.Status, body}, nil
	})
	changed := &huma.Response{Description: nethttp.StatusText(route.Status)}
	if route.Status != nethttp.StatusNoContent {
		changed.Content = op.Responses["200"].Content
	}
	op.Responses["200"].Description = "What a dry run would change"
	op.Responses[strconv.Itoa(route.Status)] = changed
}

// RegisterRaw adds a route that reads the request and writes the answer itself:
// a form, an upload, a stream. An error that h returns before it writes becomes
// the answer.
func (r *Router) RegisterRaw(route Route, h func(*gin.Context) error) {
	op := r.operation(route)
	route.Document(&op)
	if route.Submits {
		documentKey(&op)
	}
	r.document().AddOperation(&op)
	r.mount(route, r.checkQuery(route, &op), func(c *gin.Context) {
		if err := h(c); err != nil {
			r.fail(c, err)
		}
	})
}

// operation describes a route for huma and for the OpenAPI document.
func (r *Router) operation(route Route) huma.Operation {
	tag, _, _ := strings.Cut(route.ID, ".")
	op := huma.Operation{
		Method: route.Method, Path: route.Path, OperationID: route.ID, Summary: route.Summary, Description: descriptions()[route.ID], Tags: []string{tag}, DefaultStatus: route.Status,
		Responses: map[string]*huma.Response{"default": r.problemResponse()},
		Metadata:  map[string]any{routeKey: route},
		// What it takes to use the route: a permission, public, or user for any account.
		Extensions: map[string]any{"x-permission": string(route.Permission)},
		// Bodies are read and limited before huma sees them. Values in paths and
		// queries are checked by the domain's own rules.
		MaxBodyBytes: -1, BodyReadTimeout: -1, SkipValidateParams: true,
	}
	switch {
	case route.Permission != access.Public:
		op.Security = []map[string][]string{{bearerScheme: {}}}
	case route.Recognize:
		op.Security = []map[string][]string{{}, {bearerScheme: {}}}
	}
	return op
}

// check panics for a route whose author forgot who may use it.
func (r *Router) check(route Route) {
	if route.Permission == "" {
		panic("http: route " + route.Method + " " + route.Path + " demands no permission and is not public")
	}
}

// mount registers the handlers of a route for every form of its path.
func (r *Router) mount(route Route, handlers ...gin.HandlerFunc) {
	r.check(route)
	if route.Probe || route.Unrecorded {
		r.unrecorded[route.Path] = true
	}
	r.demands[route.Method+" "+route.Path] = route.Permission
	r.byRow[route.Method+" "+route.Path] = route.ByRow
	chain := []gin.HandlerFunc{r.authorize(route)}
	if route.AnswerWithin > 0 {
		chain = append(chain, answerWithin(route.AnswerWithin))
	}
	chain = append(append(chain, r.bound), handlers...)
	for _, path := range pathForms(route.Path) {
		r.engine.Handle(route.Method, path, chain...)
		if route.Method == nethttp.MethodGet && !route.Unrecorded { // of a stream a head is of no use
			r.engine.HEAD(path, chain...)
		}
	}
}

// answerWithin gives an answer so much time, whatever the server gives to others: from now
// on, and from when its body is read.
func answerWithin(limit time.Duration) gin.HandlerFunc {
	return func(c *gin.Context) {
		exchangeOf(c.Request.Context()).within = limit
		// Without a connection of its own, as in tests, there is no limit to move.
		_ = nethttp.NewResponseController(c.Writer).SetWriteDeadline(time.Now().Add(limit))
	}
}

// Mount has a handler that is not a part of the API answer all methods of a path and
// of everything below it, at the root only. The handler reads under no limits but its
// own and those of the connection, and finds who makes the request with PrincipalOf.
func (r *Router) Mount(path string, permission access.Permission, h nethttp.Handler) {
	r.MountRoute(Route{Path: path, Permission: permission}, h)
}

// MountRoute is Mount for a route that says more; its methods are all.
func (r *Router) MountRoute(route Route, h nethttp.Handler) {
	r.check(route)
	path := strings.TrimSuffix(route.Path, "/")
	for _, pattern := range []string{path, path + "/*below"} {
		r.engine.Any(pattern, r.authorize(route), func(c *gin.Context) { h.ServeHTTP(c.Writer, c.Request) })
	}
}

// SendBrowsers has GET / send those who ask for a page to a path, and answer all others as
// before. Call it before the server answers.
func (r *Router) SendBrowsers(path string) { r.home = path }

// sendHome answers GET / of a browser.
func (r *Router) sendHome(c *gin.Context) {
	if r.home == "" || c.Request.URL.Path != "/" || c.Request.Method != nethttp.MethodGet {
		return
	}
	c.Header("Vary", "Accept")
	if strings.Contains(c.Request.Header.Get("Accept"), "text/html") {
		c.Redirect(nethttp.StatusSeeOther, r.home)
		c.Abort()
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
type adapter struct{ router *Router }

// Handle mounts an operation of Register; there are no others.
func (a adapter) Handle(op *huma.Operation, handle func(huma.Context)) {
	route, ok := op.Metadata[routeKey].(Route)
	if !ok {
		panic("http: operation " + op.OperationID + " was not registered as a route")
	}
	handlers := []gin.HandlerFunc{a.router.checkQuery(route, op)}
	if op.RequestBody != nil {
		a.router.refuseUnknown(op.RequestBody.Content["application/json"].Schema)
		handlers = append(handlers, a.router.readJSON, a.router.checkMembers(op))
	}
	if route.Submits {
		documentKey(op)
		handlers = append(handlers, a.router.once)
	}
	a.router.mount(route, append(handlers, func(c *gin.Context) { handle(newHumaContext(op, c)) })...)
}

// ServeHTTP answers a request.
func (a adapter) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	a.router.engine.ServeHTTP(w, r)
}
