package access

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
)

// groups keeps groups and what is granted of single things, and says what a principal may do
// with them. Unknown ids are CodeNotFound, what the principal may not is CodeForbidden.
type groups interface { //nolint:interfacebloat // a route each
	Groups(ctx context.Context, p access.Principal) ([]access.Group, error)
	Group(ctx context.Context, p access.Principal, id int) (access.Group, error)
	CreateGroup(ctx context.Context, n access.NewGroup) (access.Group, error)
	UpdateGroup(ctx context.Context, id int, u access.GroupUpdate) (access.Group, error)
	DeleteGroup(ctx context.Context, p access.Principal, id int) error
	Members(ctx context.Context, p access.Principal, id int) (access.GroupMembers, error)
	AddMember(ctx context.Context, p access.Principal, group, user int) (access.GroupMember, error)
	RemoveMember(ctx context.Context, p access.Principal, group, user int) error
	GroupGrants(ctx context.Context, p access.Principal, id int) ([]access.ResourceGrant, error)
	ResourceGrants(ctx context.Context, p access.Principal, resource, id string) ([]access.ResourceGrant, error)
	AddResourceGrant(ctx context.Context, p access.Principal, n access.NewResourceGrant) (access.ResourceGrant, error)
	RemoveResourceGrant(ctx context.Context, p access.Principal, id int) error
}

type groupListInput struct {
	System bool `query:"include_system" default:"true" doc:"With the groups that are there from the beginning"`
	Count  bool `query:"include_member_count" default:"true" doc:"With how many members each has"`
}

type newGroupInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		access.NewGroup
	}
}

type groupUpdateInput struct {
	ID   int `path:"id" doc:"The number of the group or the grant"`
	Body struct {
		_ struct{} `additionalProperties:"false"`
		access.GroupUpdate
	}
}

type newMemberInput struct {
	ID   int `path:"id" doc:"The number of the group or the grant"`
	Body newGroupMember
}

type newGroupMember struct {
	_      struct{} `additionalProperties:"false"`
	UserID int      `json:"user_id"`
}

type memberInput struct {
	ID     int `path:"id" doc:"The number of the group or the grant"`
	UserID int `path:"user_id" doc:"The number of an account"`
}

type resourceGrantList struct {
	Grants []access.ResourceGrant `json:"grants"`
	Total  int                    `json:"total"`
}

type resourceInput struct {
	Type string `path:"type" doc:"ontology, artifact or role"`
	ID   string `path:"id" doc:"The number or the name of an ontology, the number of an artifact, or the name of a role"`
}

type newResourceGrantInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		access.NewResourceGrant
	}
}

