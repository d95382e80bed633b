package http

import (
	"context"
	nethttp "net/http"
	"strings"

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
		if r.permission == public {
			return
		}
		ctx := c.Request.Context()
		bearer := bearerToken(c.Request, r.queryToken)
		principal, err := s.admit(ctx, bearer, r.permission)
		if err != nil {
			s.fail(c, err)
			return
		}
		x := exchangeOf(ctx)
		x.principal, x.bearer = principal, bearer
	}
}

// admit returns who a bearer token acts for if that may do what demands names.
func (s *Server) admit(ctx context.Context, bearer string, demands permission) (kappa.Principal, error) {
	if bearer == "" {
		return kappa.Principal{}, kappa.NewError(kappa.CodeUnauthenticated, "Not authenticated")
	}
	principal, err := s.cfg.Auth.Authenticate(ctx, bearer)
	if err != nil {
		return kappa.Principal{}, err
	}
	if err := s.permit(principal, demands); err != nil {
		return kappa.Principal{}, err
	}
	return principal, nil
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

// bearerToken returns the token of a request, or "" without a well-formed one.
// A header wins over the query, which counts on event streams only: a browser's
// EventSource cannot send headers.
func bearerToken(r *nethttp.Request, fromQuery bool) string {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return ""
		}
		return wellFormed(strings.TrimLeft(token, " "))
	}
	if !fromQuery {
		return ""
	}
	query := r.URL.Query()
	for _, name := range []string{"token", "access_token"} {
		if token := wellFormed(query.Get(name)); token != "" {
			return token
		}
	}
	return ""
}

// wellFormed returns a token of printable ASCII without spaces, or "".
func wellFormed(token string) string {
	if len(token) > maxBearerBytes || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return token
}
