package auth

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/kappagraph/kappa"
)

const (
	hashesAtOnce = 2               // 19 MiB and one core each
	hashWait     = 5 * time.Second // for one of them
)

// hasher hashes and checks passwords, a few at a time, so that many logins at once
// cannot use up the memory or the processors.
type hasher struct {
	cost  cost // of new hashes
	slots chan struct{}
	dummy passwordHash // no password makes it
}

func newHasher(c cost) *hasher {
	return &hasher{
		cost:  c,
		slots: make(chan struct{}, hashesAtOnce),
		dummy: passwordHash{cost: c, salt: randomBytes(saltBytes), key: randomBytes(keyBytes)},
	}
}

// hash returns a password's hash in PHC form. It returns a CodeUnavailable Error
// when no slot comes free in time.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	if err := h.acquire(ctx); err != nil {
		return "", err
	}
	defer h.release()
	return derive(password, randomBytes(saltBytes), h.cost).String(), nil
}

// matches reports whether a hash is that of the password. For "", an account without
// a password, it takes the same time and returns false. It fails like hash, and for a
// hash that is not in PHC form.
func (h *hasher) matches(ctx context.Context, password, phc string) (bool, error) {
	stored := h.dummy
	if phc != "" {
		var err error
		if stored, err = parsePHC(phc); err != nil {
			return false, err
		}
	}
	if err := h.acquire(ctx); err != nil {
		return false, err
	}
	defer h.release()
	return stored.matches(password), nil
}

func (h *hasher) acquire(ctx context.Context) error {
	timeout := time.NewTimer(hashWait)
	defer timeout.Stop()
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timeout.C:
		return &kappa.Error{Code: kappa.CodeUnavailable, Message: "Too many logins at once; try again", RetryAfter: hashWait}
	}
}

func (h *hasher) release() { <-h.slots }

// randomBytes returns n random bytes of the system. It cannot fail.
func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b)
	return b
}
