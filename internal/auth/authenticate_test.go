package auth

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

func TestReexamine(t *testing.T) {
	t.Run("an unchanged principal is good until its token is void", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			client, token := newToken(t, s, "")
			p, err := s.Authenticate(t.Context(), token)
			if err != nil || p.TokenID == "" || p.Generation != client.Generation {
				t.Fatalf("authenticated %+v, err %v", p, err)
			}
			time.Sleep(time.Until(p.ExpiresAt.Time) - time.Millisecond)
			if err := s.Reexamine(t.Context(), p); err != nil {
				t.Errorf("just before: %v", err)
			}
			if _, err := s.Authenticate(t.Context(), token); err != nil {
				t.Errorf("just before, the token itself: %v", err)
			}
			time.Sleep(time.Millisecond)
			wantError(t, s.Reexamine(t.Context(), p), kappa.CodeUnauthenticated, "Could not validate credentials")
			_, err = s.Authenticate(t.Context(), token)
			wantError(t, err, kappa.CodeUnauthenticated, "Could not validate credentials")
		})
	})

	for _, c := range []struct {
		name    string
		change  func(m *memory, p access.Principal)
		code    kappa.Code
		message string
	}{
		{"a deleted client", func(m *memory, _ access.Principal) { m.clients = nil }, kappa.CodeUnauthenticated, "Could not validate credentials"},
		{"a new secret", func(m *memory, _ access.Principal) { m.clients[0].Generation++ }, kappa.CodeUnauthenticated, "Could not validate credentials"},
		{"a revoked token", func(m *memory, p access.Principal) { m.revoked[p.TokenID] = p.ExpiresAt.Time }, kappa.CodeUnauthenticated, "Could not validate credentials"},
		{"another user's client", func(m *memory, _ access.Principal) { m.clients[0].UserID = access.SystemUserID }, kappa.CodeUnauthenticated, "Could not validate credentials"},
		{"a disabled user", func(m *memory, p access.Principal) { m.users[p.User.ID].Disabled = true }, kappa.CodeForbidden, "User account is disabled"},
		{"another role", func(m *memory, p access.Principal) { m.users[p.User.ID].Role = "read_only" }, kappa.CodeForbidden, "The role of the user has changed"},
		{"a failing store", func(m *memory, _ access.Principal) { m.err = kappa.NewError(kappa.CodeUnavailable, "down") }, kappa.CodeUnavailable, "down"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, m := newService(t)
			p := newPrincipal(t, s)
			if err := s.Reexamine(t.Context(), p); err != nil {
				t.Fatalf("before: %v", err)
			}
			c.change(m, p)
			wantError(t, s.Reexamine(t.Context(), p), c.code, c.message)
		})
	}
}

func TestEpoch(t *testing.T) {
	s, m := newService(t)
	m.epoch = 7
	if epoch, err := s.Epoch(t.Context()); err != nil || epoch != 7 {
		t.Errorf("epoch %d, err %v", epoch, err)
	}
	m.err = kappa.NewError(kappa.CodeUnavailable, "down")
	_, err := s.Epoch(t.Context())
	wantError(t, err, kappa.CodeUnavailable, "down")
}
