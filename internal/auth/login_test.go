package auth

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
)

func TestLogin(t *testing.T) {
	t.Run("makes a client with a secret of its own", func(t *testing.T) {
		s, m := newService(t)
		client, secret := logIn(t, s, "")
		if !regexp.MustCompile(`^kg-cli-admin-[0-9a-f]{8}$`).MatchString(client.ClientID) {
			t.Errorf("client id %q", client.ClientID)
		}
		if client.Name != "kg CLI (admin)" || !slices.Equal(client.Scopes, []string{"read:*", "write:*"}) || client.UserID != kappa.AdminUserID {
			t.Errorf("client %+v", client)
		}
		if len(secret) != 43 {
			t.Errorf("the secret has %d characters, want 43 for 256 bits", len(secret))
		}
		if _, other := logIn(t, s, ""); other == secret {
			t.Error("two clients have the same secret")
		}
		if m.users[kappa.AdminUserID].LastLogin == nil {
			t.Error("the login was not recorded")
		}
	})

	t.Run("takes the name in any case, a client name and scopes", func(t *testing.T) {
		s, _ := newService(t)
		client, _, err := s.Login(t.Context(), kappa.Login{
			Username: "ADMIN", Password: password, ClientName: "laptop", Scopes: " read:*  admin:* read:*",
		})
		if err != nil || client.Name != "laptop" || !slices.Equal(client.Scopes, []string{"read:*", "admin:*"}) {
			t.Errorf("client %+v, err %v", client, err)
		}
	})

	t.Run("draws another id when one is taken", func(t *testing.T) {
		s, m := newService(t)
		m.taken = idDraws - 1
		logIn(t, s, "")
		m.taken = idDraws
		_, _, err := s.Login(t.Context(), kappa.Login{Username: "admin", Password: password})
		wantError(t, err, kappa.CodeConflict, "")
	})
}

func TestLoginRefuses(t *testing.T) {
	const wrong = "Invalid username or password"
	for _, c := range []struct {
		name    string
		in      kappa.Login
		code    kappa.Code
		message string
	}{
		{"a wrong password", kappa.Login{Username: "admin", Password: "wrong"}, kappa.CodeUnauthenticated, wrong},
		{"no password", kappa.Login{Username: "admin"}, kappa.CodeUnauthenticated, wrong},
		{"an unknown user", kappa.Login{Username: "nobody", Password: password}, kappa.CodeUnauthenticated, wrong},
		{"a name that cannot exist", kappa.Login{Username: "ad\x00min", Password: password}, kappa.CodeUnauthenticated, wrong},
		{"system, which has no password", kappa.Login{Username: "system"}, kappa.CodeUnauthenticated, wrong},
		{
			"an unknown scope", kappa.Login{Username: "admin", Password: password, Scopes: "read:* root:*"},
			kappa.CodeMalformed, "Invalid scopes requested. Allowed: read:*, write:*, admin:*",
		},
		{
			"a client name with control characters", kappa.Login{Username: "admin", Password: password, ClientName: "a\nb"},
			kappa.CodeInvalid, "client_name: must not contain control characters",
		},
		{
			"a client name that is too long", kappa.Login{Username: "admin", Password: password, ClientName: strings.Repeat("é", 201)},
			kappa.CodeInvalid, "client_name: must have at most 200 characters, got 201",
		},
		{
			"a client name that is not text", kappa.Login{Username: "admin", Password: password, ClientName: "\xff"},
			kappa.CodeInvalid, "client_name: must be valid UTF-8",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, m := newService(t)
			_, secret, err := s.Login(t.Context(), c.in)
			wantError(t, err, c.code, c.message)
			if secret != "" || len(m.clients) != 0 {
				t.Errorf("made %d clients", len(m.clients))
			}
		})
	}

	t.Run("a disabled user, who learns of it with the right password alone", func(t *testing.T) {
		s, m := newService(t)
		m.users[kappa.AdminUserID].Disabled = true
		_, _, err := s.Login(t.Context(), kappa.Login{Username: "admin", Password: password})
		wantError(t, err, kappa.CodeForbidden, "User account is disabled")
		_, _, err = s.Login(t.Context(), kappa.Login{Username: "admin", Password: "wrong"})
		wantError(t, err, kappa.CodeUnauthenticated, wrong)
	})
}

