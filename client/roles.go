package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa"
)

// Roles returns the roles, with all the inactive ones too.
func (c *Client) Roles(ctx context.Context, all bool) ([]kappa.Role, error) {
	query := url.Values{}
	if all {
		query.Set("include_inactive", "true")
	}
	return fetch[[]kappa.Role](ctx, c, get("/rbac/roles", query))
}

// Role returns a role.
func (c *Client) Role(ctx context.Context, name string) (kappa.Role, error) {
	return fetch[kappa.Role](ctx, c, get(rolePath(name), nil))
}

// CreateRole makes a custom role.
func (c *Client) CreateRole(ctx context.Context, n kappa.NewRole) (kappa.Role, error) {
	return fetchJSON[kappa.Role](ctx, c, http.MethodPost, "/rbac/roles", n)
}

// UpdateRole changes a custom role.
func (c *Client) UpdateRole(ctx context.Context, name string, u kappa.RoleUpdate) (kappa.Role, error) {
	return fetchJSON[kappa.Role](ctx, c, http.MethodPut, rolePath(name), u)
}

// DeleteRole deletes a custom role that nobody has.
func (c *Client) DeleteRole(ctx context.Context, name string) error {
	return c.delete(ctx, rolePath(name))
}

func rolePath(name string) string { return "/rbac/roles/" + url.PathEscape(name) }

// Grants returns what roles are granted and denied. "" selects every role, or every
// kind of things; of one role it has what comes from its parents too.
func (c *Client) Grants(ctx context.Context, role, resource string) ([]kappa.RoleGrant, error) {
	query := url.Values{}
	set(query, "role_name", role)
	set(query, "resource_type", resource)
	return fetch[[]kappa.RoleGrant](ctx, c, get("/rbac/permissions", query))
}

// Grant grants a custom role a permission, or denies it.
func (c *Client) Grant(ctx context.Context, n kappa.NewRoleGrant) (kappa.RoleGrant, error) {
	return fetchJSON[kappa.RoleGrant](ctx, c, http.MethodPost, "/rbac/permissions", n)
}

// RevokeGrant takes a permission, or its denial, from a custom role.
func (c *Client) RevokeGrant(ctx context.Context, id int) error {
	return c.delete(ctx, "/rbac/permissions/"+strconv.Itoa(id))
}

// Assignments returns the roles that a user has besides that of the account.
func (c *Client) Assignments(ctx context.Context, userID int) ([]kappa.RoleAssignment, error) {
	return fetch[[]kappa.RoleAssignment](ctx, c, get("/rbac/user-roles/"+strconv.Itoa(userID), nil))
}

// Assign gives a user a role besides that of the account.
func (c *Client) Assign(ctx context.Context, n kappa.NewRoleAssignment) (kappa.RoleAssignment, error) {
	return fetchJSON[kappa.RoleAssignment](ctx, c, http.MethodPost, "/rbac/user-roles", n)
}

// Unassign takes such a role away.
func (c *Client) Unassign(ctx context.Context, id int) error {
	return c.delete(ctx, "/rbac/user-roles/"+strconv.Itoa(id))
}

// ResourceTypes returns the kinds of things that permissions are about.
func (c *Client) ResourceTypes(ctx context.Context) ([]kappa.ResourceType, error) {
	return fetch[[]kappa.ResourceType](ctx, c, get("/rbac/resources", nil))
}

// AddResourceType registers a kind of things of another program.
func (c *Client) AddResourceType(ctx context.Context, n kappa.NewResourceType) (kappa.ResourceType, error) {
	return fetchJSON[kappa.ResourceType](ctx, c, http.MethodPost, "/rbac/resources", n)
}

// CheckPermission answers whether a user may do something.
func (c *Client) CheckPermission(ctx context.Context, q kappa.PermissionQuestion) (kappa.PermissionAnswer, error) {
	return fetchJSON[kappa.PermissionAnswer](ctx, c, http.MethodPost, "/rbac/check-permission", q)
}
