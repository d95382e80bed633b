package wire

import (
	"crypto/hkdf"
	"crypto/rsa"
	"crypto/sha256"
	"fmt"
	"strconv"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// runTokenIssuer is the word that the existing ws-worker demands when it checks the
// signature of a run token.
const runTokenIssuer = "Lightning"

// RunToken names a claim: the worker gets it with the claim and shows it again when it
// joins the channel of the run.
type RunToken struct {
	JobID  string
	Token  int64  // of the claim
	Worker string // UUID that claimed
}

// RunTokens signs and checks run tokens.
type RunTokens struct {
	method jwt.SigningMethod
	sign   any
	verify any
	old    []byte // key of the secret before; nil without
}

type runClaims struct {
	jwt.RegisteredClaims
	ID    string `json:"id"`
	Token string `json:"tok"`
}

// NewRunTokens returns what signs with an RSA key in PEM or, without one, with a key
// that is derived from the secret of the workers. Tokens of the secret before are
// still accepted.
func NewRunTokens(keyPEM, secret, old []byte) (*RunTokens, error) {
	if len(keyPEM) > 0 {
		key, err := jwt.ParseRSAPrivateKeyFromPEM(keyPEM)
		if err != nil {
			return nil, fmt.Errorf("the key for run tokens is no RSA key in PEM: %w", err)
		}
		return &RunTokens{method: jwt.SigningMethodRS256, sign: key, verify: key.Public().(*rsa.PublicKey)}, nil
	}
	key, err := derive(secret)
	if err != nil {
		return nil, err
	}
	t := &RunTokens{method: jwt.SigningMethodHS256, sign: key, verify: key}
	if len(old) > 0 {
		t.old, err = derive(old)
	}
	return t, err
}

func derive(secret []byte) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "kappa run token", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the key for run tokens: %w", err)
	}
	return key, nil
}

// Sign returns the token of a claim, which ends after life.
func (t *RunTokens) Sign(r RunToken, now time.Time, life time.Duration) (string, error) {
	text, err := jwt.NewWithClaims(t.method, runClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: runTokenIssuer, Subject: r.Worker, IssuedAt: jwt.NewNumericDate(now),
			NotBefore: jwt.NewNumericDate(now.Add(-5 * time.Second)), ExpiresAt: jwt.NewNumericDate(now.Add(life)),
		},
		ID: r.JobID, Token: strconv.FormatInt(r.Token, 10),
	}).SignedString(t.sign)
	if err != nil {
		return "", fmt.Errorf("sign a run token: %w", err)
	}
	return text, nil
}

// Check returns what a token names that was signed here. One that has expired is
// accepted: whether the claim is current is for the database to say, and a long run
// cannot renew its token.
func (t *RunTokens) Check(text string) (RunToken, error) {
	keys := []any{t.verify}
	if t.old != nil {
		keys = append(keys, t.old)
	}
	for _, key := range keys {
		var claims runClaims
		_, err := jwt.ParseWithClaims(text, &claims, keyOf(key),
			jwt.WithValidMethods([]string{t.method.Alg()}), jwt.WithoutClaimsValidation())
		if err != nil || claims.Issuer != runTokenIssuer {
			continue
		}
		token, err := strconv.ParseInt(claims.Token, 10, 64)
		if err != nil {
			continue
		}
		return RunToken{JobID: claims.ID, Token: token, Worker: claims.Subject}, nil
	}
	return RunToken{}, fmt.Errorf("%w: no run token of this server", ErrToken)
}