func (a *API) registerGroups(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/groups", Permission: access.AnyUser, ID: "rbac.groups", Summary: "List the groups: one's own, or with rbac:read all"}, a.listGroups)
	http.Register(r, http.Route{Method: "POST", Path: "/groups", Permission: access.RBACCreate, ID: "rbac.create-group", Summary: "Make a group", Status: 201},
		func(ctx context.Context, in *newGroupInput) (access.Group, error) {
			return a.cfg.Groups.CreateGroup(ctx, in.Body.NewGroup)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/groups/{id}", Permission: access.AnyUser, ID: "rbac.show-group", Summary: "Show a group: one's own, or with rbac:read any"},
		func(ctx context.Context, in *idInput) (access.Group, error) {
			return a.cfg.Groups.Group(ctx, http.PrincipalOf(ctx), in.ID)
		})
	http.Register(r, http.Route{Method: "PUT", Path: "/groups/{id}", Permission: access.RBACWrite, ID: "rbac.update-group", Summary: "Change what a group is called"},
		func(ctx context.Context, in *groupUpdateInput) (access.Group, error) {
			return a.cfg.Groups.UpdateGroup(ctx, in.ID, in.Body.GroupUpdate)
		})
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/groups/{id}", Permission: access.RBACDelete, ID: "rbac.delete-group", Summary: "Delete a group; what its members had of it ends at once"},
		func(ctx context.Context, in *idInput) error {
			return a.cfg.Groups.DeleteGroup(ctx, http.PrincipalOf(ctx), in.ID)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/groups/{id}/members", Permission: access.AnyUser, ID: "rbac.members", Summary: "List the members of a group"},
		func(ctx context.Context, in *idInput) (access.GroupMembers, error) {
			return a.cfg.Groups.Members(ctx, http.PrincipalOf(ctx), in.ID)
		})
	http.Register(r, http.Route{Method: "POST", Path: "/groups/{id}/members", Permission: access.RBACWrite, ID: "rbac.add-member", Summary: "Add a user to a group", Status: 201},
		func(ctx context.Context, in *newMemberInput) (access.GroupMember, error) {
			return a.cfg.Groups.AddMember(ctx, http.PrincipalOf(ctx), in.ID, in.Body.UserID)
		})
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/groups/{id}/members/{user_id}", Permission: access.RBACWrite, ID: "rbac.remove-member", Summary: "Take a user out of a group; what came of it ends at once"},
		func(ctx context.Context, in *memberInput) error {
			return a.cfg.Groups.RemoveMember(ctx, http.PrincipalOf(ctx), in.ID, in.UserID)
		})
	a.registerResourceGrants(r)
}

func (a *API) registerResourceGrants(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/groups/{id}/grants", Permission: access.AnyUser, ID: "rbac.group-grants", Summary: "List what a group is granted"},
		func(ctx context.Context, in *idInput) (resourceGrantList, error) {
			return grantsOf(a.cfg.Groups.GroupGrants(ctx, http.PrincipalOf(ctx), in.ID))
		})
	http.Register(r, http.Route{Method: "GET", Path: "/resources/{type}/{id}/grants", Permission: access.AnyUser, ID: "rbac.resource-grants", Summary: "List to whom an ontology, an artifact or a role is granted: with rbac:read, or of one's own artifact"},
		func(ctx context.Context, in *resourceInput) (resourceGrantList, error) {
			if !http.Storable(in.Type) || !http.Storable(in.ID) {
				return resourceGrantList{}, kappa.NewError(kappa.CodeNotFound, "Resource not found: "+http.Printable(in.Type)+"/"+http.Printable(in.ID))
			}
			return grantsOf(a.cfg.Groups.ResourceGrants(ctx, http.PrincipalOf(ctx), in.Type, in.ID))
		})
	http.Register(r, http.Route{Method: "POST", Path: "/grants", Permission: access.AnyUser, ID: "rbac.share", Summary: "Grant an ontology, an artifact or a role to a user or a group: with rbac:write, or one's own artifact", Status: 201},
		func(ctx context.Context, in *newResourceGrantInput) (access.ResourceGrant, error) {
			return a.cfg.Groups.AddResourceGrant(ctx, http.PrincipalOf(ctx), in.Body.NewResourceGrant)
		})
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/grants/{id}", Permission: access.AnyUser, ID: "rbac.unshare", Summary: "Take such a grant away, which ends at once"},
		func(ctx context.Context, in *idInput) error {
			return a.cfg.Groups.RemoveResourceGrant(ctx, http.PrincipalOf(ctx), in.ID)
		})
}

func grantsOf(list []access.ResourceGrant, err error) (resourceGrantList, error) {
	return resourceGrantList{Grants: list, Total: len(list)}, err
}

func (a *API) listGroups(ctx context.Context, in *groupListInput) (api.GroupList, error) {
	list, err := a.cfg.Groups.Groups(ctx, http.PrincipalOf(ctx))
	list = slices.DeleteFunc(list, func(g access.Group) bool { return g.System && !in.System })
	if !in.Count {
		for i := range list {
			list[i].Members = nil
		}
	}
	return api.GroupList{Groups: list, Total: len(list)}, err
}
