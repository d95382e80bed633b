package auth

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// Login checks a username and password and creates a client of that user. Its
// secret is returned this once. A user keeps at most access.MaxUserClients; the
// one that was not used for the longest time goes first.
//
// It returns a CodeUnauthenticated Error for an unknown user and a wrong password
// alike, and takes as long for both; a CodeForbidden Error when the user is
// disabled; a CodeMalformed Error for scopes that do not exist; a CodeInvalid
// Error for a username or a client name that breaks the rules; a CodeRateLimited Error after
// too many failures for the user or the address; and a CodeUnavailable Error
// when too many others are logging in.
func (s *Service) Login(ctx context.Context, in access.Login) (client access.OAuthClient, secret string, err error) {
	scopes, err := clientScopes(in.Scopes)
	if err != nil {
		return access.OAuthClient{}, "", err
	}
	usernameErr := checkText("username", in.Username, access.MaxUsername)
	if err := kappa.JoinInvalid(usernameErr, checkText("client_name", in.ClientName, maxClientName)); err != nil {
		return access.OAuthClient{}, "", err
	}
	user, err := s.proveUser(ctx, in)
	if err != nil {
		return access.OAuthClient{}, "", err
	}
	if user.Disabled {
		s.recordLogin(ctx, user, access.LoginRecord{Address: in.Address, Failed: true})
		return access.OAuthClient{}, "", kappa.NewError(kappa.CodeForbidden, userDisabled)
	}
	actor, _ := access.ActorOf(ctx)
	actor.UserID, actor.Username = user.ID, user.Username
	ctx = access.WithActor(ctx, actor)
	client, secret, err = s.createClient(ctx, user, "", in.ClientName, scopes, kappa.AtPtr(new(s.now())))
	if err != nil {
		return access.OAuthClient{}, "", err
	}
	s.recordLogin(ctx, user, access.LoginRecord{Address: in.Address, ClientID: client.ClientID})
	return client, secret, nil
}

// recordLogin records a login. One that cannot be recorded counts all the same: the log
// has it.
func (s *Service) recordLogin(ctx context.Context, u access.User, l access.LoginRecord) {
	if err := s.store.RecordLogin(ctx, u, l); err != nil {
		s.log.WarnContext(ctx, "login not recorded", "user", u.ID, "address", l.Address, "failed", l.Failed, "err", err)
	}
}

// proveUser returns the user with that name if it has that password. Only a
// wrong password or name counts as a failure.
func (s *Service) proveUser(ctx context.Context, in access.Login) (access.User, error) {
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
		s.recordLogin(ctx, user, access.LoginRecord{Address: in.Address, Failed: true})
		return access.User{}, kappa.NewError(kappa.CodeUnauthenticated, "Invalid username or password")
	}
	try.succeed()
	return user, nil
}
