package postgres_test

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

func TestSessionStore(t *testing.T) {
	s, dsn := newAccounts(t)
	begin := func(id string) {
		t.Helper()
		ends := kappa.At(time.Now().Add(time.Hour))
		_, err := s.Clients().CreateClient(t.Context(), access.OAuthClient{
			ClientID: id, UserID: access.AdminUserID, Scopes: []string{"read:*"}, SecretHash: []byte("sha"), Session: true, ExpiresAt: &ends,
		}, "", 2)
		must(t, err)
	}
	left := func(id string) time.Duration {
		t.Helper()
		c, _, err := s.Clients().Client(t.Context(), id)
		must(t, err)
		if !c.Session || c.Key {
			t.Errorf("%s is %+v, want a session", id, c)
		}
		return time.Until(c.ExpiresAt.Time)
	}
	addClient(t, s, "program")
	for _, id := range []string{"first", "second", "third"} {
		begin(id)
	}
	t.Run("sessions count among sessions only, and are no clients of programs", func(t *testing.T) {
		_, _, err := s.Clients().Client(t.Context(), "first")
		wantCode(t, err, kappa.CodeNotFound, "")
		list, err := s.Clients().Clients(t.Context(), access.AdminUserID)
		must(t, err)
		if len(list) != 1 || list[0].ClientID != "program" {
			t.Errorf("clients %+v, want program", list)
		}
	})
	t.Run("one that is used lasts longer, and no longer than it may", func(t *testing.T) {
		must(t, s.Clients().TouchSession(t.Context(), "second", 12*time.Hour, 24*time.Hour))
		if d := left("second"); d < 11*time.Hour || d > 12*time.Hour {
			t.Errorf("it lasts %v, want 12h", d)
		}
		must(t, s.Clients().TouchSession(t.Context(), "second", 12*time.Hour, 2*time.Hour))
		if d := left("second"); d > 2*time.Hour {
			t.Errorf("it lasts %v, want 2h at most", d)
		}
	})
	t.Run("one that has ended stays so, acts for nobody, and is forgotten", func(t *testing.T) {
		alter(t, dsn, "UPDATE kg_api.oauth_clients SET expires_at = clock_timestamp() - interval '1 second' WHERE client_id = 'third'")
		must(t, s.Clients().TouchSession(t.Context(), "third", time.Hour, 24*time.Hour))
		if left("third") > 0 {
			t.Error("its use has brought it back")
		}
		_, _, err := s.Tokens().TokenUser(t.Context(), "third", 1, "")
		wantCode(t, err, kappa.CodeNotFound, "")
		must(t, s.Clients().PurgeSessions(t.Context()))
		_, _, err = s.Clients().Client(t.Context(), "third")
		wantCode(t, err, kappa.CodeNotFound, "")
		left("second")
	})
}
