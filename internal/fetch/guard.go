package fetch

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"code.dny.dev/ssrf"
)

// errRefused says that an address must not be reached.
var errRefused = errors.New("address refused")

// guard decides which addresses are dialled.
type guard struct{ public, private *ssrf.Guardian }

// inner are the private networks that Config.Private opens. Link-local addresses stay
// closed: clouds serve credentials there.
var (
	innerV4 = []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
		netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"),
	}
	innerV6 = []netip.Prefix{netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("fc00::/7")}
	// carriers hold an IPv4 address, which a gateway on the way would reach.
	carriers = []netip.Prefix{
		netip.MustParsePrefix("::/96"), netip.MustParsePrefix("::ffff:0:0/96"), netip.MustParsePrefix("::ffff:0:0:0/96"),
		netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
		netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("fec0::/10"),
	}
)

func newGuard(private bool) guard {
	g := guard{public: ssrf.New()}
	if private {
		g.private = ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(innerV4...), ssrf.WithAllowedV6Prefixes(innerV6...))
	}
	return g
}

// control is called with each address before it is dialled, after its name was
// resolved, so that a name that resolves anew changes nothing.
func (g guard) control(network, address string, c syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || to.Addr().Zone() != "" {
		return errRefused
	}
	loopback := to.Addr() == netip.IPv6Loopback()
	if !loopback && slices.ContainsFunc(carriers, func(p netip.Prefix) bool { return p.Contains(to.Addr()) }) || to.Addr().Is4In6() {
		return errRefused
	}
	if g.public.Safe(network, address, c) == nil {
		return nil
	}
	if g.private != nil && g.private.Safe(network, address, c) == nil {
		return nil
	}
	return errRefused
}

// allowed reports whether one of the patterns names the host. A pattern is a host, or
// *.example.com for all below it. No patterns allow every host.
func allowed(patterns []string, host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		p = strings.ToLower(p)
		if suffix, wild := strings.CutPrefix(p, "*."); wild {
			return strings.HasSuffix(host, "."+suffix)
		}
		return host == p
	})
}
