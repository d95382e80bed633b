package auth

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

const password = "correct horse battery"

// The parts of a service, by names that are no methods of theirs.
type (
	accountsPart = Accounts
	clientsPart  = Clients
	keysPart     = Keys
	tokensPart   = Tokens
	ticketsPart  = Tickets
	rolesPart    = Roles
)

// service is all that a Service does in one, for tests that take it from a login to the end.
type service struct {
	all *Service
	*accountsPart
	*clientsPart
	*keysPart
	*tokensPart
	*ticketsPart
	*rolesPart
}

func (s *service) Bootstrap(ctx context.Context, password string) (string, error) {
	return s.all.Bootstrap(ctx, password)
}

func (s *service) Purge(ctx context.Context) error { return s.all.Purge(ctx) }

// newService returns a service with an admin whose password is password.
func newService(t *testing.T) (*service, *memory) {
	t.Helper()
	m := newMemory()
	s := serviceOn(t, m, slog.New(slog.DiscardHandler))
	if _, err := s.Bootstrap(t.Context(), password); err != nil {
		t.Fatal(err)
	}
	return s, m
}

// cheap is a cost that keeps tests quick.
func cheap() cost { return cost{memoryKiB: 8, passes: 1, threads: 1} }

// serviceOn returns a service whose passwords cost little.
func serviceOn(t *testing.T, m *memory, log *slog.Logger) *service {
	t.Helper()
	all, err := New(Config{Store: m, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	all.Accounts.passwords.hasher = newHasher(cheap())
	return &service{all, all.Accounts, all.Clients, all.Keys, all.Tokens, all.Tickets, all.Roles}
}

// wantError checks the code and the message of err.
func wantError(t *testing.T, err error, code kappa.Code, message string) {
	t.Helper()
	if kappa.ErrorCode(err) != code || message != "" && kappa.ErrorMessage(err) != message {
		t.Errorf("got error %v with code %q, want code %q and message %q", err, kappa.ErrorCode(err), code, message)
	}
}

// logIn logs the admin in.
func logIn(t *testing.T, s *service, scopes string) (access.OAuthClient, string) {
	t.Helper()
	client, secret, err := s.Login(t.Context(), access.Login{Username: "admin", Password: password, Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return client, secret
}

// newToken logs the admin in and gets a token.
func newToken(t *testing.T, s *service, scopes string) (access.OAuthClient, string) {
	t.Helper()
	client, secret := logIn(t, s, scopes)
	token, err := s.Token(t.Context(), tokenRequest(client, secret))
	if err != nil {
		t.Fatal(err)
	}
	return client, token.AccessToken
}

func tokenRequest(c access.OAuthClient, secret string) access.TokenRequest {
	return access.TokenRequest{GrantType: "client_credentials", ClientID: c.ClientID, ClientSecret: secret}
}

func TestNew(t *testing.T) {
	_, err := New(Config{})
	if err == nil || !strings.Contains(err.Error(), "Store") || !strings.Contains(err.Error(), "Log") {
		t.Errorf("got %v, want an error that names Store and Log", err)
	}
}

func TestBootstrap(t *testing.T) {
	discard := slog.New(slog.DiscardHandler)

	t.Run("a generated password logs in, and is told once", func(t *testing.T) {
		s := serviceOn(t, newMemory(), discard)
		generated, err := s.Bootstrap(t.Context(), "")
		if err != nil || len(generated) < 20 {
			t.Fatalf("generated %d characters, err %v", len(generated), err)
		}
		if _, _, err := s.Login(t.Context(), access.Login{Username: "admin", Password: generated}); err != nil {
			t.Errorf("log in with the generated password: %v", err)
		}
		if again, err := s.Bootstrap(t.Context(), ""); again != "" || err != nil {
			t.Errorf("the second start generated %d characters, err %v", len(again), err)
		}
	})

	t.Run("a configured password is not returned, and a later one changes nothing", func(t *testing.T) {
		m := newMemory()
		s := serviceOn(t, m, discard)
		if generated, err := s.Bootstrap(t.Context(), password); generated != "" || err != nil {
			t.Fatalf("got %q, err %v", generated, err)
		}
		if _, err := s.Bootstrap(t.Context(), "another password"); err != nil {
			t.Fatal(err)
		}
		logIn(t, s, "")
		if admin := m.users[access.AdminUserID]; admin.Username != "admin" || admin.Role != access.RolePlatformAdmin {
			t.Errorf("the account is %+v", admin)
		}
	})

	t.Run("a password that breaks the rules stops the start", func(t *testing.T) {
		m := newMemory()
		_, err := serviceOn(t, m, discard).Bootstrap(t.Context(), "sh0rt")
		wantError(t, err, kappa.CodeInvalid, "password: must have at least 8 characters")
		if len(m.users) != 1 {
			t.Errorf("%d accounts, want system alone", len(m.users))
		}
	})

	t.Run("a server that was a moment later tells no password", func(t *testing.T) {
		s, m := newService(t)
		m.late = true
		if generated, err := s.Bootstrap(t.Context(), ""); generated != "" || err != nil || m.creates != 2 {
			t.Errorf("told %d characters after %d attempts, err %v", len(generated), m.creates, err)
		}
		logIn(t, s, "")
	})

	t.Run("a later start does not hash", func(t *testing.T) {
		s, m := newService(t)
		if _, err := s.Bootstrap(t.Context(), ""); err != nil || m.creates != 1 {
			t.Errorf("asked to create %d times, err %v; want 1", m.creates, err)
		}
	})

	t.Run("a failing store is not a first start", func(t *testing.T) {
		m := newMemory()
		m.err = errors.New("down")
		if generated, err := serviceOn(t, m, discard).Bootstrap(t.Context(), ""); generated != "" || !errors.Is(err, m.err) {
			t.Errorf("got %d characters and %v", len(generated), err)
		}
	})
}

func TestSetPassword(t *testing.T) {
	s, _ := newService(t)
	if err := s.SetPassword(t.Context(), access.AdminUserID, "a new password"); err != nil {
		t.Fatal(err)
	}
	_, _, err := s.Login(t.Context(), access.Login{Username: "admin", Password: password})
	wantError(t, err, kappa.CodeUnauthenticated, "Invalid username or password")
	if _, _, err := s.Login(t.Context(), access.Login{Username: "admin", Password: "a new password"}); err != nil {
		t.Errorf("log in with the new password: %v", err)
	}
	wantError(t, s.SetPassword(t.Context(), access.AdminUserID, "short"), kappa.CodeInvalid, "")
	wantError(t, s.SetPassword(t.Context(), 4711, password), kappa.CodeNotFound, "User not found")
	wantError(t, s.SetPassword(t.Context(), access.SystemUserID, password), kappa.CodeConflict, "")
}

// TestNothingSecretIsShown drives every path that handles a secret and searches
// the log and the errors for it.
func TestNothingSecretIsShown(t *testing.T) {
	var log bytes.Buffer
	m := newMemory()
	s := serviceOn(t, m, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	var errs []error
	note := func(err error) { errs = append(errs, err) }

	generated, err := s.Bootstrap(t.Context(), "")
	note(err)
	_, err = s.Bootstrap(t.Context(), "tiny-pw")
	note(err)
	client, secret, err := s.Login(t.Context(), access.Login{Username: "admin", Password: generated})
	note(err)
	_, _, err = s.Login(t.Context(), access.Login{Username: "admin", Password: generated + "typo"})
	note(err)
	_, _, err = s.Login(t.Context(), access.Login{Username: generated, Password: "x"}) // into the wrong field
	note(err)
	token, err := s.Token(t.Context(), tokenRequest(client, secret))
	note(err)
	_, err = s.Token(t.Context(), tokenRequest(client, secret+"typo"))
	note(err)
	_, err = s.Authenticate(t.Context(), token.AccessToken+"x")
	note(err)
	principal, err := s.Authenticate(t.Context(), token.AccessToken)
	note(err)
	ticket, err := s.IssueTicket(t.Context(), principal, topic)
	note(err)
	_, err = s.RedeemTicket(t.Context(), ticket.Ticket, "events") // into the wrong stream
	note(err)
	_, err = s.RedeemTicket(t.Context(), ticket.Ticket, topic)
	note(err)
	_, rotated, _, err := s.RotateSecret(t.Context(), principal, client.ClientID)
	note(err)
	m.err = errors.New("store is down")
	_, err = s.Token(t.Context(), tokenRequest(client, rotated))
	note(err)
	note(s.Revoke(t.Context(), token.AccessToken))

	if !strings.Contains(log.String(), "login failed") {
		t.Errorf("the log does not tell of the failed login:\n%s", log.String())
	}
	shown := log.String() + errors.Join(errs...).Error()
	signature := token.AccessToken[strings.LastIndex(token.AccessToken, ".")+1:]
	key := string(m.secrets[keyName])
	for name, secret := range map[string]string{
		"password": generated, "short password": "tiny-pw", "secret": secret, "rotated secret": rotated,
		"token": signature, "ticket": ticket.Ticket, "key": key, "hash": m.hashes[access.AdminUserID],
	} {
		if strings.Contains(shown, secret) {
			t.Errorf("the %s is in a log or an error:\n%s", name, shown)
		}
	}
}
