package auth

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// TestX01_Keys makes an API key, and looks for it in what is stored.
func TestX01_Keys(t *testing.T) {
	s, m := newService(t)
	admin := access.Principal{User: *m.users[access.AdminUserID], Scopes: []string{"read:*", "write:*"}}
	soon := kappa.At(time.Now().Add(time.Hour))
	key, text, err := s.NewAPIKey(t.Context(), admin, access.NewAPIKey{Name: "ci", ExpiresAt: &soon})
	if err != nil {
		t.Fatal(err)
	}
	id, secret, ok := parseKey(text)
	if !ok || id != key.ID || len(secret) != 64 {
		t.Fatalf("the key is %s", text)
	}
	for _, c := range m.clients {
		if strings.Contains(c.ClientID+c.Name, secret) || bytes.Contains(c.SecretHash, []byte(secret)) || c.Key && len(c.SecretHash) != 32 {
			t.Errorf("stored %+v", c)
		}
	}
	p, err := s.Authenticate(t.Context(), text)
	if err != nil || p.User.ID != access.AdminUserID || p.ClientID != key.ID {
		t.Errorf("%+v, %v", p, err)
	}
	other := strings.Repeat("0", 64)
	for name, forged := range map[string]string{
		"a digit of the secret":  strings.Replace(text, secret[:1], string('0'+(secret[0]-'0'+1)%10), 1),
		"without its checksum":   text[:len(text)-8],
		"another checksum":       text[:len(text)-8] + "00000000",
		"another secret":         id + "_" + other + checksum(id+"_"+other),
		"another id":             "kgk_000000000000_" + secret + checksum("kgk_000000000000_"+secret),
		"upper case":             strings.ToUpper(text),
		"its id":                 id,
		"more":                   text + "0",
		"the hash of the secret": id + "_" + strings.Repeat("a", 64) + "00000000",
	} {
		if _, err := s.Authenticate(t.Context(), forged); kappa.ErrorCode(err) != kappa.CodeUnauthenticated {
			t.Errorf("%s: %v, want it refused", name, err)
		} else if strings.Contains(err.Error(), secret[:8]) {
			t.Errorf("%s is repeated: %v", name, err)
		}
	}
	if _, _, err := s.NewAPIKey(t.Context(), p, access.NewAPIKey{Name: "child"}); kappa.ErrorCode(err) != kappa.CodeForbidden {
		t.Errorf("a key that makes a key: %v, want it refused", err)
	}
}

// TestLoginsAreRecorded logs in, rightly and wrongly: what was typed is not kept.
func TestLoginsAreRecorded(t *testing.T) {
	s, m := newService(t)
	for _, in := range []access.Login{
		{Username: "admin", Password: password, Address: "192.0.2.1"},
		{Username: "admin", Password: "wrong", Address: "192.0.2.2"},
		{Username: password, Password: "x", Address: "192.0.2.3"}, // into the wrong field
	} {
		_, _, _ = s.Login(t.Context(), in)
	}
	want := []string{"admin from 192.0.2.1, failed false", "admin from 192.0.2.2, failed true", " from 192.0.2.3, failed true"}
	if !slices.Equal(m.logins, want) {
		t.Errorf("recorded %q, want %q", m.logins, want)
	}
}
