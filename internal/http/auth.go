package http

import (
	"context"
	nethttp "net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// authenticator says who makes a request and what its token allows.
type authenticator interface {
	// Authenticate returns who a bearer token acts for; see kappa.CodeUnauthenticated
	// and kappa.CodeForbidden.
	Authenticate(ctx context.Context, bearer string) (access.Principal, error)
	// Reexamine returns CodeUnauthenticated or CodeForbidden when p's token would
	// be refused now, and another error when that cannot be known.
	Reexamine(ctx context.Context, p access.Principal) error
}

// authorize lets a request pass that has what the route demands, and records its
// principal. Code that then touches the row of a user asks access.Principal.PermitRow.
func (r *Router) authorize(route Route) gin.HandlerFunc {
	return func(c *gin.Context) {
		x := exchangeOf(c.Request.Context())
		x.route, x.refusal = route.Path, route.Refusal
		if onReserve(c.Request.Context()) {
			c.Header("Connection", "close")
			if !route.Probe {
				r.fail(c, errNoRoom())
				return
			}
		}
		if route.OwnOrigin && !r.hosts.ownOrigin(c.Request) && !r.fromOrigin(c.Request) {
			r.fail(c, kappa.NewError(kappa.CodeForbidden, "Pages of other sites are not answered here; if the page is the server's own, add its host to KG_ALLOWED_HOSTS"))
			return
		}
		if route.Permission == access.Public {
			if err := checkOrigin(c.Request); err != nil && !r.fromOrigin(c.Request) {
				r.fail(c, err)
			}
			if route.Recognize {
				x.principal = r.recognize(c)
			}
			return
		}
		x.since = time.Now()
		principal, err := r.admit(c, route)
		if err == nil {
			err = route.permit(principal)
		}
		if err != nil {
			r.fail(c, challenged(c, route, err))
			return
		}
		x.principal = principal
		if c.Request.Method != nethttp.MethodGet && c.Request.Method != nethttp.MethodHead {
			c.Request = c.Request.WithContext(access.WithActor(c.Request.Context(), actorOf(x)))
		}
	}
}

// challenged adds to an error of who has not proved who they are where the route says how to.
func challenged(c *gin.Context, route Route, err error) error {
	if route.Metadata == "" || kappa.ErrorCode(err) != kappa.CodeUnauthenticated {
		return err
	}
	return challenge{err, `Bearer resource_metadata="` + OriginOf(c) + route.Metadata + `"`}
}

// challenge is an error with how to prove who one is.
type challenge struct {
	error

	how string
}

// Challenge returns the value of WWW-Authenticate.
func (e challenge) Challenge() string { return e.how }

// Unwrap returns the error.
func (e challenge) Unwrap() error { return e.error }

// admit returns who makes a request, and takes it from the rate of the account. A question
// that a route of this server asks another one is part of the request that it answers.
func (r *Router) admit(c *gin.Context, route Route) (access.Principal, error) {
	x := exchangeOf(c.Request.Context())
	if in := insiderOf(c.Request.Context()); in != nil {
		x.since = in.since
		return in.principal, nil
	}
	principal, err := r.authenticate(c, route)
	if err == nil {
		err = r.rate.take(principal.User.ID, x.since)
	}
	return principal, err
}

// recognize returns who makes a request to a public route, or nobody.
func (r *Router) recognize(c *gin.Context) access.Principal {
	token := bearerToken(c.Request.Header.Get("Authorization"))
	if token == "" {
		return access.Principal{}
	}
	p, err := r.auth.Authenticate(c.Request.Context(), token)
	if err == nil {
		err = r.rate.take(p.User.ID, time.Now())
	}
	if err != nil {
		return access.Principal{}
	}
	return p
}

// permit returns an error unless p may use the route at all.
func (r Route) permit(p access.Principal) error {
	if r.ByRow {
		return p.PermitSome(r.Permission)
	}
	return p.Permit(r.Permission)
}

// actorOf is who is recorded with what the request changes.
func actorOf(x *exchange) access.Actor {
	p := x.principal
	return access.Actor{UserID: p.User.ID, Username: p.User.Username, ClientID: p.ClientID, RequestID: x.id}
}

func errNoRoom() error {
	return &kappa.Error{Code: kappa.CodeUnavailable, Message: "Too many connections are open; try again in a few seconds", RetryAfter: 2 * time.Second}
}

// authenticate returns who makes a request. A header wins over whatever else the
// route takes, and what stands in the query over a session.
func (r *Router) authenticate(c *gin.Context, route Route) (access.Principal, error) {
	header := c.Request.Header.Get("Authorization")
	if text := SessionText(c.Request); header == "" && text != "" && !credentialInQuery(c.Request) {
		return r.authenticateSession(c, route, text)
	}
	if route.Credential != nil && header == "" {
		return route.Credential(c)
	}
	return r.Bearer(c.Request.Context(), bearerToken(header))
}

// credentialInQuery reports whether a request names who makes it in its query.
func credentialInQuery(req *nethttp.Request) bool {
	query := req.URL.Query()
	return query.Has("ticket") || query.Has("token") || query.Has("access_token")
}

// Bearer returns who a bearer token acts for. It returns CodeUnauthenticated for
// one that is void or that cannot be one, as "", and CodeForbidden for one of a
// user who is disabled.
func (r *Router) Bearer(ctx context.Context, token string) (access.Principal, error) {
	if token == "" {
		return access.Principal{}, Unauthenticated("Not authenticated")
	}
	return r.auth.Authenticate(ctx, token)
}

// Unauthenticated returns a CodeUnauthenticated Error.
func Unauthenticated(message string) error {
	return kappa.NewError(kappa.CodeUnauthenticated, message)
}

// reconfirm examines the principal of a read again that took so long that its
// right may have been taken long ago, as when the process was stopped meanwhile.
// It returns what Reexamine does.
func (r *Router) reconfirm(ctx context.Context, route Route) error {
	x := exchangeOf(ctx)
	if !route.Permission.Reads() || !Stale(x.since, r.limits.Unconfirmed) {
		return nil
	}
	x.since = time.Now()
	return r.auth.Reexamine(ctx, x.principal)
}

// Stale reports whether t is longer ago than most, by either clock: the monotonic
// one may stand still with the machine, and the other one may be set back.
func Stale(t time.Time, most time.Duration) bool {
	now := time.Now()
	return now.Sub(t) > most || now.Round(0).Sub(t.Round(0)) > most
}

// bearerToken returns the token in an Authorization header, or "" without a
// well-formed one.
func bearerToken(header string) string {
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return WellFormed(strings.TrimLeft(token, " "))
}

// WellFormed returns a token of printable ASCII without spaces, or "".
func WellFormed(token string) string {
	if len(token) > maxBearerBytes || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return token
}
