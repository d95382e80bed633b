package access

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

// roles keeps the roles, what they are granted, and who has which. Unknown names and ids
// are CodeNotFound, built-in roles that are to be changed are CodeForbidden.
type roles interface { //nolint:interfacebloat // a route each
	Roles(ctx context.Context, all bool) ([]access.Role, error)
	Role(ctx context.Context, name string) (access.Role, error)
	CreateRole(ctx context.Context, p access.Principal, n access.NewRole) (access.Role, error)
	UpdateRole(ctx context.Context, p access.Principal, name string, u access.RoleUpdate) (access.Role, error)
	DeleteRole(ctx context.Context, name string) error
	Grants(ctx context.Context, role, resource string) ([]access.RoleGrant, error)
	AddGrant(ctx context.Context, p access.Principal, n access.NewRoleGrant) (access.RoleGrant, error)
	RemoveGrant(ctx context.Context, p access.Principal, id int) error
	Assignments(ctx context.Context, userID int) ([]access.RoleAssignment, error)
	Assign(ctx context.Context, p access.Principal, n access.NewRoleAssignment) (access.RoleAssignment, error)
	Unassign(ctx context.Context, p access.Principal, id int) error
	ResourceTypes(ctx context.Context) ([]access.ResourceType, error)
	AddResourceType(ctx context.Context, n access.NewResourceType) (access.ResourceType, error)
	Held(p access.Principal) []access.PermissionHeld
	Check(ctx context.Context, p access.Principal, q access.PermissionQuestion) (access.PermissionAnswer, error)
}

type roleListInput struct {
	All http.Flag `query:"include_inactive" doc:"Inactive roles too"`
}

type roleInput struct {
	Role string `path:"role" doc:"The name of a role"`
}

type newRoleInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		access.NewRole
	}
}

type roleUpdateInput struct {
	Role string `path:"role" doc:"The name of a role"`
	Body struct {
		_ struct{} `additionalProperties:"false"`
		access.RoleUpdate
	}
}

type newResourceInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		access.NewResourceType
	}
}

func (a *API) registerRoles(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/rbac/resources", Permission: access.ResourcesRead, ID: "rbac.resources", Summary: "List the kinds of things that permissions are about"},
		func(ctx context.Context, _ *struct{}) ([]access.ResourceType, error) {
			return a.cfg.Roles.ResourceTypes(ctx)
		})
	http.Register(r, http.Route{Method: "POST", Path: "/rbac/resources", Permission: access.RBACCreate, ID: "rbac.add-resource", Summary: "Register a kind of things of another program", Status: 201},
		func(ctx context.Context, in *newResourceInput) (access.ResourceType, error) {
			return a.cfg.Roles.AddResourceType(ctx, in.Body.NewResourceType)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/rbac/roles", Permission: access.RolesRead, ID: "rbac.roles", Summary: "List the roles"},
		func(ctx context.Context, in *roleListInput) ([]access.Role, error) {
			return a.cfg.Roles.Roles(ctx, in.All.On())
		})
	http.Register(r, http.Route{Method: "GET", Path: "/rbac/roles/{role}", Permission: access.RolesRead, ID: "rbac.role", Summary: "Show a role"},
		func(ctx context.Context, in *roleInput) (access.Role, error) {
			if !http.Storable(in.Role) {
				return access.Role{}, errNoRole(in.Role)
			}
			return a.cfg.Roles.Role(ctx, in.Role)
		})
	http.Register(r, http.Route{Method: "POST", Path: "/rbac/roles", Permission: access.RBACCreate, ID: "rbac.create-role", Summary: "Make a custom role", Status: 201},
		func(ctx context.Context, in *newRoleInput) (access.Role, error) {
			return a.cfg.Roles.CreateRole(ctx, http.PrincipalOf(ctx), in.Body.NewRole)
		})
	http.Register(r, http.Route{Method: "PUT", Path: "/rbac/roles/{role}", Permission: access.RBACWrite, ID: "rbac.update-role", Summary: "Change a custom role; it counts from the next request on"},
		func(ctx context.Context, in *roleUpdateInput) (access.Role, error) {
			if !http.Storable(in.Role) {
				return access.Role{}, errNoRole(in.Role)
			}
			return a.cfg.Roles.UpdateRole(ctx, http.PrincipalOf(ctx), in.Role, in.Body.RoleUpdate)
		})
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/rbac/roles/{role}", Permission: access.RBACDelete, ID: "rbac.delete-role", Summary: "Delete a custom role that nobody has"},
		func(ctx context.Context, in *roleInput) error {
			if !http.Storable(in.Role) {
				return errNoRole(in.Role)
			}
			return a.cfg.Roles.DeleteRole(ctx, in.Role)
		})
}

func errNoRole(name string) error {
	return kappa.NewError(kappa.CodeNotFound, "Role not found: "+http.Printable(name))
}
