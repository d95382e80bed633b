package postgres

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// RoleStore keeps the roles, what they are granted, and who has which.
type RoleStore struct{ *base }

// Roles returns the store of roles.
func (d *DB) Roles() RoleStore { return RoleStore{&d.base} }

// The constraints whose violation is an answer.
const (
	roleNameConstraint   = "roles_pkey"
	grantConstraint      = "role_grants_once"
	assignmentConstraint = "role_assignments_once"
	resourceConstraint   = "resource_types_pkey"
)

// noMetadata is what a role or a kind of thing has that nothing was kept with.
var noMetadata = json.RawMessage("{}")

// Policy returns who may do what, and an epoch that changes when that does: what was
// read is at least as new as the epoch.
func (s RoleStore) Policy(ctx context.Context) (*access.Policy, int64, error) {
	q := s.accounts()
	epoch, err := q.AccessEpoch(ctx)
	if err != nil {
		return nil, 0, translate(err, "read the roles")
	}
	policy := &access.Policy{Assignments: map[int][]access.RoleAssignment{}}
	roles, err := q.RoleList(ctx)
	if err != nil {
		return nil, 0, translate(err, "read the roles")
	}
	for _, r := range roles {
		policy.Roles = append(policy.Roles, toRole(r))
	}
	grants, err := q.GrantList(ctx)
	if err != nil {
		return nil, 0, translate(err, "read what roles are granted")
	}
	for _, g := range grants {
		policy.Grants = append(policy.Grants, toGrant(g))
	}
	assignments, err := q.AssignmentList(ctx)
	if err != nil {
		return nil, 0, translate(err, "read who has which role")
	}
	for _, a := range assignments {
		policy.Assignments[int(a.UserID)] = append(policy.Assignments[int(a.UserID)], toAssignment(a))
	}
	if err := readShares(ctx, q, policy); err != nil {
		return nil, 0, translate(err, "read what users and groups are granted")
	}
	return policy, epoch, nil
}

// CreateRole stores a custom role. It returns a CodeConflict Error when the name is
// taken, and a CodeInvalid Error for a parent that does not exist.
func (s RoleStore) CreateRole(ctx context.Context, n access.NewRole) (access.Role, error) {
	var role access.Role
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		if err := checkParent(ctx, q, n.Name, n.Parent); err != nil {
			return err
		}
		row, err := q.RoleInsert(ctx, db.RoleInsertParams{
			Name: n.Name, DisplayName: n.DisplayName, Description: n.Description, Parent: n.Parent, Metadata: access.MetadataOr(n.Metadata, noMetadata), CreatedBy: actorID(ctx),
		})
		if err != nil {
			return err
		}
		role = toRole(row)
		return record(ctx, q, act{action: "role.create", object: "role", id: n.Name, after: roleFacts(role)})
	})
	if violates(err, roleNameConstraint) {
		return access.Role{}, conflict("Role '%s' already exists", n.Name)
	}
	return role, translate(err, "create a role")
}

// UpdateRole changes a custom role. It returns a CodeNotFound Error for an unknown name,
// a CodeForbidden Error for a built-in one, and a CodeInvalid Error for a parent that
// does not exist or that has the role among its own parents.
func (s RoleStore) UpdateRole(ctx context.Context, name string, u access.RoleUpdate) (access.Role, error) {
	var role access.Role
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		was, err := lockRole(ctx, q, name)
		if err != nil {
			return err
		}
		p := db.RoleUpdateParams{
			Name: name, DisplayName: or(u.DisplayName, was.DisplayName), Description: was.Description, Parent: was.Parent, IsActive: or(u.Active, was.IsActive),
			Metadata: access.MetadataOr(u.Metadata, was.Metadata),
		}
		if u.Description != nil {
			p.Description = u.Description
		}
		if u.Parent != nil {
			p.Parent = u.Parent
			if *u.Parent == "" {
				p.Parent = nil
			}
			if err := checkParent(ctx, q, name, p.Parent); err != nil {
				return err
			}
		}
		row, err := q.RoleUpdate(ctx, p)
		if err != nil {
			return err
		}
		role = toRole(row)
		return record(ctx, q, act{action: "role.update", object: "role", id: name, before: roleFacts(toRole(was)), after: roleFacts(role)})
	})
	return role, translate(err, "change a role")
}

