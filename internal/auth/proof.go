package auth

import (
	"context"
	"strconv"
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
func (s *Service) proveAgain(ctx context.Context, p access.Principal, current *string) error {
	if current != nil {
		return s.proveCurrent(ctx, p, *current)
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

// proveCurrent returns an error unless a password is that of p's user. Attempts are counted
// by account, so that they cost no others theirs, and who fails is recorded as at a login.
func (s *Service) proveCurrent(ctx context.Context, p access.Principal, current string) error {
	user, err := s.user(ctx, p.User.ID)
	if err != nil {
		return err
	}
	place := "account " + strconv.Itoa(user.ID)
	try, err := s.attempts.begin(user.Username, place)
	if err != nil {
		return err
	}
	_, stored, err := s.store.UserByName(ctx, user.Username)
	if err != nil {
		try.cancel()
		return err
	}
	ok, err := s.hasher.matches(ctx, current, stored)
	if err != nil {
		try.cancel()
		return err
	}
	if !ok {
		s.log.WarnContext(ctx, "wrong current password", "user", user.ID, "client", p.ClientID)
		s.recordLogin(ctx, user, access.LoginRecord{Address: "PUT /auth/me", ClientID: p.ClientID, Failed: true})
		return kappa.NewError(kappa.CodeForbidden, "current_password is wrong")
	}
	try.succeed()
	return nil
}
