package http

import (
	"net"
	nethttp "net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

// hosts are the names by which a server may be called. A page in a browser can have
// its own name lead to a server that only this machine reaches, and would then read
// its answers (DNS rebinding); the name that was called gives it away.
type hosts struct {
	names    []string // configured ones, in lower case; "*" is any
	loopback bool     // the server listens for this machine only
}

func newHosts(names []string) *hosts {
	h := &hosts{}
	for _, name := range names {
		h.names = append(h.names, strings.ToLower(strings.TrimSpace(name)))
	}
	return h
}

// listenOn stores where the server listens. It is called before the first request.
func (h *hosts) listenOn(addr net.Addr) {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		h.loopback = tcp.IP.IsLoopback()
	}
}

// allow reports whether a request may have this Host. A server for this machine
// only may be called by the names of loopback and by those that are configured;
// another one by any name, or, when names are configured, by those, by loopback's
// and by addresses, which probes use and nobody can redirect. A request without a
// Host is none of a browser.
func (h *hosts) allow(host string) bool {
	host = nameOf(host)
	switch {
	case !h.loopback && len(h.names) == 0, host == "", host == "localhost", strings.HasSuffix(host, ".localhost"):
		return true
	case slices.Contains(h.names, host), slices.Contains(h.names, "*"):
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (!h.loopback || ip.Unmap().IsLoopback())
}

// nameOf returns the name in a Host, in lower case and without its port.
func nameOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
}

// ofLoopback reports whether a Host is a name of every machine for itself.
func ofLoopback(host string) bool {
	host = nameOf(host)
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.Unmap().IsLoopback()
}

// checkHost refuses a request of Run's server that was sent to another name.
func (r *Router) checkHost(c *gin.Context) {
	if _, ok := c.Request.Context().Value(connKey{}).(Connection); ok && !r.hosts.allow(c.Request.Host) {
		r.fail(c, &problem{Status: nethttp.StatusMisdirectedRequest, Detail: "This server is not called " + Printable(c.Request.Host) + "; if it is, add that name to KG_ALLOWED_HOSTS"})
	}
}

// ownOrigin reports whether a request comes from no page at all, or from one of this
// server: of the host and port that were called, or of a configured name. Any page can send
// requests here, and one whose name leads here (DNS rebinding) can read the answers.
func (h *hosts) ownOrigin(req *nethttp.Request) bool {
	origins := req.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	if err != nil || len(origins) > 1 || u.Scheme != "http" && u.Scheme != "https" || u.Scheme+"://"+u.Host != origins[0] {
		return false // also "null", and what has more than a scheme and a host
	}
	return strings.EqualFold(u.Host, req.Host) || slices.Contains(h.names, strings.ToLower(u.Hostname()))
}

// checkOrigin returns CodeForbidden for a request that a browser sends for a page of
// another site, and that changes something. Routes that take no bearer need it: who
// is logged in, or locked out, must not be up to any page that somebody opens.
func checkOrigin(req *nethttp.Request) error {
	if err := new(nethttp.CrossOriginProtection).Check(req); err != nil {
		return &kappa.Error{Code: kappa.CodeForbidden, Message: "Requests of other sites are refused here", Err: err}
	}
	return nil
}
