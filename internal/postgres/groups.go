package postgres

import (
	"context"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// GroupStore keeps groups, their members, and what users and groups are granted.
type GroupStore struct{ *base }

// Groups returns the store of groups.
func (d *DB) Groups() GroupStore { return GroupStore{&d.base} }

// The constraints whose violation is an answer.
const (
	groupNameConstraint   = "groups_name_once"
	groupMemberConstraint = "group_members_pkey"
)

// Groups returns the groups by name: all for member 0, or those of a user.
func (s GroupStore) Groups(ctx context.Context, member int) ([]access.Group, error) {
	var of *int32
	if member != 0 {
		of = new(int32(member))
	}
	rows, err := s.accounts().GroupList(ctx, of)
	list := make([]access.Group, len(rows))
	for i, r := range rows {
		list[i] = access.Group{
			ID: int(r.ID), Name: r.Name, DisplayName: r.DisplayName, Description: r.Description, System: r.IsSystem,
			CreatedAt: kappa.At(r.CreatedAt), CreatedBy: toID(r.CreatedBy), Members: new(int(r.Members)),
		}
	}
	return list, translate(err, "list the groups")
}

func toGroup(g db.KgApiGroup) access.Group {
	return access.Group{
		ID: int(g.ID), Name: g.Name, DisplayName: g.DisplayName, Description: g.Description, System: g.IsSystem,
		CreatedAt: kappa.At(g.CreatedAt), CreatedBy: toID(g.CreatedBy),
	}
}

func groupFacts(g access.Group) map[string]any {
	return map[string]any{"group_name": g.Name, "display_name": g.DisplayName, "description": g.Description}
}

// CreateGroup stores a group. It returns a CodeConflict Error when the name is taken.
func (s GroupStore) CreateGroup(ctx context.Context, n access.NewGroup) (access.Group, error) {
	var group access.Group
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		row, err := q.GroupInsert(ctx, db.GroupInsertParams{Name: n.Name, DisplayName: n.DisplayName, Description: n.Description, CreatedBy: actorID(ctx)})
		if err != nil {
			return err
		}
		group = toGroup(row)
		group.Members = new(0)
		return record(ctx, q, act{action: "group.create", object: "group", id: itoa(group.ID), after: groupFacts(group)})
	})
	if violates(err, groupNameConstraint) {
		return access.Group{}, conflict("Group '%s' already exists", n.Name)
	}
	return group, translate(err, "create a group")
}

// UpdateGroup changes what a group is called. It returns a CodeNotFound Error for an unknown
// id, and a CodeForbidden Error for a group of the system.
func (s GroupStore) UpdateGroup(ctx context.Context, id int, u access.GroupUpdate) (access.Group, error) {
	var group access.Group
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		was, err := lockGroup(ctx, q, id, false)
		if err != nil {
			return err
		}
		display, description := was.DisplayName, was.Description
		if u.DisplayName != nil {
			display = u.DisplayName
		}
		if u.Description != nil {
			description = u.Description
		}
		row, err := q.GroupUpdate(ctx, display, description, was.ID)
		if err != nil {
			return err
		}
		group = toGroup(row)
		return record(ctx, q, act{action: "group.update", object: "group", id: itoa(id), before: groupFacts(toGroup(was)), after: groupFacts(group)})
	})
	return group, translate(err, "change a group")
}

// DeleteGroup deletes a group, its memberships and what it was granted. It returns a
// CodeNotFound Error for an unknown id, and a CodeForbidden Error for a group of the system.
func (s GroupStore) DeleteGroup(ctx context.Context, id int) error {
	return translate(inTx(ctx, s.auth, func(q *db.Queries) error {
		was, err := lockGroup(ctx, q, id, false)
		if err != nil {
			return err
		}
		members, err := q.GroupMembers(ctx, was.ID)
		if err != nil {
			return err
		}
		if err := q.GroupDelete(ctx, was.ID); err != nil {
			return err
		}
		before := groupFacts(toGroup(was))
		before["members"] = len(members)
		return record(ctx, q, act{action: "group.delete", object: "group", id: itoa(id), before: before})
	}), "delete a group")
}

// lockGroup returns a group, locked; that of the system only if it may be.
func lockGroup(ctx context.Context, q *db.Queries, id int, system bool) (db.KgApiGroup, error) {
	row, err := q.GroupForUpdate(ctx, int32(id))
	if isNoRows(err) {
		return row, errNoGroup(id)
	}
	if err == nil && row.IsSystem && !system {
		return row, kappa.NewError(kappa.CodeForbidden, "The group '"+row.Name+"' cannot be changed: every account is a member")
	}
	return row, err
}

func errNoGroup(id int) error { return notFound("Group not found: %d", id) }

