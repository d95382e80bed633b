package auth

import (
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// TestLookalikes: no account gets a name that looks like another one's in letters of another
// alphabet.
func TestLookalikes(t *testing.T) {
	s, _ := newService(t)
	admin := access.Principal{User: access.User{ID: access.AdminUserID, Role: access.RolePlatformAdmin}, Scopes: []string{access.ScopeWrite}}
	create := func(name string) error {
		_, err := s.CreateUser(t.Context(), admin, access.NewUser{Username: name, Password: "a long enough one", Role: access.RoleReadOnly})
		return err
	}
	for _, name := range []string{"scope", "user1", "userl", "рост"} {
		if err := create(name); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
	}
	for name, code := range map[string]kappa.Code{
		"ѕсоре": kappa.CodeConflict, // Cyrillic throughout
		"ЅСОРЕ": kappa.CodeConflict,
		"аdmin": kappa.CodeInvalid, "ａｄｍｉｎ": kappa.CodeInvalid, "𝐚𝐝𝐦𝐢𝐧": kappa.CodeInvalid, "ﬁona": kappa.CodeInvalid,
	} {
		if err := create(name); kappa.ErrorCode(err) != code {
			t.Errorf("an account %q is made: %v, want %s", name, err, code)
		}
		if _, err := s.Register(t.Context(), "192.0.2.1", access.NewUser{Username: name, Password: "a long enough one"}); kappa.ErrorCode(err) == "" {
			t.Errorf("%q registers", name)
		}
		if _, err := s.UpdateSelf(t.Context(), admin, access.UserUpdate{Username: &name}); kappa.ErrorCode(err) != code {
			t.Errorf("an account is renamed to %q: %v, want %s", name, err, code)
		}
	}
	own := "Admin"
	if _, err := s.UpdateSelf(t.Context(), admin, access.UserUpdate{Username: &own}); err != nil {
		t.Errorf("one's own name in another case: %v", err)
	}
}
