package postgres

import (
	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

func toRole(r db.KgApiRole) access.Role {
	return access.Role{
		Name: r.Name, DisplayName: r.DisplayName, Description: r.Description, Builtin: r.IsBuiltin, Active: r.IsActive, Parent: r.Parent,
		CreatedAt: kappa.At(r.CreatedAt), CreatedBy: toID(r.CreatedBy), Metadata: r.Metadata,
	}
}

func toGrant(g db.KgApiRoleGrant) access.RoleGrant {
	return access.RoleGrant{
		ID: int(g.ID), Role: g.Role, Resource: g.Resource, Action: g.Action, Scope: g.Scope, ScopeID: g.ScopeID, ScopeFilter: g.ScopeFilter, Granted: g.Granted,
		CreatedAt: kappa.At(g.CreatedAt), CreatedBy: toID(g.CreatedBy),
	}
}

func toAssignment(a db.KgApiRoleAssignment) access.RoleAssignment {
	return access.RoleAssignment{
		ID: int(a.ID), UserID: int(a.UserID), Role: a.Role, Scope: &a.Scope,
		AssignedAt: kappa.At(a.AssignedAt), AssignedBy: toID(a.AssignedBy), ExpiresAt: kappa.AtPtr(a.ExpiresAt),
	}
}

func toResourceType(t db.KgApiResourceType) access.ResourceType {
	return access.ResourceType{
		Type: t.Resource, Description: t.Description, Parent: t.Parent, Actions: t.Actions, SupportsScoping: t.Scoping, Metadata: t.Metadata,
		RegisteredAt: kappa.At(t.RegisteredAt), RegisteredBy: toID(t.RegisteredBy),
	}
}

func toID(id *int32) *int {
	if id == nil {
		return nil
	}
	n := int(*id)
	return &n
}

// roleFacts are what is recorded of a role.
func roleFacts(r access.Role) map[string]any {
	return map[string]any{"display_name": r.DisplayName, "parent_role": r.Parent, "is_active": r.Active}
}

func grantFacts(g access.RoleGrant) map[string]any {
	return map[string]any{"role_name": g.Role, "permission": g.Permission(), "scope_type": g.Scope, "scope_id": g.ScopeID, "scope_filter": g.ScopeFilter, "granted": g.Granted}
}

func assignmentFacts(a access.RoleAssignment) map[string]any {
	return map[string]any{"user_id": a.UserID, "role_name": a.Role, "scope_type": a.Scope, "expires_at": a.ExpiresAt}
}
