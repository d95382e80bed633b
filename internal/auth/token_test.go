package auth

import (
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

func TestToken(t *testing.T) {
	s, _ := newService(t)
	client, secret := logIn(t, s, "read:* write:*")
	for _, c := range []struct {
		name, scope, want string
	}{
		{"has all scopes of the client unless asked", "", "read:* write:*"},
		{"may have fewer", "read:*", "read:*"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := tokenRequest(client, secret)
			in.Scope = c.scope
			token, err := s.Token(t.Context(), in)
			if err != nil || token.Scope != c.want || token.ExpiresIn != 3600 {
				t.Fatalf("scope %q for %d s, err %v", token.Scope, token.ExpiresIn, err)
			}
			p, err := s.Authenticate(t.Context(), token.AccessToken)
			if err != nil || p.ClientID != client.ClientID || p.User.ID != access.AdminUserID || p.User.Role != access.RolePlatformAdmin {
				t.Errorf("acts for %+v, err %v", p, err)
			}
			if p.InScope("x:write") != (c.want != "read:*") {
				t.Errorf("scopes %v", p.Scopes)
			}
		})
	}
}

func TestTokenRefuses(t *testing.T) {
	s, m := newService(t)
	client, secret := logIn(t, s, "read:*")
	for _, c := range []struct {
		name    string
		change  func(in *access.TokenRequest)
		oauth   string
		code    kappa.Code
		message string // "" for any
	}{
		{"no grant type", func(in *access.TokenRequest) { in.GrantType = "" }, "invalid_request", kappa.CodeMalformed, "grant_type is required"},
		{"another grant type", func(in *access.TokenRequest) { in.GrantType = "password" }, "unsupported_grant_type", kappa.CodeMalformed, ""},
		{"no client", func(in *access.TokenRequest) { in.ClientID = "" }, "invalid_request", kappa.CodeMalformed, "client_id is required"},
		{"no secret", func(in *access.TokenRequest) { in.ClientSecret = "" }, "invalid_request", kappa.CodeMalformed, "client_secret is required"},
		{"an unknown client", func(in *access.TokenRequest) { in.ClientID = "X" }, "invalid_client", kappa.CodeUnauthenticated, "Invalid client credentials"},
		{"a wrong secret", func(in *access.TokenRequest) { in.ClientSecret += "x" }, "invalid_client", kappa.CodeUnauthenticated, "Invalid client credentials"},
		{"a scope the client lacks", func(in *access.TokenRequest) { in.Scope = "read:* write:*" }, "invalid_scope", kappa.CodeMalformed, ""},
		{"a scope that does not exist", func(in *access.TokenRequest) { in.Scope = "root" }, "invalid_scope", kappa.CodeMalformed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := tokenRequest(client, secret)
			c.change(&in)
			token, err := s.Token(t.Context(), in)
			if token != (access.Token{}) {
				t.Error("got a token")
			}
			wantError(t, err, c.code, c.message)
			if refusal, ok := errors.AsType[*OAuthError](err); !ok || refusal.Name != c.oauth || refusal.OAuthError() != c.oauth {
				t.Errorf("got %v, want the OAuth error %s", err, c.oauth)
			}
		})
	}

	t.Run("a disabled user", func(t *testing.T) {
		m.users[access.AdminUserID].Disabled = true
		_, err := s.Token(t.Context(), tokenRequest(client, secret))
		wantError(t, err, kappa.CodeUnauthenticated, "User account is disabled")
	})

	t.Run("a failing store is no refusal", func(t *testing.T) {
		m.err = kappa.NewError(kappa.CodeUnavailable, "down")
		_, err := s.Token(t.Context(), tokenRequest(client, secret))
		wantError(t, err, kappa.CodeUnavailable, "down")
		if refusal, ok := errors.AsType[*OAuthError](err); ok {
			t.Errorf("got the OAuth error %s", refusal.Name)
		}
	})
}

func TestTokenWritesOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := newService(t)
		client, secret := logIn(t, s, "")
		get := func() {
			if _, err := s.Token(t.Context(), tokenRequest(client, secret)); err != nil {
				t.Fatal(err)
			}
		}
		for range 100 {
			get()
		}
		if m.touches != 1 {
			t.Errorf("100 tokens wrote %d times, want 1", m.touches)
		}
		time.Sleep(touchEvery)
		get()
		if m.touches != 2 {
			t.Errorf("after a minute %d writes, want 2", m.touches)
		}
	})
}

