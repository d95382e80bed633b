package auth

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// signIn signs the admin in.
func signIn(t *testing.T, s *service) string {
	t.Helper()
	user, text, expires, err := s.all.Sessions.SignIn(t.Context(), access.Login{Username: "admin", Password: password})
	if err != nil || user.Username != "admin" || !expires.Equal(time.Now().Add(12*time.Hour).Truncate(time.Microsecond)) && time.Until(expires.Time) > 12*time.Hour {
		t.Fatalf("signed in as %+v until %v, err %v", user, expires, err)
	}
	return text
}

func TestSession(t *testing.T) {
	t.Run("acts for its user until it is signed out", func(t *testing.T) {
		s, _ := newService(t)
		text := signIn(t, s)
		p, err := s.all.Sessions.Session(t.Context(), text, true)
		if err != nil || p.User.ID != access.AdminUserID || !p.InScope("x:write") {
			t.Fatalf("acts for %+v, err %v", p, err)
		}
		if err := s.all.Tokens.Reexamine(t.Context(), p); err != nil {
			t.Fatalf("its streams end: %v", err)
		}
		if err := s.all.Sessions.SignOut(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		_, err = s.all.Sessions.Session(t.Context(), text, true)
		wantError(t, err, kappa.CodeUnauthenticated, "The session has ended; sign in again")
		if kappa.ErrorCode(s.all.Tokens.Reexamine(t.Context(), p)) != kappa.CodeUnauthenticated {
			t.Error("its streams go on after it was signed out")
		}
	})
	t.Run("is refused where it is not whole, and as anything else", func(t *testing.T) {
		s, _ := newService(t)
		text := signIn(t, s)
		for _, wrong := range []string{"", "kgs_", text[1:], text[:len(text)-1] + "!", text[:sessionIDLength], text[:sessionIDLength] + "_", "kgs_000000000000000000000000" + text[sessionIDLength:]} {
			_, err := s.all.Sessions.Session(t.Context(), wrong, true)
			wantError(t, err, kappa.CodeUnauthenticated, "")
		}
		if _, err := s.Authenticate(t.Context(), text); kappa.ErrorCode(err) != kappa.CodeUnauthenticated {
			t.Errorf("it is a bearer too: %v", err)
		}
		_, err := s.Token(t.Context(), access.TokenRequest{GrantType: "client_credentials", ClientID: text[:sessionIDLength], ClientSecret: text[sessionIDLength+1:]})
		wantError(t, err, kappa.CodeUnauthenticated, "")
		if _, _, _, err := s.all.Sessions.SignIn(t.Context(), access.Login{Username: "admin", Password: "wrong"}); kappa.ErrorCode(err) != kappa.CodeUnauthenticated {
			t.Errorf("a wrong password: %v", err)
		}
	})
	t.Run("is listed to its user and ended from another one", func(t *testing.T) {
		s, _ := newService(t)
		first, second := signIn(t, s), signIn(t, s)
		p, err := s.all.Sessions.Session(t.Context(), first, true)
		if err != nil {
			t.Fatal(err)
		}
		open, err := s.all.Sessions.Open(t.Context(), p)
		if err != nil || len(open) != 2 || !open[0].Current || open[1].Current || open[1].ID != second[:sessionIDLength] || open[1].Browser != "console" {
			t.Fatalf("listed %+v, err %v", open, err)
		}
		if err := s.all.Sessions.End(t.Context(), p, second[:sessionIDLength]); err != nil {
			t.Fatal(err)
		}
		_, err = s.all.Sessions.Session(t.Context(), second, true)
		wantError(t, err, kappa.CodeUnauthenticated, "The session has ended; sign in again")
		wantError(t, s.all.Sessions.End(t.Context(), p, second[:sessionIDLength]), kappa.CodeNotFound, "Session not found, or it has ended")
		other := p
		other.User.ID++
		wantError(t, s.all.Sessions.End(t.Context(), other, first[:sessionIDLength]), kappa.CodeNotFound, "Session not found, or it has ended")
	})
	t.Run("ends after a time without use, and in any case", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			text := signIn(t, s)
			use := func(after time.Duration, used bool) error {
				time.Sleep(after) // fake time: returns at once
				_, err := s.all.Sessions.Session(t.Context(), text, used)
				return err
			}
			if err := use(11*time.Hour, true); err != nil {
				t.Fatalf("within its time: %v", err)
			}
			if err := use(11*time.Hour, false); err != nil {
				t.Fatalf("it was used 11 hours ago: %v", err)
			}
			if err := use(2*time.Hour, true); kappa.ErrorCode(err) != kappa.CodeUnauthenticated {
				t.Errorf("13 hours after its last use, an open stream apart: %v", err)
			}
			text = signIn(t, s)
			var err error
			hours := 0
			for ; err == nil && hours < 1000; hours++ {
				err = use(time.Hour, true)
			}
			if hours != 7*24 {
				t.Errorf("a session in use ended after %d hours, want 168", hours)
			}
		})
	})
}
