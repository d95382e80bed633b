package auth

import (
	"context"
	"math"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// accountStore keeps accounts. Unknown names and ids are CodeNotFound Errors. allow is asked
// with the account under a lock; what it returns ends the change.
type accountStore interface { //nolint:interfacebloat // a question each
	passwordStore
	UsersExist(ctx context.Context) (bool, error)
	CreateFirstUser(ctx context.Context, u access.User, passwordHash string) (bool, error)
	SetPasswordHash(ctx context.Context, userID int, hash string) error
	Client(ctx context.Context, clientID string) (access.OAuthClient, access.User, error)
	Users(ctx context.Context, f access.UserFilter) ([]access.User, int, error)
	User(ctx context.Context, id int) (access.User, error)
	// Usernames returns the names, by account, that another may look like: all, or for a
	// name in plain ASCII those that are not.
	Usernames(ctx context.Context, ascii bool) (map[int]string, error)
	CreateUser(ctx context.Context, n access.NewUser, passwordHash string) (access.User, error)
	UpdateUser(ctx context.Context, id int, u access.UserUpdate, passwordHash, asks string, allow func(access.User) error) (access.User, error)
	DeleteUser(ctx context.Context, id int, allow func(access.User) error) error
}

// Accounts keeps users: who they are, their passwords, and their roles.
type Accounts struct {
	store     accountStore
	policies  *Policies
	passwords *passwords
	now       func() time.Time
	register  bool
}

// Users returns the accounts that f selects, by id, and how many there are in all.
func (s *Accounts) Users(ctx context.Context, f access.UserFilter) ([]access.User, int, error) {
	if err := f.Validate(); err != nil {
		return nil, 0, err
	}
	return s.store.Users(ctx, f)
}

// User returns an account. It returns a CodeNotFound Error for an unknown id, and a
// CodeForbidden Error for that of somebody else without the permission users:read.
func (s *Accounts) User(ctx context.Context, p access.Principal, id int) (access.User, error) {
	if id != p.User.ID {
		if err := p.Permit(access.UsersRead); err != nil {
			return access.User{}, err
		}
	}
	return s.user(ctx, id)
}

func (s *Accounts) user(ctx context.Context, id int) (access.User, error) {
	if id < 1 || id > math.MaxInt32 {
		return access.User{}, errNoUser()
	}
	return s.store.User(ctx, id)
}

func errNoUser() error { return kappa.NewError(kappa.CodeNotFound, "User not found") }

// CreateUser makes an account. It returns a CodeInvalid Error for a name, a password or a
// role that breaks a rule, a CodeConflict Error when the name is taken, and a
// CodeForbidden Error for a role that reaches further than p.
func (s *Accounts) CreateUser(ctx context.Context, p access.Principal, n access.NewUser) (access.User, error) {
	policy, err := s.policies.mayGive(ctx, p, n.Role)
	if err := kappa.JoinInvalid(checkUsername(n.Username), checkPassword(n.Password, owner{n.Username, policy != nil && policy.Administers(n.Role)})); err != nil {
		return access.User{}, err
	}
	if err != nil {
		return access.User{}, err
	}
	return s.createUser(ctx, n)
}

// Register makes an account with the role read_only for whoever asks. It returns a
// CodeForbidden Error unless the configuration lets anybody do so, and a
// CodeRateLimited Error after too many from one address; else it fails like CreateUser.
func (s *Accounts) Register(ctx context.Context, address string, n access.NewUser) (access.User, error) {
	if !s.register {
		return access.User{}, kappa.NewError(kappa.CodeForbidden, "Self-registration is off; ask an administrator for an account")
	}
	if err := kappa.JoinInvalid(checkUsername(n.Username), checkPassword(n.Password, owner{username: n.Username})); err != nil {
		return access.User{}, err
	}
	if _, err := s.passwords.attempts.begin("", address); err != nil { // counts as a failed login
		return access.User{}, err
	}
	n.Role = access.RoleReadOnly
	return s.createUser(access.WithActor(ctx, access.Actor{Username: n.Username}), n)
}

func (s *Accounts) createUser(ctx context.Context, n access.NewUser) (access.User, error) {
	if err := s.checkLookalikes(ctx, n.Username, 0); err != nil {
		return access.User{}, err
	}
	hash, err := s.passwords.hasher.hash(ctx, n.Password)
	if err != nil {
		return access.User{}, err
	}
	return s.store.CreateUser(ctx, n, hash)
}

// UpdateSelf changes the name or the password of p's user. A new password takes a proof of
// the one before it, and ends all that acts for the user, but for what p acts through. It
// fails like UpdateUser.
func (s *Accounts) UpdateSelf(ctx context.Context, p access.Principal, u access.UserUpdate) (access.User, error) {
	if !p.InScope(access.UsersWrite) {
		return access.User{}, denied(access.UsersWrite)
	}
	return s.update(ctx, p, p.User.ID, u)
}

// UpdateUser changes an account. Everybody may change their own password, with a proof of
// the one before it; all else takes the permission users:write. It returns a CodeMalformed
// Error when there is nothing to change, a CodeForbidden Error without the permission or the
// proof, for a role that reaches further than p, and for an account that does, a
// CodeNotFound Error for an unknown id, a CodeInvalid Error for a value that breaks a rule,
// and a CodeConflict Error when the name is taken, for the account system, when no platform
// administrator would be left, and when the password is too short for the role.
func (s *Accounts) UpdateUser(ctx context.Context, p access.Principal, id int, u access.UserUpdate) (access.User, error) {
	if changesNothing(u) {
		return access.User{}, kappa.NewError(kappa.CodeMalformed, "No fields to update")
	}
	own := id == p.User.ID && u.Role == nil && u.Disabled == nil && u.Username == nil
	if own && p.InScope(access.UsersWrite) {
		return s.update(ctx, p, id, u)
	}
	if err := p.Permit(access.UsersWrite); err != nil {
		return access.User{}, err
	}
	return s.update(ctx, p, id, u)
}

func (s *Accounts) update(ctx context.Context, p access.Principal, id int, u access.UserUpdate) (access.User, error) {
	switch {
	case changesNothing(u):
		return access.User{}, kappa.NewError(kappa.CodeMalformed, "No fields to update")
	case id < 1 || id > math.MaxInt32:
		return access.User{}, errNoUser()
	case id == access.SystemUserID:
		return access.User{}, kappa.NewError(kappa.CodeConflict, "The account system is not changed")
	}
	if err := s.checkUpdate(ctx, p, id, u); err != nil {
		return access.User{}, err
	}
	hash, asks := "", ""
	if u.Password != nil {
		var err error
		if hash, err = s.passwords.hasher.hash(ctx, *u.Password); err != nil {
			return access.User{}, err
		}
	}
	if id == p.User.ID {
		asks = p.ClientID
	}
	allow, err := s.mayChange(ctx, p, u)
	if err != nil {
		return access.User{}, err
	}
	return s.store.UpdateUser(ctx, id, u, hash, asks, allow)
}

// changesNothing reports whether an update leaves all as it is.
func changesNothing(u access.UserUpdate) bool {
	u.CurrentPassword = nil
	return u == access.UserUpdate{}
}

// checkUpdate returns an error for a value of an update that breaks a rule, and for one that
// p may not give.
func (s *Accounts) checkUpdate(ctx context.Context, p access.Principal, id int, u access.UserUpdate) error {
	if u.Username != nil {
		if err := checkUsername(*u.Username); err != nil {
			return err
		}
		if err := s.checkLookalikes(ctx, *u.Username, id); err != nil {
			return err
		}
	}
	if u.Role != nil {
		if _, err := s.policies.mayGive(ctx, p, *u.Role); err != nil {
			return err
		}
	}
	if u.Password == nil {
		return nil
	}
	of, err := s.ownerOf(ctx, id, u)
	if err != nil {
		return err
	}
	if err := checkPassword(*u.Password, of); err != nil {
		return err
	}
	if id == p.User.ID {
		return s.proveAgain(ctx, p, u.CurrentPassword)
	}
	return nil
}

// ownerOf returns whose password an account's will be after an update.
func (s *Accounts) ownerOf(ctx context.Context, id int, u access.UserUpdate) (owner, error) {
	user, err := s.store.User(ctx, id)
	if err != nil {
		return owner{}, err
	}
	if u.Username != nil {
		user.Username = *u.Username
	}
	if u.Role != nil {
		user.Role = *u.Role
	}
	policy, err := s.policies.Policy(ctx)
	if err != nil {
		return owner{}, err
	}
	return owner{user.Username, policy.UserAdministers(user, s.now())}, nil
}

// DeleteUser deletes an account and all that acts for it; its jobs stay. It returns a
// CodeMalformed Error for one's own, a CodeNotFound Error for an unknown id, a
// CodeForbidden Error for one that reaches further than p, and a CodeConflict Error for
// the account system and for the last platform administrator.
func (s *Accounts) DeleteUser(ctx context.Context, p access.Principal, id int) error {
	switch {
	case id == p.User.ID:
		return kappa.NewError(kappa.CodeMalformed, "Cannot delete yourself")
	case id < 1 || id > math.MaxInt32:
		return errNoUser()
	case id == access.SystemUserID:
		return kappa.NewError(kappa.CodeConflict, "The account system is not deleted")
	}
	allow, err := s.mayChange(ctx, p, access.UserUpdate{})
	if err != nil {
		return err
	}
	return s.store.DeleteUser(ctx, id, allow)
}

// mayChange returns what says whether p may change an account so: it is p's own, or it
// reaches no further than p, and a role that administers others goes to no account whose
// password is too short for that.
func (s *Accounts) mayChange(ctx context.Context, p access.Principal, change access.UserUpdate) (func(access.User) error, error) {
	policy, err := s.policies.Policy(ctx)
	if err != nil {
		return nil, err
	}
	rights := p.Rights()
	return func(u access.User) error {
		if change.Role != nil && change.Password == nil && u.ShortPassword && policy.Administers(*change.Role) {
			return errShortPassword()
		}
		if u.ID == p.User.ID {
			return nil
		}
		other := access.Principal{User: u}
		other.Grants, other.Rows = policy.Rights(u, s.now())
		if !access.Cover(rights, other.Rights(), other.Rows) {
			return kappa.NewError(kappa.CodeForbidden, "The account may do more than you; somebody who may do as much must change it")
		}
		return nil
	}, nil
}

func errShortPassword() error {
	return kappa.NewError(kappa.CodeConflict, "The account's password has fewer than "+strconv.Itoa(access.MinAdminPassword)+
		" characters, too few to administer others: give it a longer one first")
}