// Members returns the members of a group by name. It returns a CodeNotFound Error for an
// unknown id.
func (s GroupStore) Members(ctx context.Context, id int) ([]access.GroupMember, error) {
	rows, err := s.accounts().GroupMembers(ctx, int32(id))
	list := make([]access.GroupMember, len(rows))
	for i, r := range rows {
		list[i] = access.GroupMember{UserID: int(r.UserID), Username: r.Username, AddedAt: kappa.At(r.AddedAt), AddedBy: toID(r.AddedBy)}
	}
	return list, translate(err, "list the members of a group")
}

// AddMember adds a user to a group. It returns a CodeNotFound Error for an unknown user or
// group, a CodeConflict Error for a member, and a CodeForbidden Error for a group of the system.
func (s GroupStore) AddMember(ctx context.Context, group, user int) (access.GroupMember, error) {
	var member access.GroupMember
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		held, err := lockGroup(ctx, q, group, false)
		if err != nil {
			return err
		}
		u, err := lockUser(ctx, q, user, func(access.User) error { return nil })
		if err != nil {
			return err
		}
		row, err := q.GroupMemberInsert(ctx, held.ID, u.ID, actorID(ctx))
		if err != nil {
			return err
		}
		member = access.GroupMember{UserID: user, Username: u.Username, AddedAt: kappa.At(row.AddedAt), AddedBy: toID(row.AddedBy)}
		return record(ctx, q, act{action: "group.add_member", object: "group", id: itoa(group), after: map[string]any{"group_name": held.Name, "user_id": user, "username": u.Username}})
	})
	if violates(err, groupMemberConstraint) {
		return access.GroupMember{}, conflict("User %d is already a member of group %d", user, group)
	}
	return member, translate(err, "add a member to a group")
}

// RemoveMember takes a user out of a group. It returns a CodeNotFound Error for an unknown
// group and for a user who is no member, and a CodeForbidden Error for a group of the system.
func (s GroupStore) RemoveMember(ctx context.Context, group, user int) error {
	return translate(inTx(ctx, s.auth, func(q *db.Queries) error {
		held, err := lockGroup(ctx, q, group, false)
		if err != nil {
			return err
		}
		n, err := q.GroupMemberDelete(ctx, held.ID, int32(user))
		if err == nil && n == 0 {
			err = notFound("User %d is not a member of group %d", user, group)
		}
		if err != nil {
			return err
		}
		return record(ctx, q, act{action: "group.remove_member", object: "group", id: itoa(group), before: map[string]any{"group_name": held.Name, "user_id": user}})
	}), "take a member out of a group")
}

// ResourceGrants returns what is granted of a thing, or all that is for resource "". It returns
// a CodeNotFound Error for an ontology or an artifact that there is not.
func (s GroupStore) ResourceGrants(ctx context.Context, resource, id string) ([]access.ResourceGrant, error) {
	var p db.ResourceGrantListParams
	if resource != "" {
		what, err := findGranted(ctx, s.accounts(), resource, id)
		if err != nil {
			return nil, translate(err, "find what is granted")
		}
		p.OntologyID, p.ArtifactID, p.Role = what.ontology, what.artifact, what.role
	}
	return s.listGrants(ctx, p)
}

// ResourceGrant returns a grant. It returns a CodeNotFound Error for an unknown id.
func (s GroupStore) ResourceGrant(ctx context.Context, id int) (access.ResourceGrant, error) {
	list, err := s.listGrants(ctx, db.ResourceGrantListParams{ID: new(int32(id))})
	if err == nil && len(list) == 0 {
		return access.ResourceGrant{}, notFound("Grant not found: %d", id)
	}
	if err != nil {
		return access.ResourceGrant{}, err
	}
	return list[0], nil
}

// GroupGrants returns what a group is granted.
func (s GroupStore) GroupGrants(ctx context.Context, group int) ([]access.ResourceGrant, error) {
	return s.listGrants(ctx, db.ResourceGrantListParams{GroupID: new(int32(group))})
}

func (s GroupStore) listGrants(ctx context.Context, p db.ResourceGrantListParams) ([]access.ResourceGrant, error) {
	rows, err := s.accounts().ResourceGrantList(ctx, p)
	list := make([]access.ResourceGrant, len(rows))
	for i, r := range rows {
		list[i] = toResourceGrant(r)
	}
	return list, translate(err, "list what is granted")
}

func toResourceGrant(r db.ResourceGrantListRow) access.ResourceGrant {
	g := access.ResourceGrant{
		ID: int(r.ID), PrincipalName: r.Principal, Permission: r.Permission, GrantedAt: kappa.At(r.GrantedAt), GrantedBy: toID(r.GrantedBy), GrantedByName: r.Granter,
	}
	switch {
	case r.OntologyID != nil:
		g.ResourceType, g.ResourceID, g.ResourceName = access.GrantOntology, strconv.Itoa(int(*r.OntologyID)), r.Ontology
	case r.ArtifactID != nil:
		g.ResourceType, g.ResourceID = access.GrantArtifact, strconv.FormatInt(*r.ArtifactID, 10)
	case r.Role != nil:
		g.ResourceType, g.ResourceID = access.GrantRole, *r.Role
	}
	if g.ResourceName == "" {
		g.ResourceName = g.ResourceID
	}
	if g.PrincipalType = access.PrincipalUser; r.GroupID != nil {
		g.PrincipalType, g.PrincipalID = access.PrincipalGroup, int(*r.GroupID)
	} else if r.UserID != nil {
		g.PrincipalID = int(*r.UserID)
	}
	return g
}

