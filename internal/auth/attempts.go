package auth

import (
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

// How many logins may fail. Guessing the password of one account is limited to about
// 2,900 tries a day from one address, and to 17,000 from all addresses together. One
// subscriber, with one IPv4 address or one network of IPv6 addresses, cannot use up the
// attempts of an account, because the rate of a network is below that of an account.
// Clients that exist already are not affected.
var (
	pairRate    = rate{burst: 10, refill: 30 * time.Second} // of an account from an address
	networkRate = rate{burst: 20, refill: 6 * time.Second}  // of all accounts from a network
	accountRate = rate{burst: 100, refill: 5 * time.Second} // of an account from all addresses where it never logged in
)

const (
	throttledKeys = 10_000 // of each kind
	maxKeyBytes   = 128

	addressBits = 64 // of an IPv6 address: a network of one subscriber
	networkBits = 56 // likewise: what one subscriber gets, with all networks in it
)

// attempts limits logins that fail. An address from which an account has logged in has
// attempts of its own for that account: failures elsewhere, or for other accounts, do
// not count there. These addresses are forgotten when the server stops.
type attempts struct {
	mu       sync.Mutex
	known    *known
	pairs    *throttle
	networks *throttle
	accounts *throttle
}

func newAttempts() *attempts {
	return &attempts{
		known:    newKnown(),
		pairs:    newThrottle(pairRate, throttledKeys),
		networks: newThrottle(networkRate, throttledKeys),
		accounts: newThrottle(accountRate, throttledKeys),
	}
}

// attempt is a login that was counted as failed before it is tried, so that many at
// once do not slip through.
type attempt struct {
	all            *attempts
	account, place string
	taken          []func() // give back what was taken
}

// begin counts a login as failed. It returns a CodeRateLimited Error when there were
// too many. cancel or succeed takes that back.
func (a *attempts) begin(username, address string) (*attempt, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	t := &attempt{all: a, account: userKey(username), place: addressKey(address, addressBits)}
	if b := a.known.bucket(t.account, t.place); b != nil {
		if wait := b.take(pairRate, now); wait > 0 {
			return nil, tooMany(wait)
		}
		t.taken = append(t.taken, func() { b.giveBack(pairRate) })
		return t, nil
	}
	for _, limit := range []struct {
		*throttle
		key string
	}{
		{a.networks, addressKey(address, networkBits)}, // first, so that one network does not fill the others
		{a.pairs, t.account + "\x00" + t.place},
		{a.accounts, t.account},
	} {
		b := limit.bucket(limit.key, now)
		if wait := b.take(limit.rate, now); wait > 0 {
			t.giveBackLocked()
			return nil, tooMany(wait)
		}
		t.taken = append(t.taken, func() { limit.giveBack(b) })
	}
	return t, nil
}

// cancel ends an attempt that says nothing about the password.
func (t *attempt) cancel() {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	t.giveBackLocked()
}

// succeed ends an attempt with the right password.
func (t *attempt) succeed() {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	t.giveBackLocked()
	now := time.Now()
	t.all.known.add(t.account, t.place, now)
}

func (t *attempt) giveBackLocked() {
	for _, giveBack := range t.taken {
		giveBack()
	}
	t.taken = nil
}

func tooMany(wait time.Duration) error {
	return &kappa.Error{Code: kappa.CodeRateLimited, Message: "Too many failed logins; try again later", RetryAfter: wait}
}

// userKey is the same for all spellings of a name that mean one account.
func userKey(username string) string {
	key := strings.ToLower(username)
	return strings.Clone(key[:min(len(key), maxKeyBytes)])
}

// addressKey returns the key of an address, with or without a port: the IPv4 address,
// or the IPv6 network with a prefix of so many bits.
func addressKey(address string, bits int) string {
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
	return netip.PrefixFrom(ip, bits).Masked().String()
}
