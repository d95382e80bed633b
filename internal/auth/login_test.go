package auth

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

func TestLogin(t *testing.T) {
	t.Run("makes a client with a secret of its own", func(t *testing.T) {
		s, m := newService(t)
		client, secret := logIn(t, s, "")
		if !regexp.MustCompile(`^kg-cli-admin-[0-9a-f]{8}$`).MatchString(client.ClientID) {
			t.Errorf("client id %q", client.ClientID)
		}
		if client.Name != "kg CLI (admin)" || !slices.Equal(client.Scopes, []string{"read:*", "write:*"}) || client.UserID != access.AdminUserID {
			t.Errorf("client %+v", client)
		}
		if len(secret) != 43 {
			t.Errorf("the secret has %d characters, want 43 for 256 bits", len(secret))
		}
		if _, other := logIn(t, s, ""); other == secret {
			t.Error("two clients have the same secret")
		}
		if m.users[access.AdminUserID].LastLogin == nil {
			t.Error("the login was not recorded")
		}
	})

	t.Run("takes the name in any case, a client name and scopes", func(t *testing.T) {
		s, _ := newService(t)
		client, _, err := s.Login(t.Context(), access.Login{
			Username: "ADMIN", Password: password, ClientName: "laptop", Scopes: " read:*  admin:* read:*",
		})
		if err != nil || client.Name != "laptop" || !slices.Equal(client.Scopes, []string{"read:*", "admin:*"}) {
			t.Errorf("client %+v, err %v", client, err)
		}
	})

	t.Run("draws another id when one is taken", func(t *testing.T) {
		s, m := newService(t)
		m.taken = idTries - 1
		logIn(t, s, "")
		m.taken = idTries
		_, _, err := s.Login(t.Context(), access.Login{Username: "admin", Password: password})
		wantError(t, err, kappa.CodeConflict, "")
	})
}

func TestLoginRefuses(t *testing.T) {
	const wrong = "Invalid username or password"
	for _, c := range []struct {
		name    string
		in      access.Login
		code    kappa.Code
		message string
	}{
		{"a wrong password", access.Login{Username: "admin", Password: "wrong"}, kappa.CodeUnauthenticated, wrong},
		{"no password", access.Login{Username: "admin"}, kappa.CodeUnauthenticated, wrong},
		{"an unknown user", access.Login{Username: "nobody", Password: password}, kappa.CodeUnauthenticated, wrong},
		{"a name that cannot exist", access.Login{Username: "ad\x00min", Password: password}, kappa.CodeInvalid, "username: must not contain control characters"},
		{"a name that is too long", access.Login{Username: strings.Repeat("é", 101), Password: password}, kappa.CodeInvalid, "username: must have at most 100 characters, got 101"},
		{"system, which has no password", access.Login{Username: "system"}, kappa.CodeUnauthenticated, wrong},
		{
			"an unknown scope",
			access.Login{Username: "admin", Password: password, Scopes: "read:* root:*"},
			kappa.CodeMalformed, "Invalid scopes requested. Allowed: read:*, write:*, admin:*",
		},
		{
			"a client name with control characters",
			access.Login{Username: "admin", Password: password, ClientName: "a\nb"},
			kappa.CodeInvalid, "client_name: must not contain control characters",
		},
		{
			"a client name that is too long",
			access.Login{Username: "admin", Password: password, ClientName: strings.Repeat("é", 201)},
			kappa.CodeInvalid, "client_name: must have at most 200 characters, got 201",
		},
		{
			"a client name that is not text",
			access.Login{Username: "admin", Password: password, ClientName: "\xff"},
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
		m.users[access.AdminUserID].Disabled = true
		_, _, err := s.Login(t.Context(), access.Login{Username: "admin", Password: password})
		wantError(t, err, kappa.CodeForbidden, "User account is disabled")
		_, _, err = s.Login(t.Context(), access.Login{Username: "admin", Password: "wrong"})
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
					if err := s.all.Accounts.passwords.hasher.acquire(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				_, _, err := s.Login(t.Context(), access.Login{Username: username, Password: password})
				wantError(t, err, kappa.CodeUnavailable, "Too many logins at once; try again")
			})
		})
	}
}

