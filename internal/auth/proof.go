package auth

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// proofLife is for how long after a login the password is not asked for again.
const proofLife = 5 * time.Minute

// proveAgain returns an error unless whoever makes a request has just shown to know the
// password of the account: with the request, or by the login that made its client. A token
// alone, which may be stolen, changes no password. It returns a CodeForbidden Error without
// a proof and for a wrong password, and a CodeRateLimited Error after too many of those.
func (s *Accounts) proveAgain(ctx context.Context, p access.Principal, current *string) error {
	if current != nil {
		user, err := s.user(ctx, p.User.ID)
		if err != nil {
			return err
		}
		return s.passwords.proveAgain(ctx, user, p.ClientID, *current)
	}
	client, _, err := s.store.Client(ctx, p.ClientID)
	if err != nil && !unknown(err) {
		return err
	}
	if err == nil && client.ProvedAt != nil && s.now().Sub(client.ProvedAt.Time) < proofLife {
		return nil
	}
	return kappa.NewError(kappa.CodeForbidden, "A new password takes the one before it in current_password, or a login within the last five minutes")
}
