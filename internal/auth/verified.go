package auth

import (
	"crypto/sha256"
	"sync"
	"time"
)

// mostVerified is how many tokens are remembered.
const mostVerified = 4096

// verified remembers tokens whose signature was checked, so that the next request with the
// same token costs a digest. That a token has expired or was revoked is checked at each
// request all the same. It is safe for concurrent use.
type verified struct {
	mu     sync.Mutex
	grants map[tokenDigest]grant
}

// tokenDigest stands for a token and the key that has signed it. Two of them are the same
// for nobody who cannot find collisions of SHA-256, so that to look one up tells nothing.
type tokenDigest [sha256.Size]byte

func digestOf(key []byte, token string) tokenDigest {
	text := make([]byte, 0, len(key)+len(token))
	return sha256.Sum256(append(append(text, key...), token...))
}

func newVerified() *verified { return &verified{grants: map[tokenDigest]grant{}} }

// find returns what a token grants when it was checked before and has not expired.
func (v *verified) find(d tokenDigest, now time.Time) (grant, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	g, ok := v.grants[d]
	if ok && !now.Before(g.expires.Add(clockLeeway)) {
		delete(v.grants, d)
		return grant{}, false
	}
	return g, ok
}

// add remembers a token. When there are too many, one that has expired makes room, or else
// any.
func (v *verified) add(d tokenDigest, g grant, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	const looked = 16
	n := 0
	for other, old := range v.grants {
		if len(v.grants) < mostVerified {
			break
		}
		if n++; n > looked || !now.Before(old.expires.Add(clockLeeway)) {
			delete(v.grants, other)
		}
	}
	v.grants[d] = g
}
