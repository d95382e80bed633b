package accounts

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake keeps no clients, but answers as if it did.
type fake struct {
	err       error // what everything fails with, if set
	logins    []access.Login
	signedOut int
	ended     []string // sessions
}

func newServer(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return apitest.ServeWith(t, http.Config{Sessions: f}, New(Config{Clients: f, Tokens: f, Sessions: f}))
}

func (f *fake) Login(_ context.Context, in access.Login) (access.OAuthClient, string, error) {
	f.logins = append(f.logins, in)
	if in.Password != "right" {
		return access.OAuthClient{}, "", kappa.NewError(kappa.CodeUnauthenticated, "Invalid username or password")
	}
	return access.OAuthClient{ClientID: "kg-cli-admin-00000000", Scopes: []string{"read:*"}, UserID: access.AdminUserID}, "secret", nil
}

// refusal is an error with a name in OAuth.
type refusal struct{ name string }

func (r refusal) Error() string      { return r.name }
func (r refusal) OAuthError() string { return r.name }
func (r refusal) Unwrap() error {
	if r.name == "invalid_client" {
		return kappa.NewError(kappa.CodeUnauthenticated, "Invalid client credentials")
	}
	return kappa.NewError(kappa.CodeMalformed, "grant_type must be client_credentials")
}

func (f *fake) Token(_ context.Context, in access.TokenRequest) (access.Token, error) {
	switch {
	case in.GrantType != "client_credentials":
		return access.Token{}, refusal{"unsupported_grant_type"}
	case in.ClientSecret != "secret":
		return access.Token{}, refusal{"invalid_client"}
	}
	return access.Token{AccessToken: apitest.Good, ExpiresIn: 3600, Scope: "read:* write:*"}, f.err
}

func (f *fake) Revoke(context.Context, string) error { return f.err }

func (f *fake) Clients(context.Context, int) ([]access.OAuthClient, error) { return nil, f.err }

func (f *fake) NewClient(context.Context, access.Principal, string, string) (access.OAuthClient, string, error) {
	return access.OAuthClient{}, "secret", f.err
}

func (f *fake) DeleteClient(_ context.Context, _ access.Principal, id string) error {
	if id == "unknown" {
		return errNoClient(id)
	}
	return f.err
}

func (f *fake) RotateSecret(context.Context, access.Principal, string) (access.OAuthClient, string, kappa.Time, error) {
	return access.OAuthClient{}, "secret", kappa.Time{}, f.err
}

// strict is a fake that no request reaches that breaks a rule.
type strict struct {
	*fake
	apitest.Fuzzer
}

func newStrict(t testing.TB) *strict {
	s := &strict{fake: &fake{}}
	s.Begin(t, New(Config{Clients: s, Tokens: s, Sessions: s}))
	return s
}

func (s *strict) DeleteClient(_ context.Context, _ access.Principal, id string) error {
	s.Allow(s.NameInPath(id), id)
	return nil
}

func (s *strict) RotateSecret(_ context.Context, _ access.Principal, id string) (access.OAuthClient, string, kappa.Time, error) {
	s.Allow(s.NameInPath(id), id)
	return access.OAuthClient{ClientID: id}, "secret", kappa.Time{}, nil
}

func (f *fake) SignIn(_ context.Context, in access.Login) (access.User, string, kappa.Time, error) {
	f.logins = append(f.logins, in)
	if in.Password != "right" {
		return access.User{}, "", kappa.Time{}, kappa.NewError(kappa.CodeUnauthenticated, "Invalid username or password")
	}
	return access.User{ID: access.AdminUserID, Username: in.Username, Role: access.RolePlatformAdmin}, goodSession, kappa.At(time.Now().Add(time.Hour)), f.err
}

func (f *fake) SignOut(context.Context, access.Principal) error {
	f.signedOut++
	return f.err
}

func (f *fake) Open(_ context.Context, p access.Principal) ([]access.OpenSession, error) {
	return []access.OpenSession{{ID: "kgs_0123456789abcdef01234567", Browser: "Firefox on Linux", Current: p.ClientID != ""}}, f.err
}

func (f *fake) End(_ context.Context, _ access.Principal, id string) error {
	if id != "kgs_0123456789abcdef01234567" {
		return kappa.NewError(kappa.CodeNotFound, "Session not found, or it has ended")
	}
	f.ended = append(f.ended, id)
	return f.err
}

// goodSession is the text of the one session that there is.
const goodSession = "kgs_0123456789abcdef01234567_secret"

// Session knows goodSession.
func (f *fake) Session(_ context.Context, text string, _ bool) (access.Principal, error) {
	if text != goodSession {
		return access.Principal{}, kappa.NewError(kappa.CodeUnauthenticated, "The session has ended; sign in again")
	}
	return access.Principal{
		User:   access.User{ID: access.AdminUserID, Username: "admin", Role: access.RolePlatformAdmin},
		Scopes: []string{access.ScopeRead, access.ScopeWrite}, ClientID: text[:28], ExpiresAt: kappa.At(time.Now().Add(time.Hour)),
	}, nil
}
