package http

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

// forwardedHeaders name the client of a proxy; gin reads them in this order.
var forwardedHeaders = []string{"X-Forwarded-For", "X-Real-Ip"}

// proxies are what may say for whom it forwards a request. Attempts to log in are counted
// by address, and the audit log has it: of a proxy that is not known, all clients have one.
type proxies struct {
	known    bool
	ranges   []netip.Prefix
	unheeded atomic.Pointer[string] // the last address that named a client and was not believed
}

// CheckProxies returns an error that names what is no address and no range of addresses.
func CheckProxies(list []string) error {
	for _, text := range list {
		if _, err := netip.ParsePrefix(text); err == nil {
			continue
		}
		if _, err := netip.ParseAddr(text); err != nil {
			return kappa.NewError(kappa.CodeInvalid, "must be addresses and ranges such as 10.0.0.7,192.168.0.0/16, got "+Printable(text))
		}
	}
	return nil
}

// trust has the engine believe the proxies that CheckProxies accepts.
func (p *proxies) trust(e *gin.Engine, list []string) error {
	p.known = len(list) > 0
	for _, text := range list {
		if one, err := netip.ParseAddr(text); err == nil {
			p.ranges = append(p.ranges, netip.PrefixFrom(one, one.BitLen()))
		} else if some, err := netip.ParsePrefix(text); err == nil {
			p.ranges = append(p.ranges, some)
		}
	}
	return e.SetTrustedProxies(list)
}

// mayForward reports whether an address may say how a request came to it: a known proxy, or,
// when none is known, one of this machine or of a private network.
func (p *proxies) mayForward(address string) bool {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	ip = ip.Unmap().WithZone("")
	if !p.known {
		return ip.IsLoopback() || ip.IsPrivate()
	}
	return slices.ContainsFunc(p.ranges, func(r netip.Prefix) bool { return r.Contains(ip) })
}

// forwardedTLS is the key by which a request's context says that it came to a proxy over TLS.
const forwardedTLS = "forwarded_tls"

// readClient puts the address of the client in place of that of a proxy that may name it:
// the last one that no known proxy has.
func (r *Router) readClient(c *gin.Context) {
	if c.Request.Header.Get("X-Forwarded-Proto") == "https" && r.proxies.mayForward(c.RemoteIP()) {
		c.Set(forwardedTLS, true)
	}
	named := false
	for _, name := range forwardedHeaders {
		named = named || strings.TrimSpace(c.Request.Header.Get(name)) != ""
	}
	if !named {
		return
	}
	from, client := c.RemoteIP(), c.ClientIP()
	switch {
	case client != "" && client != from:
		c.Request.RemoteAddr = net.JoinHostPort(client, "0")
	case !r.proxies.known:
		r.proxies.unheeded.Store(&from)
	}
}

// OriginOf returns the scheme and the host that a request was made to, as a link to this server
// begins.
func OriginOf(c *gin.Context) string {
	if c.Request.TLS != nil || c.GetBool(forwardedTLS) {
		return "https://" + c.Request.Host
	}
	return "http://" + c.Request.Host
}

// UnheededProxy returns an address from which requests came that name their client, while
// no proxy is known that may; "" for none.
func (r *Router) UnheededProxy() string {
	if from := r.proxies.unheeded.Load(); from != nil {
		return *from
	}
	return ""
}
