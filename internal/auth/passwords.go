package auth

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// passwordStore keeps the hashes of passwords, and who has given which in vain.
type passwordStore interface {
	UserByName(ctx context.Context, username string) (u access.User, passwordHash string, err error)
	// RecordLogin records a login: when it failed, with the user whose password was wrong,
	// or the zero User for a name that nobody has.
	RecordLogin(ctx context.Context, u access.User, l access.LoginRecord) error
}

// passwords proves who somebody is, and counts attempts in vain. The attempts and the hasher
// have locks of their own.
type passwords struct {
	store    passwordStore
	hasher   *hasher
	attempts *attempts
	log      *slog.Logger
}

// record records a login. One that cannot be recorded counts all the same: the log
// has it.
func (s *passwords) record(ctx context.Context, u access.User, l access.LoginRecord) {
	if err := s.store.RecordLogin(ctx, u, l); err != nil {
		s.log.WarnContext(ctx, "login not recorded", "user", u.ID, "address", l.Address, "failed", l.Failed, "err", err)
	}
}

// prove returns the user with that name if it has that password. Only a
// wrong password or name counts as a failure.
func (s *passwords) prove(ctx context.Context, in access.Login) (access.User, error) {
	try, err := s.attempts.begin(in.Username, in.Address)
	if err != nil {
		return access.User{}, err
	}
	user, stored, err := s.store.UserByName(ctx, in.Username)
	if err != nil && !unknown(err) {
		try.cancel()
		return access.User{}, err
	}
	ok, err := s.hasher.matches(ctx, in.Password, stored)
	if err != nil {
		try.cancel()
		return access.User{}, err
	}
	if !ok {
		// Not the name that was given: people type passwords there.
		s.log.WarnContext(ctx, "login failed", "user", user.ID, "address", in.Address)
		s.record(ctx, user, access.LoginRecord{Address: in.Address, Failed: true})
		return access.User{}, kappa.NewError(kappa.CodeUnauthenticated, "Invalid username or password")
	}
	try.succeed()
	return user, nil
}

// proveActive is prove for a user who may act: it returns a CodeForbidden Error for one who is
// disabled.
func (s *passwords) proveActive(ctx context.Context, in access.Login) (access.User, error) {
	user, err := s.prove(ctx, in)
	if err != nil {
		return access.User{}, err
	}
	if user.Disabled {
		s.record(ctx, user, access.LoginRecord{Address: in.Address, Failed: true})
		return access.User{}, kappa.NewError(kappa.CodeForbidden, userDisabled)
	}
	return user, nil
}

// proveAgain returns an error unless a password is that of a user who acts through a client.
// Attempts are counted by account, so that they cost no others theirs, and who fails is
// recorded as at a login.
func (s *passwords) proveAgain(ctx context.Context, user access.User, clientID, current string) error {
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
		s.log.WarnContext(ctx, "wrong current password", "user", user.ID, "client", clientID)
		s.record(ctx, user, access.LoginRecord{Address: "PUT /auth/me", ClientID: clientID, Failed: true})
		return kappa.NewError(kappa.CodeForbidden, "current_password is wrong")
	}
	try.succeed()
	return nil
}