// DeleteRole deletes a custom role. It returns a CodeNotFound Error for an unknown name,
// a CodeForbidden Error for a built-in one, and a CodeConflict Error for one that users
// or other roles have.
func (s RoleStore) DeleteRole(ctx context.Context, name string) error {
	return translate(inTx(ctx, s.auth, func(q *db.Queries) error {
		was, err := lockRole(ctx, q, name)
		if err != nil {
			return err
		}
		used, err := q.RoleUsers(ctx, name)
		if err != nil {
			return err
		}
		if used {
			return conflict("Role '%s' is assigned to users or groups, or the parent of another role; take it away there first", name)
		}
		if _, err := q.RoleDelete(ctx, name); err != nil {
			return err
		}
		return record(ctx, q, act{action: "role.delete", object: "role", id: name, before: roleFacts(toRole(was))})
	}), "delete a role")
}

// lockRole returns a custom role, locked.
func lockRole(ctx context.Context, q *db.Queries, name string) (db.KgApiRole, error) {
	row, err := q.RoleForUpdate(ctx, name)
	if isNoRows(err) {
		return row, notFound("Role not found: %s", name)
	}
	if err == nil && row.IsBuiltin {
		return row, kappa.NewError(kappa.CodeForbidden, "Cannot modify builtin roles")
	}
	return row, err
}

// checkParent refuses a parent that does not exist or below which the role is already.
func checkParent(ctx context.Context, q *db.Queries, name string, parent *string) error {
	if parent == nil {
		return nil
	}
	if err := q.RolesLock(ctx); err != nil {
		return err
	}
	rows, err := q.RoleList(ctx)
	if err != nil {
		return err
	}
	parents := map[string]*string{}
	for _, r := range rows {
		parents[r.Name] = r.Parent
	}
	if _, ok := parents[*parent]; !ok {
		return brokenMember("parent_role", "does not exist")
	}
	depth := 0
	for next := parent; next != nil; next = parents[*next] {
		if depth++; *next == name || depth > len(rows) {
			return brokenMember("parent_role", "must not have the role among its own parents")
		}
	}
	if depth >= maxParents {
		return brokenMember("parent_role", "has too many parents of its own")
	}
	return nil
}

const maxParents = 16

func brokenMember(name, rule string) error {
	return kappa.Invalid(kappa.FieldError{In: "body", Name: name, Rule: rule})
}

// AddGrant stores a permission of a custom role. It returns a CodeNotFound Error for an
// unknown role, a CodeForbidden Error for a built-in one, and a CodeConflict Error when
// the role has it.
func (s RoleStore) AddGrant(ctx context.Context, n access.NewRoleGrant) (access.RoleGrant, error) {
	var grant access.RoleGrant
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		if _, err := lockRole(ctx, q, n.Role); err != nil {
			return err
		}
		row, err := q.GrantInsert(ctx, db.GrantInsertParams{
			Role: n.Role, Resource: n.Resource, Action: n.Action, Scope: or(n.Scope, access.ScopeGlobal),
			ScopeID: n.ScopeID, ScopeFilter: givenJSON(n.ScopeFilter), Granted: or(n.Granted, true), CreatedBy: actorID(ctx),
		})
		if err != nil {
			return err
		}
		grant = toGrant(row)
		return record(ctx, q, act{action: "grant.create", object: "grant", id: itoa(grant.ID), after: grantFacts(grant)})
	})
	if violates(err, grantConstraint) {
		return access.RoleGrant{}, conflict("Role '%s' has this permission already", n.Role)
	}
	return grant, translate(err, "grant a permission")
}

// givenJSON returns nil for JSON that is not there, or null.
func givenJSON(data json.RawMessage) json.RawMessage {
	if string(data) == "null" {
		return nil
	}
	return data
}

// RemoveGrant deletes a permission of a custom role. It returns a CodeNotFound Error for
// an unknown id, and a CodeForbidden Error for that of a built-in role.
func (s RoleStore) RemoveGrant(ctx context.Context, id int) error {
	if id > 0 && id <= len(access.BuiltinGrants()) {
		return kappa.NewError(kappa.CodeForbidden, "Cannot modify builtin roles")
	}
	return translate(inTx(ctx, s.auth, func(q *db.Queries) error {
		row, err := q.GrantDelete(ctx, rowID(id))
		if isNoRows(err) {
			return notFound("Permission not found: %d", id)
		}
		if err != nil {
			return err
		}
		return record(ctx, q, act{action: "grant.delete", object: "grant", id: itoa(id), before: grantFacts(toGrant(row))})
	}), "take a permission away")
}

