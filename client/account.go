package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
)

// Account is the caller's own: who it is, its API keys and its OAuth clients.
type Account struct{ c *Client }

// Get returns who the client acts for.
func (s Account) Get(ctx context.Context) (access.User, error) {
	return fetch[access.User](ctx, s.c, get("/users/me", nil))
}

// Update changes one's own name or password. A new password ends all else that acts for
// the user.
func (s Account) Update(ctx context.Context, u access.UserUpdate) (access.User, error) {
	return fetchJSON[access.User](ctx, s.c, http.MethodPut, "/auth/me", u)
}

// Permissions returns what the client's token allows.
func (s Account) Permissions(ctx context.Context) ([]access.PermissionHeld, error) {
	out, err := fetch[api.PermissionsHeld](ctx, s.c, get("/users/me/permissions", nil))
	return out.Permissions, err
}

// OAuthClients returns the caller's personal clients.
func (s Account) OAuthClients(ctx context.Context) ([]access.OAuthClient, error) {
	out, err := fetch[api.OAuthClientList](ctx, s.c, get("/auth/oauth/clients/personal", nil))
	return out.Clients, err
}

// NewOAuthClient makes another personal client for the caller. scope is a list
// parted by spaces; empty leaves it to the server.
func (s Account) NewOAuthClient(ctx context.Context, name, scope string) (api.Credentials, error) {
	form := url.Values{"client_name": {name}}
	if scope != "" {
		form.Set("scope", scope)
	}
	return fetch[api.Credentials](ctx, s.c, withForm("/auth/oauth/clients/personal/new", form))
}

// DeleteOAuthClient deletes a personal client of the caller; its tokens are
// void at once. Deleting the client's own is the logout.
func (s Account) DeleteOAuthClient(ctx context.Context, clientID string) error {
	_, _, err := s.c.exchange(ctx, call{method: http.MethodDelete, path: "/auth/oauth/clients/personal/" + url.PathEscape(clientID)})
	return err
}

// RotateSecret gives a personal client of the caller a new secret, which is
// returned; the old one and its tokens are void at once.
func (s Account) RotateSecret(ctx context.Context, clientID string) (string, error) {
	path := "/auth/oauth/clients/personal/" + url.PathEscape(clientID) + "/rotate-secret"
	out, err := fetch[api.RotatedSecret](ctx, s.c, call{method: http.MethodPost, path: path})
	return out.Secret, err
}

// RevokeToken makes an access token void. An unknown one is no error.
func (s Account) RevokeToken(ctx context.Context, token string) error {
	_, _, err := s.c.exchange(ctx, withForm("/auth/oauth/revoke", url.Values{"token": {token}}))
	return err
}

// NewAPIKey makes an API key for the caller, and returns its text, which is shown this
// once.
func (s Account) NewAPIKey(ctx context.Context, n access.NewAPIKey) (access.APIKey, string, error) {
	out, err := fetchJSON[api.CreatedAPIKey](ctx, s.c, http.MethodPost, "/auth/keys", n)
	return out.APIKey, out.Key, err
}

// APIKeys returns the caller's API keys, or those of all users.
func (s Account) APIKeys(ctx context.Context, all bool) ([]access.APIKey, error) {
	query := url.Values{}
	if all {
		query.Set("all", "true")
	}
	out, err := fetch[api.KeyList](ctx, s.c, get("/auth/keys", query))
	return out.Keys, err
}

// Sessions returns the caller's sessions of the console.
func (s Account) Sessions(ctx context.Context) ([]access.OpenSession, error) {
	out, err := fetch[api.SessionList](ctx, s.c, get("/auth/sessions", nil))
	return out.Sessions, err
}

// EndSession ends a session of the caller's, at once.
func (s Account) EndSession(ctx context.Context, id string) error {
	return s.c.delete(ctx, "/auth/sessions/"+url.PathEscape(id))
}

// DeleteAPIKey deletes an API key, which is void at once.
func (s Account) DeleteAPIKey(ctx context.Context, id string) error {
	return s.c.delete(ctx, "/auth/keys/"+url.PathEscape(id))
}