func TestAuthenticate(t *testing.T) {
	t.Run("nothing", func(t *testing.T) {
		s, _ := newService(t)
		_, err := s.Authenticate(t.Context(), "")
		wantError(t, err, kappa.CodeUnauthenticated, "Not authenticated")
	})

	t.Run("an expired token", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			_, token := newToken(t, s, "")
			time.Sleep(tokenLife - time.Second)
			if _, err := s.Authenticate(t.Context(), token); err != nil {
				t.Errorf("just before the end: %v", err)
			}
			time.Sleep(2*time.Second + clockLeeway)
			_, err := s.Authenticate(t.Context(), token)
			wantError(t, err, kappa.CodeUnauthenticated, "Could not validate credentials")
		})
	})

	t.Run("a token of a disabled user", func(t *testing.T) {
		s, m := newService(t)
		_, token := newToken(t, s, "")
		m.users[access.AdminUserID].Disabled = true
		_, err := s.Authenticate(t.Context(), token)
		wantError(t, err, kappa.CodeForbidden, "User account is disabled")
	})

	t.Run("a token whose client now belongs to another user", func(t *testing.T) {
		s, m := newService(t)
		addStranger(t, m)
		client, token := newToken(t, s, "")
		m.clients[m.indexLocked(client.ClientID)].UserID = 1001
		_, err := s.Authenticate(t.Context(), token)
		wantError(t, err, kappa.CodeUnauthenticated, "Could not validate credentials")
	})

	t.Run("a token of another server of the installation", func(t *testing.T) {
		s, m := newService(t)
		_, token := newToken(t, s, "")
		if _, err := serviceOn(t, m, s.log).Authenticate(t.Context(), token); err != nil {
			t.Error(err)
		}
	})

	t.Run("a token of another installation", func(t *testing.T) {
		s, m := newService(t)
		_, token := newToken(t, s, "")
		m.secrets[keyName] = randomBytes(signKeyBytes)
		_, err := serviceOn(t, m, s.log).Authenticate(t.Context(), token)
		wantError(t, err, kappa.CodeUnauthenticated, "Could not validate credentials")
	})

	t.Run("a failing store does not make a token invalid", func(t *testing.T) {
		s, m := newService(t)
		_, token := newToken(t, s, "")
		m.err = kappa.NewError(kappa.CodeUnavailable, "down")
		_, err := s.Authenticate(t.Context(), token)
		wantError(t, err, kappa.CodeUnavailable, "down")
	})

	t.Run("a key that is too short signs nothing", func(t *testing.T) {
		m := newMemory()
		m.secrets[keyName] = []byte("short")
		s := serviceOn(t, m, slog.New(slog.DiscardHandler))
		_, err := s.Authenticate(t.Context(), "x")
		wantError(t, err, kappa.CodeInternal, "")
	})
}

func TestRevoke(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := newService(t)
		client, secret := logIn(t, s, "")
		tokens := make([]string, 2)
		for i := range tokens {
			token, err := s.Token(t.Context(), tokenRequest(client, secret))
			if err != nil {
				t.Fatal(err)
			}
			tokens[i] = token.AccessToken
		}
		for _, token := range []string{tokens[0], tokens[0], "", "unknown", tokens[0] + "x"} {
			if err := s.Revoke(t.Context(), token); err != nil {
				t.Errorf("revoke: %v", err)
			}
		}
		_, err := s.Authenticate(t.Context(), tokens[0])
		wantError(t, err, kappa.CodeUnauthenticated, "Could not validate credentials")
		if _, err := s.Authenticate(t.Context(), tokens[1]); err != nil {
			t.Errorf("the other token: %v", err)
		}
		if len(m.revoked) != 1 {
			t.Errorf("%d tokens are noted as revoked, want 1", len(m.revoked))
		}

		time.Sleep(tokenLife + clockLeeway)
		if err := s.Purge(t.Context()); err != nil || len(m.revoked) != 1 {
			t.Errorf("a token that could still pass was forgotten, err %v", err)
		}
		time.Sleep(time.Second)
		if err := s.Purge(t.Context()); err != nil || len(m.revoked) != 0 {
			t.Errorf("%d expired tokens are kept, err %v", len(m.revoked), err)
		}
		if err := s.Revoke(t.Context(), tokens[1]); err != nil || len(m.revoked) != 0 {
			t.Errorf("an expired token was noted, err %v", err)
		}
	})
}