// granted is one thing that can be granted.
type granted struct {
	ontology *int32
	artifact *int64
	role     *string
	owner    int // of an artifact; 0 is nobody
}

// findGranted finds a thing by what a grant calls it.
func findGranted(ctx context.Context, q *db.Queries, resource, id string) (g granted, err error) {
	missing := notFound("Resource not found: %s/%s", resource, id)
	if inNoRow(id) {
		return g, missing
	}
	switch resource {
	case access.GrantOntology:
		row, err := q.OntologyOfGrant(ctx, int32(access.OntologyNumber(id)), id)
		g.ontology = &row.ID
		return g, orMissing(err, missing)
	case access.GrantArtifact:
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return g, missing
		}
		row, err := q.ArtifactOfGrant(ctx, n)
		if g.artifact = &row.ID; row.OwnerID != nil {
			g.owner = int(*row.OwnerID)
		}
		return g, orMissing(err, missing)
	case access.GrantRole:
		g.role = &id
		_, err := q.RoleForUpdate(ctx, id)
		return g, orMissing(err, missing)
	}
	return g, missing
}

func orMissing(err, missing error) error {
	if isNoRows(err) {
		return missing
	}
	return err
}

// ResourceOwner returns whose a thing is that can be granted, 0 for nobody's. It returns a
// CodeNotFound Error for one that there is not.
func (s GroupStore) ResourceOwner(ctx context.Context, resource, id string) (int, error) {
	g, err := findGranted(ctx, s.accounts(), resource, id)
	return g.owner, translate(err, "find what is granted")
}

// AddResourceGrant grants a thing to a user or a group; what is granted already stays so. It
// returns a CodeNotFound Error for a thing, a user or a group that there is not.
func (s GroupStore) AddResourceGrant(ctx context.Context, n access.NewResourceGrant) (access.ResourceGrant, error) {
	var id int
	err := inTx(ctx, s.auth, func(q *db.Queries) error {
		what, err := findGranted(ctx, q, n.ResourceType, n.ResourceID)
		if err != nil {
			return err
		}
		p := db.ResourceGrantUpsertParams{OntologyID: what.ontology, ArtifactID: what.artifact, Role: what.role, Permission: n.Permission, GrantedBy: actorID(ctx)}
		if n.PrincipalType == access.PrincipalUser {
			u, err := lockUser(ctx, q, n.PrincipalID, func(access.User) error { return nil })
			if err != nil {
				return err
			}
			p.UserID = &u.ID
		} else {
			g, err := lockGroup(ctx, q, n.PrincipalID, true)
			if err != nil {
				return err
			}
			p.GroupID = &g.ID
		}
		row, err := q.ResourceGrantUpsert(ctx, p)
		if err != nil {
			return err
		}
		id = int(row)
		return record(ctx, q, act{action: "share.create", object: "share", id: itoa(id), after: n})
	})
	if err != nil {
		return access.ResourceGrant{}, translate(err, "grant something")
	}
	return s.ResourceGrant(ctx, id)
}

// RemoveResourceGrant takes a grant away. It returns a CodeNotFound Error for an unknown id.
func (s GroupStore) RemoveResourceGrant(ctx context.Context, was access.ResourceGrant) error {
	return translate(inTx(ctx, s.auth, func(q *db.Queries) error {
		n, err := q.ResourceGrantDelete(ctx, int32(was.ID))
		if err == nil && n == 0 {
			err = notFound("Grant not found: %d", was.ID)
		}
		if err != nil {
			return err
		}
		return record(ctx, q, act{action: "share.delete", object: "share", id: itoa(was.ID), before: was})
	}), "take a grant away")
}

// readShares reads what users and groups are granted, and who is in which group.
func readShares(ctx context.Context, q *db.Queries, policy *access.Policy) error {
	rows, err := q.ResourceGrantList(ctx, db.ResourceGrantListParams{})
	if err != nil {
		return err
	}
	policy.UserShares, policy.GroupShares, policy.Memberships = map[int][]access.Share{}, map[int][]access.Share{}, map[int][]int{}
	for _, r := range rows {
		g := toResourceGrant(r)
		to := policy.UserShares
		if g.PrincipalType == access.PrincipalGroup {
			to = policy.GroupShares
		}
		to[g.PrincipalID] = append(to[g.PrincipalID], access.NewShare(g.ResourceType, g.ResourceID, g.ResourceName, g.Permission))
	}
	members, err := q.GroupMemberships(ctx)
	for _, m := range members {
		policy.Memberships[int(m.UserID)] = append(policy.Memberships[int(m.UserID)], int(m.GroupID))
	}
	return err
}
