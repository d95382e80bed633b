package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/access"
)

// Roles returns the roles, with all the inactive ones too.
func (c *Client) Roles(ctx context.Context, all bool) ([]access.Role, error) {
	query := url.Values{}
	if all {
		query.Set("include_inactive", "true")
	}
	return fetch[[]access.Role](ctx, c, get("/rbac/roles", query))
}

// Role returns a role.
func (c *Client) Role(ctx context.Context, name string) (access.Role, error) {
	return fetch[access.Role](ctx, c, get(rolePath(name), nil))
}

// CreateRole makes a custom role.
func (c *Client) CreateRole(ctx context.Context, n access.NewRole) (access.Role, error) {
	return fetchJSON[access.Role](ctx, c, http.MethodPost, "/rbac/roles", n)
}

// UpdateRole changes a custom role.
func (c *Client) UpdateRole(ctx context.Context, name string, u access.RoleUpdate) (access.Role, error) {
	return fetchJSON[access.Role](ctx, c, http.MethodPut, rolePath(name), u)
}

// DeleteRole deletes a custom role that nobody has.
func (c *Client) DeleteRole(ctx context.Context, name string) error {
	return c.delete(ctx, rolePath(name))
}

func rolePath(name string) string { return "/rbac/roles/" + url.PathEscape(name) }

// Grants returns what roles are granted and denied. "" selects every role, or every
// kind of things; of one role it has what comes from its parents too.
func (c *Client) Grants(ctx context.Context, role, resource string) ([]access.RoleGrant, error) {
	query := url.Values{}
	set(query, "role_name", role)
	set(query, "resource_type", resource)
	return fetch[[]access.RoleGrant](ctx, c, get("/rbac/permissions", query))
}

// Grant grants a custom role a permission, or denies it.
func (c *Client) Grant(ctx context.Context, n access.NewRoleGrant) (access.RoleGrant, error) {
	return fetchJSON[access.RoleGrant](ctx, c, http.MethodPost, "/rbac/permissions", n)
}

// RevokeGrant takes a permission, or its denial, from a custom role.
func (c *Client) RevokeGrant(ctx context.Context, id int) error {
	return c.delete(ctx, "/rbac/permissions/"+strconv.Itoa(id))
}

// Assignments returns the roles that a user has besides that of the account.
func (c *Client) Assignments(ctx context.Context, userID int) ([]access.RoleAssignment, error) {
	return fetch[[]access.RoleAssignment](ctx, c, get("/rbac/user-roles/"+strconv.Itoa(userID), nil))
}

// Assign gives a user a role besides that of the account.
func (c *Client) Assign(ctx context.Context, n access.NewRoleAssignment) (access.RoleAssignment, error) {
	return fetchJSON[access.RoleAssignment](ctx, c, http.MethodPost, "/rbac/user-roles", n)
}

// Unassign takes such a role away.
func (c *Client) Unassign(ctx context.Context, id int) error {
	return c.delete(ctx, "/rbac/user-roles/"+strconv.Itoa(id))
}

// ResourceTypes returns the kinds of things that permissions are about.
func (c *Client) ResourceTypes(ctx context.Context) ([]access.ResourceType, error) {
	return fetch[[]access.ResourceType](ctx, c, get("/rbac/resources", nil))
}

// AddResourceType registers a kind of things of another program.
func (c *Client) AddResourceType(ctx context.Context, n access.NewResourceType) (access.ResourceType, error) {
	return fetchJSON[access.ResourceType](ctx, c, http.MethodPost, "/rbac/resources", n)
}

// CheckPermission answers whether a user may do something.
func (c *Client) CheckPermission(ctx context.Context, q access.PermissionQuestion) (access.PermissionAnswer, error) {
	return fetchJSON[access.PermissionAnswer](ctx, c, http.MethodPost, "/rbac/check-permission", q)
}
