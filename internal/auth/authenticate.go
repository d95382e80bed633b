package auth

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

const userDisabled = "User account is disabled"

// Authenticate returns the principal of a bearer token. It returns a
// CodeUnauthenticated Error without a token and for one that is forged, expired,
// revoked, or whose client was deleted or has a new secret, and a CodeForbidden
// Error when the user is disabled.
func (s *Tokens) Authenticate(ctx context.Context, bearer string) (access.Principal, error) {
	if bearer == "" {
		return access.Principal{}, kappa.NewError(kappa.CodeUnauthenticated, "Not authenticated")
	}
	if isKey(bearer) {
		return s.authenticateKey(ctx, bearer)
	}
	key, err := s.signingKey(ctx)
	if err != nil {
		return access.Principal{}, err
	}
	g, err := s.signer.verify(key, bearer)
	if err != nil {
		return access.Principal{}, errCredentials()
	}
	p := access.Principal{
		User: access.User{ID: g.userID}, ClientID: g.clientID, Scopes: g.scopes,
		TokenID: g.tokenID, Generation: g.generation, ExpiresAt: kappa.At(g.expires.Add(clockLeeway)),
	}
	return s.current(ctx, p, s.store.TokenUser)
}

// authenticateKey is Authenticate for an API key.
func (s *Tokens) authenticateKey(ctx context.Context, text string) (access.Principal, error) {
	id, secret, ok := parseKey(text)
	if !ok {
		return access.Principal{}, errCredentials()
	}
	key, user, err := s.store.Client(ctx, id)
	if unknown(err) {
		return access.Principal{}, errCredentials()
	}
	if err != nil {
		return access.Principal{}, err
	}
	expires := s.now().Add(keyForever)
	if key.ExpiresAt != nil {
		expires = key.ExpiresAt.Time
	}
	if !key.Key || !secretMatches(secret, key.SecretHash) || !s.now().Before(expires) {
		return access.Principal{}, errCredentials()
	}
	p, err := s.current(ctx, access.Principal{
		User: user, ClientID: key.ClientID, Scopes: key.Scopes, Generation: key.Generation, ExpiresAt: kappa.At(expires),
	}, s.store.TokenUser)
	if err != nil {
		return access.Principal{}, err
	}
	s.touch(ctx, key)
	return p, nil
}

// Reexamine returns nil while a principal, from a token or from a ticket, may
// still do what it could when it was authenticated. Otherwise it returns the error that
// Authenticate would: a CodeUnauthenticated Error when its token has expired or
// was revoked, or its client was deleted or has a new secret, and a CodeForbidden
// Error when the user is disabled. It returns a CodeForbidden Error, too, when the user
// has another role now, whatever that role allows.
func (s *Tokens) Reexamine(ctx context.Context, p access.Principal) error {
	if !s.now().Before(p.ExpiresAt.Time) {
		return errCredentials()
	}
	now, err := s.current(ctx, p, s.store.StreamUser)
	if err != nil {
		return err
	}
	if !now.SameRights(p) {
		return kappa.NewError(kappa.CodeForbidden, "The role of the user has changed")
	}
	return nil
}

// Epoch returns a number that changes whenever a right is revoked, on any server. A
// caller that reads it before it authenticates, and calls Reexamine whenever it has
// changed, misses no revocation.
func (s *Tokens) Epoch(ctx context.Context) (int64, error) { return s.store.AccessEpoch(ctx) }

// tokenUser returns the user of a token, and the epoch; see tokenStore.TokenUser.
type tokenUser func(ctx context.Context, clientID string, generation int, tokenID string) (access.User, int64, error)

// current returns p with its user as the account is now, and with what the roles of the
// user reach now. query reads p's token, its client and its user at once. It fails like
// Authenticate.
func (s *Tokens) current(ctx context.Context, p access.Principal, query tokenUser) (access.Principal, error) {
	user, epoch, err := query(ctx, p.ClientID, p.Generation, p.TokenID)
	if unknown(err) || err == nil && user.ID != p.User.ID {
		return access.Principal{}, errCredentials()
	}
	if err != nil {
		return access.Principal{}, err
	}
	if user.Disabled {
		return access.Principal{}, kappa.NewError(kappa.CodeForbidden, userDisabled)
	}
	policy, err := s.policies.at(ctx, epoch)
	if err != nil {
		return access.Principal{}, err
	}
	p.User = user
	now := s.now()
	p.Grants, p.Rows = policy.Rights(user, now)
	p.RightsEnd = policy.RightsEnd(user, now)
	return p, nil
}

func errCredentials() error {
	return kappa.NewError(kappa.CodeUnauthenticated, "Could not validate credentials")
}

// unknown reports that the store has nothing by that name or id, or that there
// cannot be any, as with a NUL character.
func unknown(err error) bool {
	code := kappa.ErrorCode(err)
	return code == kappa.CodeNotFound || code == kappa.CodeInvalid
}
