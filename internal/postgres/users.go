package postgres

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

const usernameConstraint = "users_username_key"

// Users returns the accounts that f selects, by id, and how many there are in all.
func (s AccountStore) Users(ctx context.Context, f access.UserFilter) ([]access.User, int, error) {
	total, err := s.accounts().UserCount(ctx, f.Role, f.Username)
	if err != nil {
		return nil, 0, translate(err, "count the accounts")
	}
	rows, err := s.accounts().UserList(ctx, db.UserListParams{Role: f.Role, Username: f.Username, Skip: int32(f.Skip), MaxUsers: int32(f.Limit)})
	if err != nil {
		return nil, 0, translate(err, "list the accounts")
	}
	users := make([]access.User, len(rows))
	for i, r := range rows {
		users[i] = toUser(r)
	}
	return users, int(total), nil
}

// User returns an account. It returns a CodeNotFound Error for an unknown id.
func (s AccountStore) User(ctx context.Context, id int) (access.User, error) {
	row, err := s.accounts().UserByID(ctx, rowID(id))
	if isNoRows(err) {
		return access.User{}, errUserNotFound()
	}
	return toUser(row), translate(err, "read an account")
}

// Usernames returns the names, by account, that another one may look like: all, or for one
// that is plain ASCII those that are not.
func (s AccountStore) Usernames(ctx context.Context, ascii bool) (map[int]string, error) {
	rows, err := s.accounts().UserNames(ctx, ascii)
	names := make(map[int]string, len(rows))
	for _, r := range rows {
		names[int(r.ID)] = r.Username
	}
	return names, translate(err, "read the names of accounts")
}

// CreateUser stores an account with the hash of its password. It returns a CodeConflict
// Error when the name is taken.
func (s AccountStore) CreateUser(ctx context.Context, n access.NewUser, passwordHash string) (access.User, error) {
	var user access.User
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		row, err := q.UserInsert(ctx, db.UserInsertParams{Username: n.Username, Role: n.Role, PasswordHash: passwordHash, LongPassword: access.LongPassword(n.Password)})
		if err != nil {
			return err
		}
		user = toUser(row)
		return record(ctx, q, act{action: "user.create", object: "user", id: itoa(user.ID), after: map[string]any{"username": user.Username, "role": user.Role}})
	})
	if violates(err, usernameConstraint) {
		return access.User{}, errUsernameTaken(n.Username)
	}
	return user, translate(err, "create an account")
}

// UpdateUser changes an account; passwordHash is "" when the password stays. With a new
// password all that acts for the user ends in the same transaction, but for the client
// asks, "" for none. allow is asked with the account as it is under the lock, and may
// refuse. It returns a CodeNotFound Error for an unknown id, and a CodeConflict Error when
// the name is taken, or when no platform administrator would be left.
func (s AccountStore) UpdateUser(ctx context.Context, id int, u access.UserUpdate, passwordHash, asks string, allow func(access.User) error) (access.User, error) {
	var user access.User
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		row, err := lockUser(ctx, q, id, allow)
		if err != nil {
			return err
		}
		p := db.UserUpdateParams{ID: row.ID, Username: or(u.Username, row.Username), Role: or(u.Role, row.Role), Disabled: or(u.Disabled, row.Disabled)}
		if passwordHash != "" {
			p.PasswordHash, p.LongPassword = &passwordHash, access.LongPassword(or(u.Password, ""))
			ended, err := q.UserClientsDelete(ctx, row.ID, asks)
			if err != nil {
				return err
			}
			if err := record(ctx, q, act{action: "user.password", object: "user", id: itoa(id), after: map[string]any{"clients_ended": ended}}); err != nil {
				return err
			}
		}
		if row.Role == access.RolePlatformAdmin && !row.Disabled && (p.Disabled || p.Role != row.Role) {
			if err := keepAnAdmin(ctx, q, row.ID); err != nil {
				return err
			}
		}
		changed, err := q.UserUpdate(ctx, p)
		if err != nil {
			return err
		}
		user = toUser(changed)
		before, after := userChanges(toUser(row), user, passwordHash != "")
		return record(ctx, q, act{action: "user.update", object: "user", id: itoa(id), before: before, after: after})
	})
	if violates(err, usernameConstraint) {
		return access.User{}, errUsernameTaken(or(u.Username, ""))
	}
	return user, translate(err, "change an account")
}

// DeleteUser deletes an account and all that acts for it. Its jobs stay, as those of the
// system. allow is that of UpdateUser, and so are the errors.
func (s AccountStore) DeleteUser(ctx context.Context, id int, allow func(access.User) error) error {
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		row, err := lockUser(ctx, q, id, allow)
		if err != nil {
			return err
		}
		if row.Role == access.RolePlatformAdmin && !row.Disabled {
			if err := keepAnAdmin(ctx, q, row.ID); err != nil {
				return err
			}
		}
		jobs, err := q.UserJobsToSystem(ctx, row.ID)
		if err != nil {
			return err
		}
		if _, err := q.UserDelete(ctx, row.ID); err != nil {
			return err
		}
		return record(ctx, q, act{
			action: "user.delete", object: "user", id: itoa(id),
			before: map[string]any{"username": row.Username, "role": row.Role, "jobs": jobs},
		})
	})
	return translate(err, "delete an account")
}

// lockUser returns an account that allow lets the caller change, locked.
func lockUser(ctx context.Context, q *db.Queries, id int, allow func(access.User) error) (db.KgApiUser, error) {
	row, err := q.UserForUpdate(ctx, rowID(id))
	if isNoRows(err) {
		return row, errUserNotFound()
	}
	if err != nil {
		return row, err
	}
	return row, allow(toUser(row))
}

func keepAnAdmin(ctx context.Context, q *db.Queries, id int32) error {
	others, err := q.OtherAdmins(ctx, id)
	if err == nil && others == 0 {
		return conflict("This is the last platform_admin who can log in; make somebody else one first")
	}
	return err
}

// userChanges returns what differs. Of a password it says no more than that it is another.
func userChanges(was, is access.User, password bool) (before, after map[string]any) {
	before, after = map[string]any{}, map[string]any{}
	if was.Username != is.Username {
		before["username"], after["username"] = was.Username, is.Username
	}
	if was.Role != is.Role {
		before["role"], after["role"] = was.Role, is.Role
	}
	if was.Disabled != is.Disabled {
		before["disabled"], after["disabled"] = was.Disabled, is.Disabled
	}
	if password {
		after["password"] = "changed"
	}
	return before, after
}

func errUsernameTaken(name string) error { return conflict("Username '%s' already exists", name) }
