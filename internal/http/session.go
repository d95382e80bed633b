package http

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	nethttp "net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// TokenHeader is what the writes of a session of the console need besides its cookie.
const TokenHeader = "X-Kappa-Token"

const sessionCookie = "kappa_session"

// SessionCookie returns the name of the cookie that a session of the console is kept in. A
// browser keeps the cookies of all ports of a host together, so the port that was called is in
// it: two servers on one host do not sign each other's users out.
func SessionCookie(r *nethttp.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return sessionCookie
	}
	return sessionCookie + "_" + port
}

// sessions says who is signed in with a cookie.
type sessions interface {
	// Session returns the principal of a session by its text. used has it last for another
	// while. See kappa.CodeUnauthenticated and kappa.CodeForbidden.
	Session(ctx context.Context, text string, used bool) (access.Principal, error)
}

// SessionText returns the session that a request carries, or "".
func SessionText(r *nethttp.Request) string {
	cookie, err := r.Cookie(SessionCookie(r))
	if err != nil {
		return ""
	}
	return WellFormed(cookie.Value)
}

// SessionToken returns the token that goes with the writes of a session. A page of another
// site cannot read it, and it does not give the session away.
func SessionToken(text string) string {
	sum := sha256.Sum256([]byte("token against cross-site writes\n" + text))
	return hex.EncodeToString(sum[:])
}

// SetSession has the browser keep a session until it ends, or forget it for "". The cookie is
// sent over TLS only when the request came so, to this server or to a proxy that may say it.
func SetSession(c *gin.Context, text string, expires time.Time) {
	cookie := &nethttp.Cookie{ //nolint:gosec // it is secure where the request came over TLS
		Name: SessionCookie(c.Request), Value: text, Path: "/", HttpOnly: true, SameSite: nethttp.SameSiteStrictMode,
		Secure: c.Request.TLS != nil || c.GetBool(forwardedTLS),
	}
	if text == "" {
		cookie.MaxAge = -1
	} else {
		cookie.MaxAge = int(time.Until(expires).Seconds())
	}
	nethttp.SetCookie(c.Writer, cookie)
}

// authenticateSession returns who makes a request with a session. A page of another origin may
// not use it at all, be it of the same machine, and what changes something needs the token.
func (r *Router) authenticateSession(c *gin.Context, route Route, text string) (access.Principal, error) {
	if site := c.Request.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" || !r.hosts.ownOrigin(c.Request) {
		return access.Principal{}, kappa.NewError(kappa.CodeForbidden, "Pages of other sites are refused here")
	}
	if m := c.Request.Method; m != nethttp.MethodGet && m != nethttp.MethodHead {
		if subtle.ConstantTimeCompare([]byte(c.Request.Header.Get(TokenHeader)), []byte(SessionToken(text))) != 1 {
			return access.Principal{}, kappa.NewError(kappa.CodeForbidden, "A session changes something only with its token in the header "+TokenHeader+": get it from GET /auth/session")
		}
	}
	if r.sessions == nil {
		return access.Principal{}, Unauthenticated("Not authenticated")
	}
	return r.sessions.Session(c.Request.Context(), text, !route.Unrecorded)
}
