package kappa

// The accounts that every installation has.
const (
	SystemUserID   = 1    // owns scheduled jobs; cannot log in
	AdminUserID    = 1000 // the bootstrap administrator
	AdminUsername  = "admin"
	MinPassword    = 8    // characters
	TokenSeconds   = 3600 // life of an access token
	TicketSeconds  = 60   // life of a ticket for an event stream
	MaxUserClients = 50   // active personal clients of one user; a new one replaces the one unused for longest
	MaxUserTickets = 1000 // tickets of one user that are open at the same time
)

// User is an account.
type User struct {
	ID        int    `json:"id"`
	Username  string `json:"username"`
	Role      string `json:"role"`
	CreatedAt Time   `json:"created_at"`
	LastLogin *Time  `json:"last_login"`
	Disabled  bool   `json:"disabled"`
}

// OAuthClient is a program that acts for a user. Its secret is shown once.
type OAuthClient struct {
	ClientID   string   `json:"client_id"`
	Name       string   `json:"client_name"`
	ClientType string   `json:"client_type"` // confidential
	GrantTypes []string `json:"grant_types"`
	Scopes     []string `json:"scopes"`
	CreatedAt  Time     `json:"created_at"`
	LastUsedAt *Time    `json:"last_used_at"`
	Active     bool     `json:"is_active"`

	UserID     int    `json:"-"`
	SecretHash []byte `json:"-"` // SHA-256 of a secret with 256 random bits
	Generation int    `json:"-"` // tokens of an earlier generation are void
}

// Principal is who makes a request: a user, through a client, within scopes.
type Principal struct {
	User     User
	ClientID string
	Scopes   []string
	// Grants is what the user's role reaches by each permission, for a role that is not
	// built-in; nil leaves it to RoleReach.
	Grants map[Permission]Reach

	// The token that it comes from, so that it can be examined again later.
	TokenID    string
	Generation int  // of the client
	ExpiresAt  Time // the token is void from then on
}

// StreamTicket opens one event stream once, in place of a token, for clients
// that cannot send headers.
type StreamTicket struct {
	Ticket    string `json:"ticket"`
	ExpiresIn int    `json:"expires_in"` // seconds
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
