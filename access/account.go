package access

import (
	"math"
	"time"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The accounts that every installation has.
const (
	SystemUserID     = 1    // owns scheduled jobs; cannot log in
	AdminUserID      = 1000 // the bootstrap administrator
	AdminUsername    = "admin"
	MinPassword      = 8    // characters
	MinAdminPassword = 10   // likewise, of who administers accounts or rights
	TokenSeconds     = 3600 // life of an access token
	TicketSeconds    = 60   // life of a ticket for an event stream
	MaxUserClients   = 50   // active personal clients of one user; a new one replaces the one unused for longest
	MaxUserTickets   = 1000 // tickets of one user that are open at the same time
)

// User is an account.
type User struct {
	ID        int         `json:"id"`
	Username  string      `json:"username"`
	Role      string      `json:"role"`
	CreatedAt kappa.Time  `json:"created_at"`
	LastLogin *kappa.Time `json:"last_login"`
	Disabled  bool        `json:"disabled"`

	ShortPassword bool `json:"-"` // its password is known to be shorter than MinAdminPassword
}

// LongPassword reports whether a password is as long as an administrator's must be.
func LongPassword(password string) bool { return utf8.RuneCountInString(password) >= MinAdminPassword }

// OAuthClient is a program that acts for a user. Its secret is shown once.
type OAuthClient struct {
	ClientID   string      `json:"client_id"`
	Name       string      `json:"client_name"`
	ClientType string      `json:"client_type"` // confidential
	GrantTypes []string    `json:"grant_types"`
	Scopes     []string    `json:"scopes"`
	CreatedAt  kappa.Time  `json:"created_at"`
	LastUsedAt *kappa.Time `json:"last_used_at"`
	Active     bool        `json:"is_active"`

	UserID     int         `json:"-"`
	SecretHash []byte      `json:"-"` // SHA-256 of a secret with 256 random bits
	Generation int         `json:"-"` // tokens of an earlier generation are void
	Key        bool        `json:"-"` // an API key: its secret is a bearer by itself
	Session    bool        `json:"-"` // of the console: its secret is in a cookie
	ExpiresAt  *kappa.Time `json:"-"` // of an API key or a session; nil never does
	ProvedAt   *kappa.Time `json:"-"` // when the password was given for it; nil for what was made otherwise
}

// APIKey is a bearer that lasts until it is deleted or expires, for programs that
// cannot log in. Its text is shown once.
type APIKey struct {
	ID         string      `json:"key_id"`
	Name       string      `json:"name"`
	UserID     int         `json:"user_id"`
	Username   string      `json:"username"`
	Scopes     []string    `json:"scopes"`
	CreatedAt  kappa.Time  `json:"created_at"`
	ExpiresAt  *kappa.Time `json:"expires_at"`
	LastUsedAt *kappa.Time `json:"last_used_at"`
}

// NewAPIKey asks for an API key of the caller.
type NewAPIKey struct {
	Name      string      `json:"name" doc:"What it is for, 1 to 200 characters"`
	Scope     string      `json:"scope,omitempty" doc:"Default: read:* write:*"`
	ExpiresAt *kappa.Time `json:"expires_at,omitempty" doc:"Default: it does not expire"`
}

// MaxUserSessions is how many sessions of the console an account may have; a new one
// replaces the one unused for longest.
const MaxUserSessions = 20

// Session is somebody who is signed in with the console.
type Session struct {
	User      User       `json:"user"`
	Token     string     `json:"token" doc:"Goes with every request that changes something, as the header X-Kappa-Token"`
	ExpiresAt kappa.Time `json:"expires_at" doc:"When the session ends unless it is used"`
}

// OpenSession is a session of the console that has not ended, as its user sees it.
type OpenSession struct {
	ID         string      `json:"session_id"`
	Browser    string      `json:"browser" doc:"What the browser said that it is when the session began, such as Firefox on Linux"`
	CreatedAt  kappa.Time  `json:"created_at"`
	LastUsedAt *kappa.Time `json:"last_used_at"`
	ExpiresAt  kappa.Time  `json:"expires_at" doc:"When the session ends unless it is used"`
	Current    bool        `json:"current" doc:"The request was made with it"`
}

// MaxUserKeys is how many API keys an account may have.
const MaxUserKeys = 50

// Principal is who makes a request: a user, through a client, within scopes.
type Principal struct {
	User     User
	ClientID string
	Scopes   []string
	// Grants is what the user's role reaches by each permission, for a role that is not
	// built-in; nil leaves it to RoleReach.
	Grants map[Permission]Reach
	// Rows is the rows that each permission is granted for beyond that, one by one or by
	// what they are.
	Rows map[Permission]RowSet
	// RightsEnd is when the first of them ends by itself; zero when none does.
	RightsEnd time.Time

	// The token that it comes from, so that it can be examined again later.
	TokenID    string
	Generation int        // of the client
	ExpiresAt  kappa.Time // the token is void from then on
}

// StreamTicket opens one event stream once, in place of a token, for clients
// that cannot send headers.
type StreamTicket struct {
	Ticket    string `json:"ticket"`
	ExpiresIn int    `json:"expires_in"` // seconds
}

// LoginRecord is what is kept of a login: never what was typed.
type LoginRecord struct {
	Address  string // where it came from
	ClientID string // that was made; "" when it failed
	Failed   bool
}

// Login asks for a personal client. Address is where the request came from, with
// or without a port. ClientName and Scopes, space separated, may be "".
type Login struct {
	Username, Password, Address string
	ClientName, Scopes          string
}

// TokenRequest asks for an access token. Scope is space separated; "" asks for
// all that the client has.
type TokenRequest struct {
	GrantType, ClientID, ClientSecret, Scope string
}

// Token is an access token as it is handed out.
type Token struct {
	AccessToken string
	ExpiresIn   int    // seconds
	Scope       string // space separated
}

// NewUser asks for an account.
type NewUser struct {
	Username string `json:"username" doc:"3 to 100 characters"`
	Password string `json:"password" doc:"At least 8 characters, for administrators 10; none that others use, and not the name"`
	Role     string `json:"role" doc:"read_only, contributor, curator, admin, platform_admin or a custom role"`
}

// UserUpdate changes an account; nil leaves a member as it is. A new password of one's own
// goes with the one before it in CurrentPassword, unless the client has just logged in.
type UserUpdate struct {
	Username *string `json:"username,omitempty"`
	Password *string `json:"password,omitempty"`
	Role     *string `json:"role,omitempty"`
	Disabled *bool   `json:"disabled,omitempty"`

	CurrentPassword *string `json:"current_password,omitempty"`
}

// UserFilter selects accounts, by id. An empty Role or Username selects all.
type UserFilter struct {
	Role        string
	Username    string // whatever its case
	Skip, Limit int    // Limit: 1 to 500
}

// Validate returns a kappa.CodeInvalid Error that names every member that breaks a rule.
func (f UserFilter) Validate() error {
	var r check.Rules
	r.Add("query", "limit", check.Range(f.Limit, 1, maxListed))
	r.Add("query", "skip", check.Range(f.Skip, 0, math.MaxInt32))
	r.Add("query", "role", check.OptionalName(f.Role, maxRoleName))
	r.Add("query", "username", check.OptionalName(f.Username, MaxUsername))
	return r.Err()
}

// MaxUsername is how long a username may be, in characters.
const MaxUsername = 100 // characters
