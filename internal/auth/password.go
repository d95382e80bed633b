package auth

import (
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// What a new password's hash costs: argon2id with a set of parameters that the
// OWASP Password Storage Cheat Sheet recommends.
const (
	hashMemoryKiB = 19 * 1024
	hashPasses    = 2
	hashThreads   = 1
	saltBytes     = 16
	keyBytes      = 32
)

// The bounds of a hash that is read: a row that was tampered with must not make
// the server use up its memory or its time.
const (
	mostMemoryKiB  = 256 * 1024
	mostPasses     = 16
	mostThreads    = 16
	leastSaltBytes = 8
	mostSaltBytes  = 64
	leastKeyBytes  = 16
	mostKeyBytes   = 64
	mostPHCBytes   = 512
)

var errPHC = errors.New("password hash is not argon2id in PHC form")

// cost is the work that argon2id does for a hash.
type cost struct {
	memoryKiB, passes uint32
	threads           uint8
}

func defaultCost() cost {
	return cost{memoryKiB: hashMemoryKiB, passes: hashPasses, threads: hashThreads}
}

// passwordHash is a hash with what made it.
type passwordHash struct {
	cost
	salt, key []byte
}

// derive returns the hash of password with a salt.
func derive(password string, salt []byte, c cost) passwordHash {
	key := argon2.IDKey([]byte(password), salt, c.passes, c.memoryKiB, c.threads, keyBytes)
	return passwordHash{cost: c, salt: salt, key: key}
}

// matches reports whether password made the hash.
func (h passwordHash) matches(password string) bool {
	key := argon2.IDKey([]byte(password), h.salt, h.passes, h.memoryKiB, h.threads, uint32(len(h.key)))
	return subtle.ConstantTimeCompare(key, h.key) == 1
}

// String returns the PHC form: $argon2id$v=19$m=19456,t=2,p=1$salt$key.
func (h passwordHash) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memoryKiB, h.passes, h.threads,
		base64.RawStdEncoding.EncodeToString(h.salt), base64.RawStdEncoding.EncodeToString(h.key))
}

// parsePHC reads what String wrote, and nothing that String would write
// differently, at any cost within bounds. Its error does not show the hash.
func parsePHC(text string) (passwordHash, error) {
	fields := strings.Split(text, "$")
	if len(text) > mostPHCBytes || len(fields) != 6 {
		return passwordHash{}, errPHC
	}
	c, ok := parseCost(fields[3])
	salt, errSalt := base64.RawStdEncoding.DecodeString(fields[4])
	key, errKey := base64.RawStdEncoding.DecodeString(fields[5])
	h := passwordHash{cost: c, salt: salt, key: key}
	if !ok || errSalt != nil || errKey != nil || !h.inBounds() || h.String() != text {
		return passwordHash{}, errPHC
	}
	return h, nil
}

// parseCost reads m=19456,t=2,p=1.
func parseCost(text string) (c cost, ok bool) {
	fields := strings.Split(text, ",")
	if len(fields) != 3 {
		return cost{}, false
	}
	memory, errM := strconv.ParseUint(strings.TrimPrefix(fields[0], "m="), 10, 32)
	passes, errT := strconv.ParseUint(strings.TrimPrefix(fields[1], "t="), 10, 32)
	threads, errP := strconv.ParseUint(strings.TrimPrefix(fields[2], "p="), 10, 8)
	c = cost{memoryKiB: uint32(memory), passes: uint32(passes), threads: uint8(threads)}
	return c, errM == nil && errT == nil && errP == nil
}

func (h passwordHash) inBounds() bool {
	return h.memoryKiB >= 8 && h.memoryKiB <= mostMemoryKiB && h.passes >= 1 && h.passes <= mostPasses &&
		h.threads >= 1 && h.threads <= mostThreads && len(h.salt) >= leastSaltBytes && len(h.salt) <= mostSaltBytes &&
		len(h.key) >= leastKeyBytes && len(h.key) <= mostKeyBytes
}
