package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/access"
)

// Roles are the roles of users: what each grants, and who has it.
type Roles struct{ c *Client }

// List returns the roles, with all the inactive ones too.
func (s Roles) List(ctx context.Context, all bool) ([]access.Role, error) {
	query := url.Values{}
	if all {
		query.Set("include_inactive", "true")
	}
	return fetch[[]access.Role](ctx, s.c, get("/rbac/roles", query))
}

// Get returns a role.
func (s Roles) Get(ctx context.Context, name string) (access.Role, error) {
	return fetch[access.Role](ctx, s.c, get(rolePath(name), nil))
}

// Create makes a custom role.
func (s Roles) Create(ctx context.Context, n access.NewRole) (access.Role, error) {
	return fetchJSON[access.Role](ctx, s.c, http.MethodPost, "/rbac/roles", n)
}

// Update changes a custom role.
func (s Roles) Update(ctx context.Context, name string, u access.RoleUpdate) (access.Role, error) {
	return fetchJSON[access.Role](ctx, s.c, http.MethodPut, rolePath(name), u)
}

// Delete deletes a custom role that nobody has.
func (s Roles) Delete(ctx context.Context, name string) error {
	return s.c.delete(ctx, rolePath(name))
}

func rolePath(name string) string { return "/rbac/roles/" + url.PathEscape(name) }

// Grants returns what roles are granted and denied. "" selects every role, or every
// kind of things; of one role it has what comes from its parents too.
func (s Roles) Grants(ctx context.Context, role, resource string) ([]access.RoleGrant, error) {
	query := url.Values{}
	set(query, "role_name", role)
	set(query, "resource_type", resource)
	return fetch[[]access.RoleGrant](ctx, s.c, get("/rbac/permissions", query))
}

// Grant grants a custom role a permission, or denies it.
func (s Roles) Grant(ctx context.Context, n access.NewRoleGrant) (access.RoleGrant, error) {
	return fetchJSON[access.RoleGrant](ctx, s.c, http.MethodPost, "/rbac/permissions", n)
}

// RevokeGrant takes a permission, or its denial, from a custom role.
func (s Roles) RevokeGrant(ctx context.Context, id int) error {
	return s.c.delete(ctx, "/rbac/permissions/"+strconv.Itoa(id))
}

// Assignments returns the roles that a user has besides that of the account.
func (s Roles) Assignments(ctx context.Context, userID int) ([]access.RoleAssignment, error) {
	return fetch[[]access.RoleAssignment](ctx, s.c, get("/rbac/user-roles/"+strconv.Itoa(userID), nil))
}

// Assign gives a user a role besides that of the account.
func (s Roles) Assign(ctx context.Context, n access.NewRoleAssignment) (access.RoleAssignment, error) {
	return fetchJSON[access.RoleAssignment](ctx, s.c, http.MethodPost, "/rbac/user-roles", n)
}

// Unassign takes such a role away.
func (s Roles) Unassign(ctx context.Context, id int) error {
	return s.c.delete(ctx, "/rbac/user-roles/"+strconv.Itoa(id))
}

// ResourceTypes returns the kinds of things that permissions are about.
func (s Roles) ResourceTypes(ctx context.Context) ([]access.ResourceType, error) {
	return fetch[[]access.ResourceType](ctx, s.c, get("/rbac/resources", nil))
}

// AddResourceType registers a kind of things of another program.
func (s Roles) AddResourceType(ctx context.Context, n access.NewResourceType) (access.ResourceType, error) {
	return fetchJSON[access.ResourceType](ctx, s.c, http.MethodPost, "/rbac/resources", n)
}

// Check answers whether a user may do something.
func (s Roles) Check(ctx context.Context, q access.PermissionQuestion) (access.PermissionAnswer, error) {
	return fetchJSON[access.PermissionAnswer](ctx, s.c, http.MethodPost, "/rbac/check-permission", q)
}
