package http

import (
	"fmt"
	nethttp "net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
)

// CheckOrigins returns an error for a list that names anything but origins.
func CheckOrigins(list []string) error {
	for _, o := range list {
		u, err := url.Parse(o)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || o != u.Scheme+"://"+u.Host || o != strings.ToLower(o) {
			return fmt.Errorf("%q is no origin: it must be as a browser sends it, such as https://app.example.com", o)
		}
	}
	return nil
}

// What pages of another origin may send, and read of an answer.
const (
	originMethods = "GET, HEAD, POST, PUT, PATCH, DELETE"
	originHeaders = "Authorization, Content-Type, Accept, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Range"
	originExposes = "Content-Disposition, Content-Range, ETag, Idempotent-Replayed, Kappa-Complete, Kappa-Stale, Location, Retry-After, X-Next-Cursor, X-Request-ID"
	originMaxAge  = "600" // seconds
)

// fromOrigin reports whether a request is one of a page of an origin that is allowed (CORS). Its
// credential is a token, as of every program: the cookie of the console is never asked for.
func (r *Router) fromOrigin(req *nethttp.Request) bool {
	origin := req.Header.Get("Origin")
	return origin != "" && slices.Contains(r.origins, origin)
}

// allowOrigin has a page of an allowed origin read the answer, and answers what its browser asks
// before it sends a request.
func (r *Router) allowOrigin(c *gin.Context) {
	if len(r.origins) == 0 {
		return
	}
	h := c.Writer.Header()
	h.Add("Vary", "Origin")
	if !r.fromOrigin(c.Request) {
		return
	}
	h.Set("Access-Control-Allow-Origin", c.Request.Header.Get("Origin"))
	h.Set("Access-Control-Expose-Headers", originExposes)
	if c.Request.Method == nethttp.MethodOptions && c.Request.Header.Get("Access-Control-Request-Method") != "" {
		h.Set("Access-Control-Allow-Methods", originMethods)
		h.Set("Access-Control-Allow-Headers", originHeaders)
		h.Set("Access-Control-Max-Age", originMaxAge)
		c.AbortWithStatus(nethttp.StatusNoContent)
	}
}
