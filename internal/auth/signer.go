package auth

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/kappagraph/kappa/access"
)

const (
	issuer        = "kappa"
	audience      = "kappa-api"
	tokenLife     = access.TokenSeconds * time.Second
	clockLeeway   = 10 * time.Second // between servers
	maxTokenBytes = 2048             // longer ones are refused unread
	keyName       = "token-signing-key"
	signKeyBytes  = 32
)

var errToken = errors.New("token is not valid")

// grant is the content of a token.
type grant struct {
	userID     int
	clientID   string
	generation int // of the client
	scopes     []string
	tokenID    string
	expires    time.Time
}

// claims is a grant in the form of a JWT.
type claims struct {
	jwt.RegisteredClaims
	ClientID   string `json:"client_id"`
	Generation int    `json:"generation"`
	Scope      string `json:"scope"`
}

// signer makes and checks tokens: JWTs signed with HMAC-SHA-256 and nothing
// else.
type signer struct {
	now      func() time.Time
	parser   *jwt.Parser
	verified *verified
}

func newSigner(now func() time.Time) *signer {
	return &signer{now: now, verified: newVerified(), parser: jwt.NewParser(
		jwt.WithTimeFunc(now),
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithIssuer(issuer), jwt.WithAudience(audience),
		jwt.WithExpirationRequired(), jwt.WithLeeway(clockLeeway), jwt.WithStrictDecoding(),
	)}
}

// sign returns the token for g, issued now.
func (s *signer) sign(key []byte, g grant) (string, error) {
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: issuer, Audience: jwt.ClaimStrings{audience}, Subject: strconv.Itoa(g.userID), ID: g.tokenID,
			IssuedAt: jwt.NewNumericDate(s.now()), ExpiresAt: jwt.NewNumericDate(g.expires),
		},
		ClientID: g.clientID, Generation: g.generation, Scope: strings.Join(g.scopes, " "),
	}).SignedString(key)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return token, nil
}

// understood returns an error for a token that says that an extension must be understood: none
// is (RFC 7515, 4.1.11), and the library leaves that to us.
func understood(t *jwt.Token) error {
	if _, critical := t.Header["crit"]; critical {
		return errToken
	}
	return nil
}

// verify returns the content of a token that key has signed and that has not expired.
// Its error says nothing about the token.
func (s *signer) verify(key []byte, token string) (grant, error) {
	if len(token) > maxTokenBytes {
		return grant{}, errToken
	}
	digest := digestOf(key, token)
	if g, ok := s.verified.find(digest, s.now()); ok {
		return g, nil
	}
	var c claims
	if _, err := s.parser.ParseWithClaims(token, &c, func(t *jwt.Token) (any, error) { return key, understood(t) }); err != nil {
		return grant{}, errToken
	}
	userID, err := strconv.Atoi(c.Subject)
	if err != nil || c.ClientID == "" || c.ID == "" {
		return grant{}, errToken
	}
	g := grant{
		userID: userID, clientID: c.ClientID, generation: c.Generation,
		scopes: strings.Fields(c.Scope), tokenID: c.ID, expires: c.ExpiresAt.Time,
	}
	s.verified.add(digest, g, s.now())
	return g, nil
}
