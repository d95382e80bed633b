package auth

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// touchEvery is how often at most a client's last use is written.
const touchEvery = time.Minute

// tokenStore keeps the state of access tokens. A token that is not valid any more is a
// CodeNotFound Error.
type tokenStore interface {
	EnsureSecret(ctx context.Context, name string, fresh []byte) ([]byte, error)
	Client(ctx context.Context, clientID string) (access.OAuthClient, access.User, error)
	TouchClient(ctx context.Context, clientID string, atMostEvery time.Duration) error
	AccessEpoch(ctx context.Context) (int64, error)
	TokenUser(ctx context.Context, clientID string, generation int, tokenID string) (u access.User, epoch int64, err error)
	StreamUser(ctx context.Context, clientID string, generation int, tokenID string) (u access.User, epoch int64, err error) // as TokenUser
	RevokeToken(ctx context.Context, tokenID string, expires time.Time) error
	PurgeRevokedTokens(ctx context.Context) error
}

// Tokens makes access tokens for clients, and says who a bearer is and may do.
type Tokens struct {
	store    tokenStore
	policies *Policies
	signer   *signer
	key      atomic.Pointer[[]byte] // signs tokens; nil until first needed
	now      func() time.Time
	log      *slog.Logger
}

// Token exchanges a client's secret for an access token. It writes nothing but
// the client's last use, at most once a minute. A refusal is an OAuthError:
// invalid_request, unsupported_grant_type, invalid_client or invalid_scope.
func (s *Tokens) Token(ctx context.Context, in access.TokenRequest) (access.Token, error) {
	if err := checkRequest(in); err != nil {
		return access.Token{}, err
	}
	client, err := s.proveClient(ctx, in.ClientID, in.ClientSecret)
	if err != nil {
		return access.Token{}, err
	}
	scopes, err := tokenScopes(in.Scope, client.Scopes)
	if err != nil {
		return access.Token{}, err
	}
	key, err := s.signingKey(ctx)
	if err != nil {
		return access.Token{}, err
	}
	token, err := s.signer.sign(key, grant{
		userID: client.UserID, clientID: client.ClientID, generation: client.Generation,
		scopes: scopes, tokenID: rand.Text(), expires: s.now().Add(tokenLife),
	})
	if err != nil {
		return access.Token{}, err
	}
	s.touch(ctx, client)
	return access.Token{AccessToken: token, ExpiresIn: access.TokenSeconds, Scope: strings.Join(scopes, " ")}, nil
}

// checkRequest refuses what no client could ask for.
func checkRequest(in access.TokenRequest) error {
	switch {
	case in.GrantType == "":
		return refuse(invalidRequest, "grant_type is required")
	case in.GrantType != "client_credentials":
		return refuse(unsupportedGrantType, "grant_type must be client_credentials")
	case in.ClientID == "":
		return refuse(invalidRequest, "client_id is required")
	case in.ClientSecret == "":
		return refuse(invalidRequest, "client_secret is required")
	}
	return nil
}

// proveClient returns the client with that id if it has that secret and its
// user may use it.
func (s *Tokens) proveClient(ctx context.Context, clientID, secret string) (access.OAuthClient, error) {
	client, user, err := s.store.Client(ctx, clientID)
	if unknown(err) {
		return access.OAuthClient{}, refuse(invalidClient, "Invalid client credentials")
	}
	if err != nil {
		return access.OAuthClient{}, err
	}
	if client.Key || client.Session || !secretMatches(secret, client.SecretHash) {
		return access.OAuthClient{}, refuse(invalidClient, "Invalid client credentials")
	}
	if user.Disabled {
		return access.OAuthClient{}, refuse(invalidClient, userDisabled)
	}
	return client, nil
}

// tokenScopes returns the scopes that were asked for, all of granted for "".
func tokenScopes(asked string, granted []string) ([]string, error) {
	scopes, err := parseScopes(asked)
	if err != nil {
		return nil, refuse(invalidScope, kappa.ErrorMessage(err))
	}
	if !within(scopes, granted) {
		return nil, refuse(invalidScope, "The scope must be within that of the client: "+strings.Join(granted, " "))
	}
	if len(scopes) == 0 {
		return granted, nil
	}
	return scopes, nil
}

// touch records that the client was used. A failure is logged and does not concern the
// caller.
func (s *Tokens) touch(ctx context.Context, c access.OAuthClient) {
	if c.LastUsedAt != nil && s.now().Sub(c.LastUsedAt.Time) < touchEvery {
		return
	}
	if err := s.store.TouchClient(ctx, c.ClientID, touchEvery); err != nil {
		s.log.WarnContext(ctx, "use of a client not recorded", "client", c.ClientID, "err", err)
	}
}

// Revoke makes a token void at once. It does nothing, and returns nil, for what
// is no valid token.
func (s *Tokens) Revoke(ctx context.Context, token string) error {
	key, err := s.signingKey(ctx)
	if err != nil {
		return err
	}
	g, err := s.signer.verify(key, token)
	if err != nil {
		return nil //nolint:nilerr // RFC 7009: an invalid token is as good as revoked
	}
	return s.store.RevokeToken(ctx, g.tokenID, g.expires.Add(clockLeeway))
}

// signingKey returns the key with which all servers of the installation sign. The first
// server that needs it creates it.
func (s *Tokens) signingKey(ctx context.Context) ([]byte, error) {
	if key := s.key.Load(); key != nil {
		return *key, nil
	}
	key, err := s.store.EnsureSecret(ctx, keyName, randomBytes(signKeyBytes))
	if err != nil {
		return nil, err
	}
	if len(key) < signKeyBytes {
		return nil, fmt.Errorf("the secret %s must have at least %d bytes, got %d", keyName, signKeyBytes, len(key))
	}
	s.key.Store(&key)
	return key, nil
}
