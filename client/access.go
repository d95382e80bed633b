package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/access"
)

// Me returns who the client acts for.
func (c *Client) Me(ctx context.Context) (access.User, error) {
	return fetch[access.User](ctx, c, get("/users/me", nil))
}

// MyPermissions returns what the client's token allows.
func (c *Client) MyPermissions(ctx context.Context) ([]access.PermissionHeld, error) {
	out, err := fetch[struct {
		Permissions []access.PermissionHeld `json:"permissions"`
	}](ctx, c, get("/users/me/permissions", nil))
	return out.Permissions, err
}

// UpdateMe changes one's own name or password. A new password ends all else that acts for
// the user.
func (c *Client) UpdateMe(ctx context.Context, u access.UserUpdate) (access.User, error) {
	return fetchJSON[access.User](ctx, c, http.MethodPut, "/auth/me", u)
}

// Users returns the accounts that f selects, by id, and how many there are in all. A Limit
// of 0 leaves the number to the server.
func (c *Client) Users(ctx context.Context, f access.UserFilter) ([]access.User, int, error) {
	query := url.Values{}
	set(query, "role", f.Role)
	set(query, "username", f.Username)
	if f.Skip > 0 {
		query.Set("skip", strconv.Itoa(f.Skip))
	}
	if f.Limit > 0 {
		query.Set("limit", strconv.Itoa(f.Limit))
	}
	out, err := fetch[struct {
		Users []access.User `json:"users"`
		Total int           `json:"total"`
	}](ctx, c, get("/users", query))
	return out.Users, out.Total, err
}

// set adds a value to a query unless it is "".
func set(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

// User returns an account.
func (c *Client) User(ctx context.Context, id int) (access.User, error) {
	return fetch[access.User](ctx, c, get(userPath(id), nil))
}

// CreateUser makes an account. A name that is taken is an Error with kappa.CodeConflict.
func (c *Client) CreateUser(ctx context.Context, n access.NewUser) (access.User, error) {
	return fetchJSON[access.User](ctx, c, http.MethodPost, "/users", n)
}

// UpdateUser changes an account.
func (c *Client) UpdateUser(ctx context.Context, id int, u access.UserUpdate) (access.User, error) {
	return fetchJSON[access.User](ctx, c, http.MethodPut, userPath(id), u)
}

// DeleteUser deletes an account; its jobs stay.
func (c *Client) DeleteUser(ctx context.Context, id int) error { return c.delete(ctx, userPath(id)) }

func userPath(id int) string { return "/users/" + strconv.Itoa(id) }

func (c *Client) delete(ctx context.Context, path string) error {
	_, _, err := c.exchange(ctx, call{method: http.MethodDelete, path: path})
	return err
}

// previewDelete asks what a deletion would delete.
func previewDelete(path string) call {
	return call{method: http.MethodDelete, path: path, query: url.Values{"dry_run": {"true"}}}
}

// NewAPIKey makes an API key for the caller, and returns its text, which is shown this
// once.
func (c *Client) NewAPIKey(ctx context.Context, n access.NewAPIKey) (access.APIKey, string, error) {
	out, err := fetchJSON[struct {
		access.APIKey
		Text string `json:"key"`
	}](ctx, c, http.MethodPost, "/auth/keys", n)
	return out.APIKey, out.Text, err
}

// APIKeys returns the caller's API keys, or those of all users.
func (c *Client) APIKeys(ctx context.Context, all bool) ([]access.APIKey, error) {
	query := url.Values{}
	if all {
		query.Set("all", "true")
	}
	out, err := fetch[struct {
		Keys []access.APIKey `json:"keys"`
	}](ctx, c, get("/auth/keys", query))
	return out.Keys, err
}

// DeleteAPIKey deletes an API key, which is void at once.
func (c *Client) DeleteAPIKey(ctx context.Context, id string) error {
	return c.delete(ctx, "/auth/keys/"+url.PathEscape(id))
}

// Audit returns who did what, newest first. A Limit of 0 leaves the number to the server.
func (c *Client) Audit(ctx context.Context, f access.AuditFilter) ([]access.AuditEntry, error) {
	query := url.Values{}
	for name, value := range map[string]string{"user": f.User, "action": f.Action, "object": f.Object, "object_id": f.ObjectID} {
		set(query, name, value)
	}
	if f.Since != nil {
		query.Set("since", f.Since.String())
	}
	if f.Until != nil {
		query.Set("until", f.Until.String())
	}
	if f.BeforeID > 0 {
		query.Set("before_id", strconv.FormatInt(f.BeforeID, 10))
	}
	if f.Limit > 0 {
		query.Set("limit", strconv.Itoa(f.Limit))
	}
	out, err := fetch[struct {
		Entries []access.AuditEntry `json:"entries"`
	}](ctx, c, get("/admin/audit", query))
	return out.Entries, err
}
