package auth

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// TestNewPasswordTakesAProof: a token alone changes no password, on either of the two ways.
func TestNewPasswordTakesAProof(t *testing.T) {
	const another = "another long password"
	fresh, wrong, right := another, "not the password", password
	for name, change := range map[string]func(ctx context.Context, s *service, p access.Principal, u access.UserUpdate) error{
		"PUT /auth/me": func(ctx context.Context, s *service, p access.Principal, u access.UserUpdate) error {
			_, err := s.UpdateSelf(ctx, p, u)
			return err
		},
		"PUT /users/{id}": func(ctx context.Context, s *service, p access.Principal, u access.UserUpdate) error {
			_, err := s.UpdateUser(ctx, p, p.User.ID, u)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, m := newService(t)
				principal := func(client access.OAuthClient, secret string) access.Principal {
					token, err := s.Token(t.Context(), tokenRequest(client, secret))
					if err != nil {
						t.Fatal(err)
					}
					p, err := s.Authenticate(t.Context(), token.AccessToken)
					if err != nil {
						t.Fatal(err)
					}
					return p
				}
				p := principal(logIn(t, s, ""))
				other, secret, err := s.NewClient(t.Context(), p, "made by a token", "")
				if err != nil {
					t.Fatal(err)
				}
				key, text, err := s.NewAPIKey(t.Context(), p, access.NewAPIKey{Name: "ci"})
				if err != nil {
					t.Fatal(err)
				}
				byKey, err := s.Authenticate(t.Context(), text)
				if err != nil {
					t.Fatal(err)
				}
				const takes = "A new password takes the one before it in current_password, or a login within the last five minutes"
				wantError(t, change(t.Context(), s, principal(other, secret), access.UserUpdate{Password: &fresh}), kappa.CodeForbidden, takes)
				wantError(t, change(t.Context(), s, byKey, access.UserUpdate{Password: &fresh}), kappa.CodeForbidden, takes)
				time.Sleep(proofLife)
				wantError(t, change(t.Context(), s, p, access.UserUpdate{Password: &fresh}), kappa.CodeForbidden, takes)
				wantError(t, change(t.Context(), s, p, access.UserUpdate{Password: &fresh, CurrentPassword: &wrong}), kappa.CodeForbidden, "current_password is wrong")
				if !slices.ContainsFunc(m.logins, func(l string) bool { return strings.HasSuffix(l, "failed true") }) {
					t.Errorf("the wrong password is not recorded: %q", m.logins)
				}
				if _, _, err := s.Login(t.Context(), access.Login{Username: "admin", Password: password}); err != nil {
					t.Fatalf("the password was changed: %v", err)
				}
				if err := change(t.Context(), s, p, access.UserUpdate{Password: &fresh, CurrentPassword: &right}); err != nil {
					t.Fatalf("with the password: %v", err)
				}
				if len(m.clients) != 1 || m.clients[0].ClientID != p.ClientID {
					t.Errorf("%d clients are left, want the one that asked alone (key %s)", len(m.clients), key.ID)
				}
				if _, _, err := s.Login(t.Context(), access.Login{Username: "admin", Password: another}); err != nil {
					t.Errorf("log in with the new password: %v", err)
				}
			})
		})
	}
}

// TestFreshLoginIsAProof: within five minutes of its login a client is not asked again.
func TestFreshLoginIsAProof(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newService(t)
		_, token := newToken(t, s, "")
		p, err := s.Authenticate(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(proofLife - time.Second)
		fresh := "another long password"
		if _, err := s.UpdateSelf(t.Context(), p, access.UserUpdate{Password: &fresh}); err != nil {
			t.Error(err)
		}
	})
}

// TestGuessesOfTheCurrentPassword are limited as those of logins are, and cost the logins of
// the account nothing from where it logs in.
func TestGuessesOfTheCurrentPassword(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newService(t)
		_, token := newToken(t, s, "")
		p, err := s.Authenticate(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		fresh, wrong := "another long password", "not the password"
		refused := 0
		for range 30 {
			_, err := s.UpdateSelf(t.Context(), p, access.UserUpdate{Password: &fresh, CurrentPassword: &wrong})
			if kappa.ErrorCode(err) == kappa.CodeRateLimited {
				refused++
			}
		}
		if refused != 20 {
			t.Errorf("%d of 30 guesses were refused unread, want 20", refused)
		}
		if _, _, err := s.Login(t.Context(), access.Login{Username: "admin", Password: password}); err != nil {
			t.Errorf("the account cannot log in: %v", err)
		}
	})
}

// TestShortPasswordsAdministerNothing: who gets a role over others needs a longer password.
func TestShortPasswordsAdministerNothing(t *testing.T) {
	s, _ := newService(t)
	admin := access.Principal{User: access.User{ID: access.AdminUserID, Role: access.RolePlatformAdmin}, Scopes: []string{access.ScopeWrite}}
	short, long, role := "g7-lampe", "g7-lampe-93", access.RoleAdmin
	for _, role := range []string{access.RoleAdmin, access.RolePlatformAdmin} {
		_, err := s.CreateUser(t.Context(), admin, access.NewUser{Username: "bob", Password: short, Role: role})
		wantError(t, err, kappa.CodeInvalid, "password: must have at least 10 characters, since the account administers others")
	}
	ada, err := s.CreateUser(t.Context(), admin, access.NewUser{Username: "ada", Password: short, Role: access.RoleCurator})
	if err != nil {
		t.Fatal(err)
	}
	const tooFew = "The account's password has fewer than 10 characters, too few to administer others: give it a longer one first"
	_, err = s.UpdateUser(t.Context(), admin, ada.ID, access.UserUpdate{Role: &role})
	wantError(t, err, kappa.CodeConflict, tooFew)
	_, err = s.Assign(t.Context(), admin, access.NewRoleAssignment{UserID: ada.ID, Role: role})
	wantError(t, err, kappa.CodeConflict, tooFew)
	_, err = s.UpdateUser(t.Context(), admin, ada.ID, access.UserUpdate{Role: &role, Password: &short})
	wantError(t, err, kappa.CodeInvalid, "password: must have at least 10 characters, since the account administers others")
	if _, err = s.UpdateUser(t.Context(), admin, ada.ID, access.UserUpdate{Role: &role, Password: &long}); err != nil {
		t.Errorf("with a longer password: %v", err)
	}
	if _, err = s.UpdateUser(t.Context(), admin, ada.ID, access.UserUpdate{Password: &short}); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("the administrator gets a short one: %v", err)
	}
}
