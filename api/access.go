package api

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// UserList is a page of accounts.
type UserList struct {
	Users []access.User `json:"users"`
	Total int           `json:"total" doc:"Before paging"`
	Skip  int           `json:"skip"`
	Limit int           `json:"limit"`
}

// AuditList is a page of the log of who did what.
type AuditList struct {
	Entries      []access.AuditEntry `json:"entries" doc:"Newest first"`
	Next         *string             `json:"next_cursor" doc:"cursor of the next page; null after the last one"`
	NextBeforeID *int64              `json:"next_before_id" doc:"before_id of the next page; null when there is none"`
}

// GroupList are the groups of users.
type GroupList struct {
	Groups []access.Group `json:"groups"`
	Total  int            `json:"total"`
}

// KeyList are API keys.
type KeyList struct {
	Keys []access.APIKey `json:"keys"`
}

// CreatedAPIKey is a new API key with its text, which is shown this once.
type CreatedAPIKey struct {
	access.APIKey
	Key string `json:"key" doc:"Shown this once; a bearer by itself"`
}

// SessionList are sessions of the console.
type SessionList struct {
	Sessions []access.OpenSession `json:"sessions"`
}

// OAuthClientList are personal clients.
type OAuthClientList struct {
	Clients []access.OAuthClient `json:"clients"`
	Total   int                  `json:"total"`
}

// RotatedSecret is the new secret of a client, which is shown this once.
type RotatedSecret struct {
	ClientID  string     `json:"client_id"`
	Name      string     `json:"client_name"`
	Secret    string     `json:"client_secret" doc:"Shown this once"`
	RotatedAt kappa.Time `json:"rotated_at"`
}

// Credentials are what a login leaves behind: a client that acts for the user,
// until it is deleted. The secret is shown once.
type Credentials struct {
	access.OAuthClient
	Secret       string         `json:"client_secret" doc:"Shown this once"`
	RedirectURIs []string       `json:"redirect_uris" nullable:"true"` // null for clients that act for their user
	Metadata     ClientMetadata `json:"metadata"`
}

// ClientMetadata says whose a client is.
type ClientMetadata struct {
	Personal bool   `json:"personal"`
	UserID   int    `json:"user_id"`
	Username string `json:"username"`
}

// PermissionsHeld is what a user may do.
type PermissionsHeld struct {
	Role        string                  `json:"role"`
	Permissions []access.PermissionHeld `json:"permissions"`
}