// Assignments returns the roles that a user has besides that of the account. It returns a
// CodeNotFound Error for an unknown user.
func (s RoleStore) Assignments(ctx context.Context, userID int) ([]access.RoleAssignment, error) {
	if _, err := AccountStore(s).User(ctx, userID); err != nil {
		return nil, err
	}
	rows, err := s.accounts().AssignmentsOfUser(ctx, rowID(userID))
	if err != nil {
		return nil, translate(err, "list the roles of a user")
	}
	list := make([]access.RoleAssignment, len(rows))
	for i, r := range rows {
		list[i] = toAssignment(r)
	}
	return list, nil
}

// Assign gives a user a role. It returns a CodeNotFound Error for an unknown user or role,
// and a CodeConflict Error when the user has it.
func (s RoleStore) Assign(ctx context.Context, n access.NewRoleAssignment) (access.RoleAssignment, error) {
	var assignment access.RoleAssignment
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		if _, err := lockUser(ctx, q, n.UserID, func(access.User) error { return nil }); err != nil {
			return err
		}
		if _, err := q.RoleForUpdate(ctx, n.Role); isNoRows(err) {
			return notFound("Role not found: %s", n.Role)
		} else if err != nil {
			return err
		}
		row, err := q.AssignmentInsert(ctx, db.AssignmentInsertParams{
			UserID: rowID(n.UserID), Role: n.Role, Scope: or(n.Scope, access.ScopeGlobal), AssignedBy: actorID(ctx), ExpiresAt: instant(n.ExpiresAt),
		})
		if err != nil {
			return err
		}
		assignment = toAssignment(row)
		return record(ctx, q, act{action: "assignment.create", object: "assignment", id: itoa(assignment.ID), after: assignmentFacts(assignment)})
	})
	if violates(err, assignmentConstraint) {
		return access.RoleAssignment{}, conflict("The user has the role '%s' already", n.Role)
	}
	return assignment, translate(err, "assign a role")
}

// Unassign takes a role away from a user. allow is asked with the assignment, and may
// refuse. It returns a CodeNotFound Error for an unknown id.
func (s RoleStore) Unassign(ctx context.Context, id int, allow func(access.RoleAssignment) error) error {
	return translate(inTx(ctx, s.auth, func(q *db.Queries) error {
		row, err := q.AssignmentDelete(ctx, rowID(id))
		if isNoRows(err) {
			return notFound("Role assignment not found: %d", id)
		}
		if err != nil {
			return err
		}
		was := toAssignment(row)
		if err := allow(was); err != nil {
			return err
		}
		return record(ctx, q, act{action: "assignment.delete", object: "assignment", id: itoa(id), before: assignmentFacts(was)})
	}), "take a role away")
}

// ResourceTypes returns the kinds of things of other programs, by name.
func (s RoleStore) ResourceTypes(ctx context.Context) ([]access.ResourceType, error) {
	rows, err := s.accounts().ResourceTypeList(ctx)
	if err != nil {
		return nil, translate(err, "list the kinds of things")
	}
	list := make([]access.ResourceType, len(rows))
	for i, r := range rows {
		list[i] = toResourceType(r)
	}
	return list, nil
}

// AddResourceType stores a kind of things. It returns a CodeConflict Error when the name
// is taken.
func (s RoleStore) AddResourceType(ctx context.Context, n access.NewResourceType) (access.ResourceType, error) {
	var t access.ResourceType
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		row, err := q.ResourceTypeInsert(ctx, db.ResourceTypeInsertParams{
			Resource: n.Type, Description: n.Description, Parent: n.Parent, Actions: n.Actions, Scoping: or(n.SupportsScoping, false),
			Metadata: access.MetadataOr(n.Metadata, noMetadata), RegisteredBy: actorID(ctx),
		})
		if err != nil {
			return err
		}
		t = toResourceType(row)
		return record(ctx, q, act{action: "resource.create", object: "resource", id: n.Type, after: map[string]any{"actions": n.Actions}})
	})
	if violates(err, resourceConstraint) {
		return access.ResourceType{}, conflict("Resource type '%s' already exists", n.Type)
	}
	return t, translate(err, "register a kind of things")
}

// actorID returns the id of whoever acts, nil when nobody does.
func actorID(ctx context.Context) *int32 {
	actor, ok := access.ActorOf(ctx)
	if !ok {
		return nil
	}
	id := int32(actor.UserID)
	return &id
}

func itoa(n int) string { return strconv.Itoa(n) }
