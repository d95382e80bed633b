package auth

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// bootstrap is Bootstrap for the account.
func (s *Accounts) bootstrap(ctx context.Context, password string) (generated string, err error) {
	exist, err := s.store.UsersExist(ctx)
	if err != nil || exist {
		return "", err
	}
	if password == "" {
		generated = rand.Text()
		password = generated
	} else if err := checkPassword(password, owner{access.AdminUsername, true}); err != nil {
		return "", fmt.Errorf("admin password: %w", err)
	}
	created, err := s.createAdmin(ctx, password)
	if err != nil || !created {
		return "", err
	}
	return generated, nil
}

func (s *Accounts) createAdmin(ctx context.Context, password string) (bool, error) {
	hash, err := s.passwords.hasher.hash(ctx, password)
	if err != nil {
		return false, err
	}
	admin := access.User{ID: access.AdminUserID, Username: access.AdminUsername, Role: access.RolePlatformAdmin}
	return s.store.CreateFirstUser(ctx, admin, hash)
}

// SetPassword replaces a user's password without asking for the old one, which is up
// to the caller. The user's clients stay: when others may have known the old password,
// delete them too. It returns a CodeInvalid Error
// for a password that breaks the rules, a CodeNotFound Error for an unknown user
// and a CodeConflict Error for system, which never logs in.
func (s *Accounts) SetPassword(ctx context.Context, userID int, password string) error {
	if userID == access.SystemUserID {
		return kappa.NewError(kappa.CodeConflict, "The account system has no password")
	}
	of, err := s.ownerOf(ctx, userID, access.UserUpdate{})
	if err != nil {
		return err
	}
	if err := checkPassword(password, of); err != nil {
		return err
	}
	hash, err := s.passwords.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	return s.store.SetPasswordHash(ctx, userID, hash)
}
