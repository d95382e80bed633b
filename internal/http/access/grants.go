package access

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
)

type grantListInput struct {
	Role     string `query:"role_name" doc:"With what it has from its parents"`
	Resource string `query:"resource_type" doc:"Only permissions for this kind of thing"`
}

type newGrantInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		access.NewRoleGrant
	}
}

type idInput struct {
	ID int `path:"id" doc:"The number of the account, the grant or the assignment"`
}

type newAssignmentInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		access.NewRoleAssignment
	}
}

type questionInput struct {
	Body access.PermissionQuestion
}

func (a *API) registerGrants(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/rbac/permissions", Permission: access.RBACRead, ID: "rbac.permissions", Summary: "List what roles are granted and denied"},
		func(ctx context.Context, in *grantListInput) ([]access.RoleGrant, error) {
			if in.Role != "" && !http.Storable(in.Role) {
				return nil, errNoRole(in.Role)
			}
			return a.cfg.Roles.Grants(ctx, in.Role, in.Resource)
		})
	http.Register(r, http.Route{Method: "POST", Path: "/rbac/permissions", Permission: access.RBACWrite, ID: "rbac.grant", Summary: "Grant a custom role a permission, or deny it", Status: 201},
		func(ctx context.Context, in *newGrantInput) (access.RoleGrant, error) {
			return a.cfg.Roles.AddGrant(ctx, http.PrincipalOf(ctx), in.Body.NewRoleGrant)
		})
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/rbac/permissions/{id}", Permission: access.RBACDelete, ID: "rbac.revoke", Summary: "Take a permission, or its denial, from a custom role"},
		func(ctx context.Context, in *idInput) error {
			return a.cfg.Roles.RemoveGrant(ctx, http.PrincipalOf(ctx), in.ID)
		})
	http.Register(r, http.Route{Method: "POST", Path: "/rbac/check-permission", Permission: access.AnyUser, ID: "rbac.check", Summary: "Whether a user may do something: oneself, or with rbac:read anybody"},
		func(ctx context.Context, in *questionInput) (access.PermissionAnswer, error) {
			in.Body.Context = http.NotNull(in.Body.Context)
			return a.cfg.Roles.Check(ctx, http.PrincipalOf(ctx), in.Body)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/users/me/permissions", Permission: access.AnyUser, ID: "users.my-permissions", Summary: "What the token allows"},
		func(ctx context.Context, _ *struct{}) (api.PermissionsHeld, error) {
			p := http.PrincipalOf(ctx)
			return api.PermissionsHeld{Role: p.User.Role, Permissions: a.cfg.Roles.Held(p)}, nil
		})
}

func (a *API) registerAssignments(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/rbac/user-roles/{id}", Permission: access.RBACRead, ID: "rbac.user-roles", Summary: "List the roles that a user has besides that of the account; the id is the user's"},
		func(ctx context.Context, in *idInput) ([]access.RoleAssignment, error) {
			return a.cfg.Roles.Assignments(ctx, in.ID)
		})
	http.Register(r, http.Route{Method: "POST", Path: "/rbac/user-roles", Permission: access.RBACWrite, ID: "rbac.assign", Summary: "Give a user a role besides that of the account", Status: 201},
		func(ctx context.Context, in *newAssignmentInput) (access.RoleAssignment, error) {
			return a.cfg.Roles.Assign(ctx, http.PrincipalOf(ctx), in.Body.NewRoleAssignment)
		})
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/rbac/user-roles/{id}", Permission: access.RBACDelete, ID: "rbac.unassign", Summary: "Take such a role away; the id is the assignment's"},
		func(ctx context.Context, in *idInput) error {
			return a.cfg.Roles.Unassign(ctx, http.PrincipalOf(ctx), in.ID)
		})
}
