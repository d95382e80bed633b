package http

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

// authenticator says who makes a request and what its token allows.
type authenticator interface {
	// Authenticate returns who a bearer token acts for; see kappa.CodeUnauthenticated
	// and kappa.CodeForbidden.
	Authenticate(ctx context.Context, bearer string) (kappa.Principal, error)
	// Allows reports whether p may do an action on a kind of resource.
	Allows(p kappa.Principal, resource, action string) bool
}

// permission is what a route demands: "resource:action", public or anyUser. The
// empty permission is none of them and cannot be registered.
type permission string

// The permissions that routes demand.
const (
	public         permission = "public" // no token at all
	anyUser        permission = "user"   // any valid token
	jobsRead       permission = "jobs:read"
	jobsWrite      permission = "jobs:write"
	jobsApprove    permission = "jobs:approve"
	jobsCancel     permission = "jobs:cancel"
	jobsDelete     permission = "jobs:delete"
	ingestCreate   permission = "ingest:create"
	graphRead      permission = "graph:read"
	ontologiesRead permission = "ontologies:read"
	databaseRead   permission = "database:read"
	workersView    permission = "workers:view"
	workersManage  permission = "workers:manage"
	adminStatus    permission = "admin:status"
)

// authorize lets a request pass that has what the route demands, and notes its
// principal.
func (s *Server) authorize(r route) gin.HandlerFunc {
	return func(c *gin.Context) {
		ctx := c.Request.Context()
		x := exchangeOf(ctx)
		x.route = r.path
		if r.permission == public {
			return
		}
		x.since = time.Now()
		principal, err := s.authenticate(c, r)
		if err == nil {
			err = s.permit(principal, r.permission)
		}
		if err != nil {
			s.fail(c, err)
			return
		}
		x.principal = principal
	}
}

// authenticate returns who makes a request. A header wins over the query, which
// counts on event streams only, because a browser's EventSource cannot send
// headers; and in the query a ticket wins over a token.
func (s *Server) authenticate(c *gin.Context, r route) (kappa.Principal, error) {
	ctx := c.Request.Context()
	header := c.Request.Header.Get("Authorization")
	if r.stream && header == "" {
		query := c.Request.URL.Query()
		if query.Has("ticket") {
			return s.redeem(ctx, query.Get("ticket"), topicOf(c))
		}
		return s.bearer(ctx, cmp.Or(wellFormed(query.Get("token")), wellFormed(query.Get("access_token"))))
	}
	return s.bearer(ctx, bearerToken(header))
}

// bearer returns who a bearer token acts for; "" is none.
func (s *Server) bearer(ctx context.Context, token string) (kappa.Principal, error) {
	if token == "" {
		return kappa.Principal{}, errUnauthenticated("Not authenticated")
	}
	return s.cfg.Auth.Authenticate(ctx, token)
}

func errUnauthenticated(message string) error {
	return kappa.NewError(kappa.CodeUnauthenticated, message)
}

// reconfirm examines the principal of a read again that took so long that its
// right may have been taken long ago, as when the process was stopped meanwhile.
// It returns what Reexamine does.
func (s *Server) reconfirm(ctx context.Context, r route) error {
	x := exchangeOf(ctx)
	if !r.permission.reads() || !stale(x.since, s.cfg.Limits.Unconfirmed) {
		return nil
	}
	x.since = time.Now()
	return s.cfg.Access.Reexamine(ctx, x.principal)
}

// reads reports whether a permission is one to be shown something.
func (p permission) reads() bool {
	_, action, _ := strings.Cut(string(p), ":")
	return action == "read" || action == "view" || action == "status"
}

// permit returns a CodeForbidden Error unless p may do what demands names.
func (s *Server) permit(p kappa.Principal, demands permission) error {
	resource, action, ok := strings.Cut(string(demands), ":")
	if ok && !s.cfg.Auth.Allows(p, resource, action) {
		return kappa.NewError(kappa.CodeForbidden, "Permission denied: "+action+" on "+resource)
	}
	return nil
}

// demand is permit for whoever makes the request that ctx belongs to, where a
// request takes more than its route does.
func (s *Server) demand(ctx context.Context, p permission) error {
	return s.permit(principalOf(ctx), p)
}

// bearerToken returns the token in an Authorization header, or "" without a
// well-formed one.
func bearerToken(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return wellFormed(strings.TrimLeft(token, " "))
}

// wellFormed returns a token of printable ASCII without spaces, or "".
func wellFormed(token string) string {
	if len(token) > maxBearerBytes || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return token
}
