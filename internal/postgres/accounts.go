package postgres

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// AccountStore keeps users and their passwords.
type AccountStore struct{ *base }

// Accounts returns the store of users.
func (d *DB) Accounts() AccountStore { return AccountStore{&d.base} }

// accounts returns the queries on the pool for accounts, so that requests are
// still authenticated when other work holds every connection.
func (s *base) accounts() *db.Queries { return db.New(s.auth) }

// UsersExist reports whether there is any account besides system.
func (s AccountStore) UsersExist(ctx context.Context) (bool, error) {
	exist, err := s.accounts().UsersExist(ctx)
	return exist, translate(err, "check for accounts")
}

// CreateFirstUser stores u with its password unless there is an account besides
// system, and reports whether it did. Of several callers at once one does.
func (s AccountStore) CreateFirstUser(ctx context.Context, u access.User, passwordHash string) (bool, error) {
	n, err := s.accounts().UserInsertFirst(ctx, db.UserInsertFirstParams{
		ID: int32(u.ID), Username: u.Username, Role: u.Role, PasswordHash: passwordHash,
	})
	return n == 1, translate(err, "create the first account")
}

// UserByName returns a user, whatever the case of the name, and its password's
// hash, "" when it has none. It returns a CodeNotFound Error for an unknown name.
func (s AccountStore) UserByName(ctx context.Context, username string) (access.User, string, error) {
	row, err := s.accounts().UserByName(ctx, username)
	if isNoRows(err) {
		return access.User{}, "", errUserNotFound()
	}
	if err != nil {
		return access.User{}, "", translate(err, "read an account")
	}
	hash := ""
	if row.PasswordHash != nil {
		hash = *row.PasswordHash
	}
	return toUser(row), hash, nil
}

// SetPasswordHash replaces the hash of a user's password. It returns a
// CodeNotFound Error for an unknown user.
func (s AccountStore) SetPasswordHash(ctx context.Context, userID int, hash string) error {
	n, err := s.accounts().UserSetPassword(ctx, hash, rowID(userID))
	if err == nil && n == 0 {
		return errUserNotFound()
	}
	return translate(err, "store a password")
}

// RecordLogin records a login in the audit log, and when it succeeded, when it was. Of a
// name that nobody has, u is the zero User: people type passwords there.
func (s AccountStore) RecordLogin(ctx context.Context, u access.User, l access.LoginRecord) error {
	actor, _ := access.ActorOf(ctx)
	actor.UserID, actor.Username, actor.ClientID = u.ID, u.Username, l.ClientID
	ctx = access.WithActor(ctx, actor)
	made := act{action: "login.succeed", object: "user", id: u.Username, after: map[string]any{"address": l.Address}}
	if l.Failed {
		made.action = "login.fail"
	}
	return translate(inTx(ctx, s.auth, func(q *db.Queries) error {
		if !l.Failed {
			if err := q.UserLoggedIn(ctx, int32(u.ID)); err != nil {
				return err
			}
		}
		return record(ctx, q, made)
	}), "record a login")
}

func errUserNotFound() error { return notFound("User not found") }

func toUser(row db.KgApiUser) access.User {
	return access.User{
		ID: int(row.ID), Username: row.Username, Role: row.Role, Disabled: row.Disabled,
		CreatedAt: kappa.At(row.CreatedAt), LastLogin: kappa.AtPtr(row.LastLogin),
		ShortPassword: row.LongPassword != nil && !*row.LongPassword,
	}
}
