package apitest

import (
	"context"
	"strings"
	"sync"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// The tokens that Accounts knows. What begins with Good is good too.
const (
	Good     = "good"
	ReadOnly = "read-only" // its scopes let it only read
	Disabled = "disabled"  // its user is disabled
	None     = "-"         // in a Request: no token at all
)

// Accounts authenticates every good token as one user, whom a test may change.
type Accounts struct {
	mu         sync.Mutex
	user       access.User
	grants     map[access.Permission]access.Reach
	rows       map[access.Permission]access.RowSet
	expires    kappa.Time
	reexamined error
	examined   int
}

// NewAccounts returns accounts whose user is the administrator.
func NewAccounts() *Accounts {
	return &Accounts{user: access.User{ID: access.AdminUserID, Username: access.AdminUsername, Role: access.RolePlatformAdmin}}
}

// As has every token act for a user from now on.
func (a *Accounts) As(user access.User) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.user = user
}

// InRole has every token act for user 1001, who has a role, from now on.
func (a *Accounts) InRole(role string) {
	a.As(access.User{ID: 1001, Username: "eve", Role: role})
}

// Grant has every token act for user 1001 from now on, whose role is not built-in and
// reaches what is given.
func (a *Accounts) Grant(grants map[access.Permission]access.Reach) {
	a.InRole("made-up")
	a.mu.Lock()
	defer a.mu.Unlock()
	a.grants = grants
}

// GrantRows has every token act for user 1001 from now on, whose role is not built-in,
// reaches what is given, and has rows besides.
func (a *Accounts) GrantRows(grants map[access.Permission]access.Reach, rows map[access.Permission]access.RowSet) {
	a.Grant(grants)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rows = rows
}

// Expire has every token that is authenticated from now on end at a time.
func (a *Accounts) Expire(at kappa.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expires = at
}

// Refuse has every examination of a principal fail with err from now on.
func (a *Accounts) Refuse(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reexamined = err
}

// Examined returns how often a principal was examined again.
func (a *Accounts) Examined() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.examined
}

// Authenticate returns the user of a good token. Its TokenID is "id of " and the
// token.
func (a *Accounts) Authenticate(_ context.Context, bearer string) (access.Principal, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	scopes := []string{access.ScopeRead, access.ScopeWrite}
	switch {
	case bearer == Disabled:
		return access.Principal{}, kappa.NewError(kappa.CodeForbidden, "User account is disabled")
	case bearer == ReadOnly:
		scopes = scopes[:1]
	case !strings.HasPrefix(bearer, Good):
		return access.Principal{}, kappa.NewError(kappa.CodeUnauthenticated, "Could not validate credentials")
	}
	return access.Principal{
		User: a.user, ClientID: "kg-cli-admin-00000000", Scopes: scopes, Grants: a.grants, Rows: a.rows, TokenID: "id of " + bearer, ExpiresAt: a.expires,
	}, nil
}

// Reexamine returns the error of Refuse.
func (a *Accounts) Reexamine(context.Context, access.Principal) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.examined++
	return a.reexamined
}
