package auth

import (
	"bytes"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// principal returns who a new client of the admin with these scopes acts for.
func principal(t *testing.T, s *service, scopes string) access.Principal {
	t.Helper()
	_, token := newToken(t, s, scopes)
	p, err := s.Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// addStranger adds a user with a client of its own.
func addStranger(t *testing.T, m *memory) access.OAuthClient {
	t.Helper()
	m.users[1001] = &access.User{ID: 1001, Username: "stranger"}
	c, err := m.CreateClient(t.Context(), access.OAuthClient{ClientID: "kg-cli-stranger-00000000", UserID: 1001}, "", 50)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestClients(t *testing.T) {
	s, m := newService(t)
	addStranger(t, m)
	p := principal(t, s, "")
	client, secret, err := s.NewClient(t.Context(), p, "build server", "read:*")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Token(t.Context(), tokenRequest(client, secret)); err != nil {
		t.Errorf("get a token for the new client: %v", err)
	}
	if bytes.Contains(client.SecretHash, []byte(secret)) || !bytes.Equal(client.SecretHash, hashSecret(secret)) {
		t.Error("the secret is not stored as its SHA-256")
	}
	clients, err := s.Clients(t.Context(), p.User.ID)
	if err != nil || len(clients) != 2 || clients[1].Name != "build server" {
		t.Errorf("listed %+v, err %v", clients, err)
	}

	_, _, err = s.NewClient(t.Context(), p, "", "all")
	wantError(t, err, kappa.CodeMalformed, "Invalid scopes requested. Allowed: read:*, write:*, admin:*")
	_, _, err = s.NewClient(t.Context(), p, "\x1b[2J", "")
	wantError(t, err, kappa.CodeInvalid, "")
}

func TestReadScopeCannotGainMore(t *testing.T) {
	s, _ := newService(t)
	other, _ := logIn(t, s, "")
	reader := principal(t, s, "read:*")
	_, _, err := s.NewClient(t.Context(), reader, "", "write:*")
	wantError(t, err, kappa.CodeForbidden, "Permission denied: create on oauth_clients")
	_, _, _, err = s.RotateSecret(t.Context(), reader, reader.ClientID)
	wantError(t, err, kappa.CodeForbidden, "Permission denied: write on oauth_clients")
	err = s.DeleteClient(t.Context(), reader, other.ClientID)
	wantError(t, err, kappa.CodeForbidden, "Permission denied: delete on oauth_clients")
	if err := s.DeleteClient(t.Context(), reader, reader.ClientID); err != nil {
		t.Errorf("log out: %v", err)
	}
}

func TestDeleteClient(t *testing.T) {
	s, m := newService(t)
	stranger := addStranger(t, m)
	client, token := newToken(t, s, "")
	p, err := s.Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, s.DeleteClient(t.Context(), p, "X"), kappa.CodeNotFound, "OAuth client 'X' not found")
	wantError(t, s.DeleteClient(t.Context(), p, stranger.ClientID), kappa.CodeNotFound, "OAuth client '"+stranger.ClientID+"' not found")
	if err := s.DeleteClient(t.Context(), p, client.ClientID); err != nil {
		t.Fatal(err)
	}
	_, err = s.Authenticate(t.Context(), token)
	wantError(t, err, kappa.CodeUnauthenticated, "Could not validate credentials")
	wantError(t, s.DeleteClient(t.Context(), p, client.ClientID), kappa.CodeNotFound, "")
}

func TestRotateSecret(t *testing.T) {
	s, m := newService(t)
	stranger := addStranger(t, m)
	client, secret := logIn(t, s, "")
	old, err := s.Token(t.Context(), tokenRequest(client, secret))
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Authenticate(t.Context(), old.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, err = s.RotateSecret(t.Context(), p, "X")
	wantError(t, err, kappa.CodeNotFound, "OAuth client 'X' not found")
	_, _, _, err = s.RotateSecret(t.Context(), p, stranger.ClientID)
	wantError(t, err, kappa.CodeNotFound, "OAuth client '"+stranger.ClientID+"' not found")

	rotated, fresh, at, err := s.RotateSecret(t.Context(), p, client.ClientID)
	if err != nil || rotated.ClientID != client.ClientID || fresh == secret || at.IsZero() {
		t.Fatalf("rotated %+v at %v, err %v", rotated, at, err)
	}
	_, err = s.Authenticate(t.Context(), old.AccessToken)
	wantError(t, err, kappa.CodeUnauthenticated, "Could not validate credentials")
	_, err = s.Token(t.Context(), tokenRequest(client, secret))
	wantError(t, err, kappa.CodeUnauthenticated, "")
	if _, err := s.Token(t.Context(), tokenRequest(client, fresh)); err != nil {
		t.Errorf("get a token for the new secret: %v", err)
	}
}

func TestNewClientID(t *testing.T) {
	for username, prefix := range map[string]string{
		"admin":     "kg-cli-admin-",
		"Jo.Doe_7":  "kg-cli-jo.doe_7-",
		"a/b?c#d%e": "kg-cli-a-b-c-d-e-",
		"Zoë 💡":     "kg-cli-zo----",
		"x123456789012345678901234567890123456789yz": "kg-cli-x123456789012345678901234567890123456789-",
	} {
		id := newClientID(username)
		if got := id[:len(id)-8]; got != prefix {
			t.Errorf("the id for %q starts %q, want %q", username, got, prefix)
		}
	}
}
