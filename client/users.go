package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
)

// Users are the accounts of a server, and the log of what they did.
type Users struct{ c *Client }

// List returns the accounts that f selects, by id, and how many there are in all. A Limit
// of 0 leaves the number to the server.
func (s Users) List(ctx context.Context, f access.UserFilter) ([]access.User, int, error) {
	query := url.Values{}
	set(query, "role", f.Role)
	set(query, "username", f.Username)
	if f.Skip > 0 {
		query.Set("skip", strconv.Itoa(f.Skip))
	}
	if f.Limit > 0 {
		query.Set("limit", strconv.Itoa(f.Limit))
	}
	out, err := fetch[api.UserList](ctx, s.c, get("/users", query))
	return out.Users, out.Total, err
}

// Get returns an account.
func (s Users) Get(ctx context.Context, id int) (access.User, error) {
	return fetch[access.User](ctx, s.c, get(userPath(id), nil))
}

// Create makes an account. A name that is taken is an Error with kappa.CodeConflict.
func (s Users) Create(ctx context.Context, n access.NewUser) (access.User, error) {
	return fetchJSON[access.User](ctx, s.c, http.MethodPost, "/users", n)
}

// Update changes an account.
func (s Users) Update(ctx context.Context, id int, u access.UserUpdate) (access.User, error) {
	return fetchJSON[access.User](ctx, s.c, http.MethodPut, userPath(id), u)
}

// Delete deletes an account; its jobs stay.
func (s Users) Delete(ctx context.Context, id int) error { return s.c.delete(ctx, userPath(id)) }

func userPath(id int) string { return "/users/" + strconv.Itoa(id) }

// Audit returns who did what, newest first. A Limit of 0 leaves the number to the server.
func (s Users) Audit(ctx context.Context, f access.AuditFilter) ([]access.AuditEntry, error) {
	query := url.Values{}
	setTexts(query, map[string]string{"user": f.User, "action": f.Action, "object": f.Object, "object_id": f.ObjectID})
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
	out, err := fetch[api.AuditList](ctx, s.c, get("/admin/audit", query))
	return out.Entries, err
}
