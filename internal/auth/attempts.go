package auth

import (
	"net/netip"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
)

// How many logins may fail: at once, and then one in each refill. Whoever tries
// passwords against one account gets some 2,900 a day, from however many
// addresses. Clients that are logged in already are not held up.
const (
	userBurst     = 10
	userRefill    = 30 * time.Second
	addressBurst  = 20
	addressRefill = 6 * time.Second
	throttledKeys = 10_000 // of each kind
	maxKeyBytes   = 128
)

// attempts limits logins that fail.
type attempts struct{ users, addresses *throttle }

func newAttempts() *attempts {
	return &attempts{
		users:     newThrottle(userBurst, userRefill, throttledKeys),
		addresses: newThrottle(addressBurst, addressRefill, throttledKeys),
	}
}

// take counts a login as failed before it is tried, so that many at once do not
// slip through, and returns what takes that back. It returns a CodeRateLimited
// Error when there were too many.
func (a *attempts) take(username, address string) (giveBack func(), err error) {
	user, from := userKey(username), addressKey(address)
	if wait := a.addresses.take(from); wait > 0 {
		return nil, tooMany(wait)
	}
	if wait := a.users.take(user); wait > 0 {
		a.addresses.giveBack(from)
		return nil, tooMany(wait)
	}
	return func() {
		a.users.giveBack(user)
		a.addresses.giveBack(from)
	}, nil
}

func tooMany(wait time.Duration) error {
	return &kappa.Error{Code: kappa.CodeRateLimited, Message: "Too many failed logins; try again later", RetryAfter: wait}
}

// userKey is the same for all spellings of a name that mean one account.
func userKey(username string) string {
	key := strings.ToLower(username)
	return strings.Clone(key[:min(len(key), maxKeyBytes)])
}

// addressKey names who is behind an address, with or without a port: one IPv4
// address, or an IPv6 network of 64 bits, which is what one subscriber gets.
func addressKey(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		withPort, err := netip.ParseAddrPort(address)
		if err != nil {
			return strings.Clone(address[:min(len(address), maxKeyBytes)])
		}
		ip = withPort.Addr()
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	return netip.PrefixFrom(ip, 64).Masked().String()
}
