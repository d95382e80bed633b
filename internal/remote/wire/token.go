package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Issuers of worker tokens.
const (
	IssuerCompat = "urn:openfn:worker"
	IssuerKappa  = "urn:kappa:worker"
)

// MinSecret is how many bytes the secret of the workers has at least.
const MinSecret = 16

// Subprotocols in which a worker token may travel: Subprotocol, and BearerPrefix
// followed by the token in base64url.
const (
	Subprotocol  = "phoenix"
	BearerPrefix = "base64url.bearer.phx."
)

// ErrToken is wrapped by what CheckWorkerToken returns.
var ErrToken = errors.New("invalid worker token")

// ErrOldToken is an ErrToken: the token has no end, and was signed too long ago.
var ErrOldToken = fmt.Errorf("%w: it is too old; sign a new one, or one with exp", ErrToken)

// WorkerToken is what the token says with which a worker connects.
type WorkerToken struct {
	Issuer   string
	WorkerID string
	IssuedAt time.Time // to the second
	// Stale says that the token has no end and was not signed just now: it is good for a
	// worker that is known already, which cannot sign it anew, and for nobody else.
	Stale bool
}

type workerClaims struct {
	jwt.RegisteredClaims
	WorkerID string `json:"worker_id"`
}

// SignWorkerToken returns a token for kg worker, which ends after WorkerTokenLife.
func SignWorkerToken(secret []byte, workerID string, now time.Time) (string, error) {
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, workerClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: IssuerKappa, IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(WorkerTokenLife)),
		},
		WorkerID: workerID,
	}).SignedString(secret)
	if err != nil {
		return "", fmt.Errorf("sign a worker token: %w", err)
	}
	return token, nil
}

// CheckWorkerToken returns what a token says that one of the secrets signed. The error
// says what is wrong, and never shows the token.
func CheckWorkerToken(token string, now time.Time, secrets ...[]byte) (WorkerToken, error) {
	var failed error
	for _, secret := range secrets {
		if len(secret) == 0 {
			continue
		}
		var claims workerClaims
		_, err := jwt.ParseWithClaims(token, &claims, keyOf(secret),
			jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithTimeFunc(func() time.Time { return now }))
		if err == nil {
			return claims.check(now)
		}
		if failed == nil || !errors.Is(err, jwt.ErrTokenSignatureInvalid) {
			failed = err
		}
	}
	if failed == nil {
		return WorkerToken{}, fmt.Errorf("%w: there is no secret", ErrToken)
	}
	switch {
	case errors.Is(failed, jwt.ErrTokenExpired):
		return WorkerToken{}, fmt.Errorf("%w: it has expired", ErrToken)
	case errors.Is(failed, jwt.ErrTokenSignatureInvalid):
		return WorkerToken{}, fmt.Errorf("%w: wrong signature", ErrToken)
	}
	return WorkerToken{}, fmt.Errorf("%w: not readable", ErrToken)
}

// keyOf returns what has a token checked with a key. One that says that an extension must be
// understood is refused: none is (RFC 7515, 4.1.11), and the library leaves that to us.
func keyOf(key any) jwt.Keyfunc {
	return func(t *jwt.Token) (any, error) {
		if _, critical := t.Header["crit"]; critical {
			return nil, fmt.Errorf("%w: crit names an extension that is not known", ErrToken)
		}
		return key, nil
	}
}

func (c workerClaims) check(now time.Time) (WorkerToken, error) {
	switch {
	case c.Issuer != IssuerCompat && c.Issuer != IssuerKappa:
		return WorkerToken{}, fmt.Errorf("%w: wrong issuer", ErrToken)
	case c.WorkerID == "" || len(c.WorkerID) > MaxWorkerID:
		return WorkerToken{}, fmt.Errorf("%w: worker_id must have 1 to %d bytes", ErrToken, MaxWorkerID)
	case c.IssuedAt == nil:
		return WorkerToken{}, fmt.Errorf("%w: iat is missing", ErrToken)
	case c.IssuedAt.After(now.Add(WorkerTokenAhead)):
		return WorkerToken{}, fmt.Errorf("%w: issued in the future", ErrToken)
	}
	stale := c.ExpiresAt == nil && now.Sub(c.IssuedAt.Time) > WorkerTokenLife
	if stale && c.Issuer == IssuerKappa {
		return WorkerToken{}, ErrOldToken
	}
	return WorkerToken{Issuer: c.Issuer, WorkerID: c.WorkerID, IssuedAt: c.IssuedAt.Time, Stale: stale}, nil
}

// BearerSubprotocol returns the subprotocol that carries a token.
func BearerSubprotocol(token string) string {
	return BearerPrefix + base64.RawURLEncoding.EncodeToString([]byte(token))
}

// TokenOfSubprotocol returns the token in a subprotocol.
func TokenOfSubprotocol(protocol string) (string, bool) {
	text, ok := strings.CutPrefix(protocol, BearerPrefix)
	if !ok {
		return "", false
	}
	token, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	return string(token), err == nil
}