func TestLoginThrottle(t *testing.T) {
	fail := func(t *testing.T, s *service, username, address string) error {
		t.Helper()
		_, _, err := s.Login(t.Context(), access.Login{Username: username, Password: "wrong", Address: address})
		return err
	}

	// logInFrom logs the admin in with the right password.
	logInFrom := func(t *testing.T, s *service, address string) error {
		t.Helper()
		_, _, err := s.Login(t.Context(), access.Login{Username: "Admin", Password: password, Address: address})
		return err
	}

	t.Run("an account is held up where too many logins failed, and nowhere else", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			for i := range pairRate.burst {
				wantError(t, fail(t, s, "admin", fmt.Sprintf("192.0.2.1:%d", 4000+i)), kappa.CodeUnauthenticated, "")
			}
			err := logInFrom(t, s, "192.0.2.1:4711")
			wantError(t, err, kappa.CodeRateLimited, "")
			if e, ok := errors.AsType[*kappa.Error](err); ok && e.RetryAfter != pairRate.refill {
				t.Errorf("try again after %v, want %v", e.RetryAfter, pairRate.refill)
			}
			wantError(t, fail(t, s, "somebody", "192.0.2.1"), kappa.CodeUnauthenticated, "")
			if err := logInFrom(t, s, "192.0.2.2"); err != nil {
				t.Errorf("from another address: %v", err)
			}
			time.Sleep(pairRate.refill)
			if err := logInFrom(t, s, "192.0.2.1"); err != nil {
				t.Errorf("after a refill: %v", err)
			}
		})
	})

	// A stranger is one subscriber: an IPv4 address, or a network of IPv6 addresses.
	for name, stranger := range map[string]func(i int) string{
		"with one address":    func(int) string { return "198.51.100.7" },
		"with a /56 network":  func(i int) string { return fmt.Sprintf("2001:db8:1:%02x::%x", i%256, i) },
		"with many addresses": func(i int) string { return fmt.Sprintf("2001:db8:1:2::%x", i) },
	} {
		t.Run("a stranger "+name+" does not lock out an account", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _ := newService(t)
				tries := 0
				for range 14 {
					for range 59 {
						_ = fail(t, s, "admin", stranger(tries))
						tries++
						time.Sleep(500 * time.Millisecond)
					}
					if err := logInFrom(t, s, fmt.Sprintf("192.0.2.%d", 1+tries%250)); err != nil {
						t.Errorf("after %d tries of the stranger: %v", tries, err)
					}
				}
			})
		})
	}

	t.Run("many strangers do not lock out an account where it has logged in", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			if err := logInFrom(t, s, "192.0.2.1"); err != nil {
				t.Fatal(err)
			}
			tried := 0
			for i := range 3 * accountRate.burst {
				if kappa.ErrorCode(fail(t, s, "admin", fmt.Sprintf("10.0.%d.%d", i/250, i%250))) == kappa.CodeUnauthenticated {
					tried++
				}
			}
			if tried != accountRate.burst {
				t.Errorf("%d passwords were tried, want %d", tried, accountRate.burst)
			}
			wantError(t, logInFrom(t, s, "192.0.2.2"), kappa.CodeRateLimited, "")
			for range networkRate.burst {
				_ = fail(t, s, "somebody else", "192.0.2.1")
			}
			for range 20 {
				if err := logInFrom(t, s, "192.0.2.1:1"); err != nil {
					t.Error(err)
				}
			}
			for range pairRate.burst {
				wantError(t, fail(t, s, "admin", "192.0.2.1"), kappa.CodeUnauthenticated, "")
			}
			wantError(t, fail(t, s, "admin", "192.0.2.1"), kappa.CodeRateLimited, "")
			time.Sleep(accountRate.refill)
			if err := logInFrom(t, s, "192.0.2.2"); err != nil {
				t.Error(err)
			}
		})
	})

	t.Run("an address is held up whoever it tries", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			for i := range networkRate.burst {
				wantError(t, fail(t, s, strings.Repeat("u", i+3), "192.0.2.1:4000"), kappa.CodeUnauthenticated, "")
			}
			wantError(t, fail(t, s, "admin", "192.0.2.1:4001"), kappa.CodeRateLimited, "")
			wantError(t, fail(t, s, "admin", "192.0.2.2:4000"), kappa.CodeUnauthenticated, "")
		})
	})

	t.Run("what is refused for an account does not count for the address", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			for range pairRate.burst {
				wantError(t, fail(t, s, "admin", "192.0.2.1"), kappa.CodeUnauthenticated, "")
			}
			for range networkRate.burst {
				wantError(t, fail(t, s, "admin", "192.0.2.1"), kappa.CodeRateLimited, "")
			}
			wantError(t, fail(t, s, "somebody", "192.0.2.1"), kappa.CodeUnauthenticated, "")
		})
	})

	t.Run("logins that succeed are not counted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, _ := newService(t)
			for range networkRate.burst + 1 {
				logIn(t, s, "")
			}
		})
	})

	t.Run("a failure of the store is not counted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, m := newService(t)
			m.err = errors.New("down")
			for range networkRate.burst + 1 {
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
		codes := make(chan kappa.Code, 2*pairRate.burst)
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
		if tried != pairRate.burst {
			t.Errorf("%d passwords were tried, want %d", tried, pairRate.burst)
		}
	})
}
