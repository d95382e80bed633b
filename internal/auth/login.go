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
func (s *Clients) Login(ctx context.Context, in access.Login) (client access.OAuthClient, secret string, err error) {
	scopes, err := clientScopes(in.Scopes)
	if err != nil {
		return access.OAuthClient{}, "", err
	}
	usernameErr := checkText("username", in.Username, access.MaxUsername)
	if err := kappa.JoinInvalid(usernameErr, checkText("client_name", in.ClientName, maxClientName)); err != nil {
		return access.OAuthClient{}, "", err
	}
	user, err := s.passwords.proveActive(ctx, in)
	if err != nil {
		return access.OAuthClient{}, "", err
	}
	ctx = actingAs(ctx, user)
	client, secret, err = s.createClient(ctx, user, "", in.ClientName, scopes, kappa.AtPtr(new(s.now())))
	if err != nil {
		return access.OAuthClient{}, "", err
	}
	s.passwords.record(ctx, user, access.LoginRecord{Address: in.Address, ClientID: client.ClientID})
	return client, secret, nil
}

// actingAs has what is recorded from now on name the user that has just logged in.
func actingAs(ctx context.Context, user access.User) context.Context {
	actor, _ := access.ActorOf(ctx)
	actor.UserID, actor.Username = user.ID, user.Username
	return access.WithActor(ctx, actor)
}
