package auth

import (
	"context"

	"github.com/kappagraph/kappa"
)

const userDisabled = "User account is disabled"

// Authenticate returns who a bearer token acts for. It returns a
// CodeUnauthenticated Error without a token and for one that is forged, expired,
// revoked, or whose client was deleted or has a new secret, and a CodeForbidden
// Error when the user is disabled.
func (s *Service) Authenticate(ctx context.Context, bearer string) (kappa.Principal, error) {
	if bearer == "" {
		return kappa.Principal{}, kappa.NewError(kappa.CodeUnauthenticated, "Not authenticated")
	}
	key, err := s.signingKey(ctx)
	if err != nil {
		return kappa.Principal{}, err
	}
	g, err := s.signer.verify(key, bearer)
	if err != nil {
		return kappa.Principal{}, errCredentials()
	}
	user, err := s.store.TokenUser(ctx, g.clientID, g.generation, g.tokenID)
	if unknown(err) {
		return kappa.Principal{}, errCredentials()
	}
	if err != nil {
		return kappa.Principal{}, err
	}
	if user.ID != g.userID {
		return kappa.Principal{}, errCredentials()
	}
	if user.Disabled {
		return kappa.Principal{}, kappa.NewError(kappa.CodeForbidden, userDisabled)
	}
	return kappa.Principal{User: user, ClientID: g.clientID, Scopes: g.scopes}, nil
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