// TestLoginHashesAlways holds every slot of the hasher: a login that waits for
// one hashes, and so takes as long as any other.
func TestLoginHashesAlways(t *testing.T) {
	for _, username := range []string{"admin", "system", "nobody"} {
		t.Run(username, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _ := newService(t)
				for range hashesAtOnce {
					if err := s.hasher.acquire(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				_, _, err := s.Login(t.Context(), kappa.Login{Username: username, Password: password})
				wantError(t, err, kappa.CodeUnavailable, "Too many logins at once; try again")
			})
		})
	}
}

func TestLoginThrottle(t *testing.T) {
	fail := func(t *testing.T, s *Service, username, address string) error {
		t.Helper()
		_, _, err := s.Login(t.Context(), kappa.Login{Username: username, Password: "wrong", Address: address})
		return err
	}

	t.Run("a user is held up after too many failures from anywhere", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			for i := range userBurst {
				wantError(t, fail(t, s, "admin", strings.Repeat("1", i+1)), kappa.CodeUnauthenticated, "")
			}
			_, _, err := s.Login(t.Context(), kappa.Login{Username: "Admin", Password: password})
			wantError(t, err, kappa.CodeRateLimited, "")
			if e, ok := errors.AsType[*kappa.Error](err); ok && e.RetryAfter != userRefill {
				t.Errorf("try again after %v, want %v", e.RetryAfter, userRefill)
			}
			wantError(t, fail(t, s, "somebody", ""), kappa.CodeUnauthenticated, "")
			time.Sleep(userRefill)
			logIn(t, s, "")
		})
	})

	t.Run("an address is held up whoever it tries", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			for i := range addressBurst {
				wantError(t, fail(t, s, strings.Repeat("u", i+3), "192.0.2.1:4000"), kappa.CodeUnauthenticated, "")
			}
			wantError(t, fail(t, s, "admin", "192.0.2.1:4001"), kappa.CodeRateLimited, "")
			wantError(t, fail(t, s, "admin", "192.0.2.2:4000"), kappa.CodeUnauthenticated, "")
		})
	})

	t.Run("what a user's limit refuses does not count for the address", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			for range userBurst {
				wantError(t, fail(t, s, "admin", "192.0.2.1"), kappa.CodeUnauthenticated, "")
			}
			for range addressBurst {
				wantError(t, fail(t, s, "admin", "192.0.2.1"), kappa.CodeRateLimited, "")
			}
			wantError(t, fail(t, s, "somebody", "192.0.2.1"), kappa.CodeUnauthenticated, "")
		})
	})

	t.Run("logins that succeed are not counted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			for range addressBurst + 1 {
				logIn(t, s, "")
			}
		})
	})

	t.Run("a failure of the store is not counted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, m := newService(t)
			m.err = errors.New("down")
			for range addressBurst + 1 {
				if err := fail(t, s, "admin", ""); !errors.Is(err, m.err) {
					t.Fatal(err)
				}
			}
			m.err = nil
			logIn(t, s, "")
		})
	})

	t.Run("many at once do not slip through", func(t *testing.T) {
		s, _ := newService(t)
		codes := make(chan kappa.Code, 2*userBurst)
		var logins sync.WaitGroup
		for range cap(codes) {
			logins.Go(func() { codes <- kappa.ErrorCode(fail(t, s, "admin", "")) })
		}
		logins.Wait()
		close(codes)
		tried := 0
		for code := range codes {
			if code == kappa.CodeUnauthenticated {
				tried++
			}
		}
		if tried != userBurst {
			t.Errorf("%d passwords were tried, want %d", tried, userBurst)
		}
	})
}
