package auth

import (
	"context"
	"math"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// groupStore keeps groups and grants; see postgres.GroupStore.
type groupStore interface { //nolint:interfacebloat // a question each
	Groups(ctx context.Context, member int) ([]access.Group, error)
	CreateGroup(ctx context.Context, n access.NewGroup) (access.Group, error)
	UpdateGroup(ctx context.Context, id int, u access.GroupUpdate) (access.Group, error)
	DeleteGroup(ctx context.Context, id int) error
	Members(ctx context.Context, id int) ([]access.GroupMember, error)
	AddMember(ctx context.Context, group, user int) (access.GroupMember, error)
	RemoveMember(ctx context.Context, group, user int) error
	ResourceGrants(ctx context.Context, resource, id string) ([]access.ResourceGrant, error)
	ResourceGrant(ctx context.Context, id int) (access.ResourceGrant, error)
	GroupGrants(ctx context.Context, group int) ([]access.ResourceGrant, error)
	ResourceOwner(ctx context.Context, resource, id string) (int, error)
	AddResourceGrant(ctx context.Context, n access.NewResourceGrant) (access.ResourceGrant, error)
	RemoveResourceGrant(ctx context.Context, was access.ResourceGrant) error
}

// Groups are sets of users who are granted something together, and what they and single users
// are granted of single things. Nobody gives by them what they may not do themselves. What is
// given or taken counts from the next request on, on every server, and ends streams.
type Groups struct {
	policies *Policies
	users    *Accounts
	store    groupStore
}

// NewGroups returns the groups of a service's accounts.
func NewGroups(auth *Service, store groupStore) *Groups {
	return &Groups{policies: auth.Policies, users: auth.Accounts, store: store}
}

// Groups returns the groups by name: to whoever may read who may do what all, and to others
// those that they are in.
func (g *Groups) Groups(ctx context.Context, p access.Principal) ([]access.Group, error) {
	if p.Permit(access.RBACRead) != nil {
		return g.store.Groups(ctx, p.User.ID)
	}
	return g.store.Groups(ctx, 0)
}

// Group returns a group that p may see. It returns a CodeNotFound Error for another one.
func (g *Groups) Group(ctx context.Context, p access.Principal, id int) (access.Group, error) {
	list, err := g.Groups(ctx, p)
	if err != nil {
		return access.Group{}, err
	}
	if i := slices.IndexFunc(list, func(o access.Group) bool { return o.ID == id }); i >= 0 {
		return list[i], nil
	}
	return access.Group{}, errNoGroup()
}

func errNoGroup() error { return kappa.NewError(kappa.CodeNotFound, "Group not found") }

// CreateGroup makes a group. It returns a CodeInvalid Error for a value that breaks a rule,
// and a CodeConflict Error when the name is taken.
func (g *Groups) CreateGroup(ctx context.Context, n access.NewGroup) (access.Group, error) {
	if err := n.Validate(); err != nil {
		return access.Group{}, err
	}
	return g.store.CreateGroup(ctx, n)
}

// UpdateGroup changes what a group is called; see CreateGroup and DeleteGroup for errors.
func (g *Groups) UpdateGroup(ctx context.Context, id int, u access.GroupUpdate) (access.Group, error) {
	if err := u.Validate(); err != nil {
		return access.Group{}, err
	}
	if !isID(id) {
		return access.Group{}, errNoGroup()
	}
	return g.store.UpdateGroup(ctx, id, u)
}

// DeleteGroup deletes a group with its memberships and what it was granted. It returns a
// CodeNotFound Error for an unknown id, and a CodeForbidden Error for public and for a group
// that was given what p may not do.
func (g *Groups) DeleteGroup(ctx context.Context, p access.Principal, id int) error {
	if err := g.mayChange(ctx, p, id); err != nil {
		return err
	}
	return g.store.DeleteGroup(ctx, id)
}

// Members returns the members of a group that p may see.
func (g *Groups) Members(ctx context.Context, p access.Principal, id int) (access.GroupMembers, error) {
	group, err := g.Group(ctx, p, id)
	if err != nil {
		return access.GroupMembers{}, err
	}
	members, err := g.store.Members(ctx, id)
	return access.GroupMembers{GroupID: id, GroupName: group.Name, Members: members, Total: len(members), Implicit: id == access.PublicGroup}, err
}

// AddMember adds a user to a group. It returns a CodeNotFound Error for an unknown user or
// group, a CodeConflict Error for a member, and a CodeForbidden Error for public, for a group
// that was given what p may not do, and for an account whose password is too short for it.
func (g *Groups) AddMember(ctx context.Context, p access.Principal, group, user int) (access.GroupMember, error) {
	if !isID(user) {
		return access.GroupMember{}, errNoUser()
	}
	if err := g.mayChange(ctx, p, group); err != nil {
		return access.GroupMember{}, err
	}
	if err := g.checkPassword(ctx, group, user); err != nil {
		return access.GroupMember{}, err
	}
	return g.store.AddMember(ctx, group, user)
}

// checkPassword refuses to make an administrator of an account with a short password.
func (g *Groups) checkPassword(ctx context.Context, group, user int) error {
	policy, err := g.policies.Policy(ctx)
	if err != nil || !slices.ContainsFunc(policy.GroupShares[group], func(s access.Share) bool { return s.Role != "" && policy.Administers(s.Role) }) {
		return err
	}
	account, err := g.users.user(ctx, user)
	if err == nil && account.ShortPassword {
		err = errShortPassword()
	}
	return err
}

// RemoveMember takes a user out of a group; its errors are those of AddMember.
func (g *Groups) RemoveMember(ctx context.Context, p access.Principal, group, user int) error {
	if !isID(user) {
		return errNoUser()
	}
	if err := g.mayChange(ctx, p, group); err != nil {
		return err
	}
	return g.store.RemoveMember(ctx, group, user)
}

// mayChange returns an error unless p may do all that the members of a group are given.
func (g *Groups) mayChange(ctx context.Context, p access.Principal, id int) error {
	if !isID(id) {
		return errNoGroup()
	}
	policy, err := g.policies.Policy(ctx)
	if err != nil {
		return err
	}
	for _, s := range policy.GroupShares[id] {
		if err := mayShare(policy, p, s); err != nil {
			return err
		}
	}
	return nil
}

// mayShare returns an error unless p may do what a grant gives.
func mayShare(policy *access.Policy, p access.Principal, s access.Share) error {
	if s.Role != "" && policy.Above(s.Role, p.Rights()) {
		return kappa.NewError(kappa.CodeForbidden, "The role "+s.Role+" may do more than you; somebody who may do as much must give or take it")
	}
	for _, grant := range s.Grants {
		if err := mayGrant(p, grant.Permission(), access.ReachAll); err != nil {
			return err
		}
	}
	return nil
}

// GroupGrants returns what a group is granted that p may see.
func (g *Groups) GroupGrants(ctx context.Context, p access.Principal, id int) ([]access.ResourceGrant, error) {
	if _, err := g.Group(ctx, p, id); err != nil {
		return nil, err
	}
	return g.store.GroupGrants(ctx, id)
}

// ResourceGrants returns what is granted of a thing, to whoever may read who may do what, and
// to its owner. It returns a CodeNotFound Error for a thing that there is not.
func (g *Groups) ResourceGrants(ctx context.Context, p access.Principal, resource, id string) ([]access.ResourceGrant, error) {
	if err := g.mayManage(ctx, p, access.RBACRead, resource, id); err != nil {
		return nil, err
	}
	return g.store.ResourceGrants(ctx, resource, id)
}

// mayManage returns an error unless p has a permission, or owns an artifact and may change it.
// An artifact that p may not even read does not exist for p.
func (g *Groups) mayManage(ctx context.Context, p access.Principal, permission access.Permission, resource, id string) error {
	refused := p.Permit(permission)
	if refused != nil && resource != access.GrantArtifact {
		return refused
	}
	owner, err := g.store.ResourceOwner(ctx, resource, id)
	switch {
	case err != nil || refused == nil:
		return err
	case owner == p.User.ID:
		return p.PermitRow(access.ArtifactsWrite, access.Row{Owner: owner, ID: id})
	case p.PermitRow(access.ArtifactsRead, access.Row{Owner: owner, ID: id}) != nil:
		return kappa.NewError(kappa.CodeNotFound, "Resource not found: "+resource+"/"+id)
	}
	return refused
}

// AddResourceGrant grants a thing to a user or a group: whoever may change who may do what, as
// far as they may do it themselves, and the owner of an artifact. It returns a CodeInvalid
// Error for a value that breaks a rule, a CodeNotFound Error for a thing, a user or a group
// that there is not, and a CodeForbidden Error for what p may not grant.
func (g *Groups) AddResourceGrant(ctx context.Context, p access.Principal, n access.NewResourceGrant) (access.ResourceGrant, error) {
	if err := n.Validate(); err != nil {
		return access.ResourceGrant{}, err
	}
	if !isID(n.PrincipalID) {
		if n.PrincipalType == access.PrincipalGroup {
			return access.ResourceGrant{}, errNoGroup()
		}
		return access.ResourceGrant{}, errNoUser()
	}
	if err := g.mayManage(ctx, p, access.RBACWrite, n.ResourceType, n.ResourceID); err != nil {
		return access.ResourceGrant{}, err
	}
	policy, err := g.policies.Policy(ctx)
	if err != nil {
		return access.ResourceGrant{}, err
	}
	if p.Permit(access.RBACWrite) == nil {
		if err := mayShare(policy, p, access.NewShare(n.ResourceType, n.ResourceID, n.ResourceID, n.Permission)); err != nil {
			return access.ResourceGrant{}, err
		}
	}
	if n.ResourceType == access.GrantRole && policy.Administers(n.ResourceID) {
		if err := g.checkPasswords(ctx, n.PrincipalID); err != nil {
			return access.ResourceGrant{}, err
		}
	}
	return g.store.AddResourceGrant(ctx, n)
}

// checkPasswords refuses to make administrators of a group with an account whose password is
// short, and of everybody.
func (g *Groups) checkPasswords(ctx context.Context, group int) error {
	if group == access.PublicGroup {
		return kappa.NewError(kappa.CodeForbidden, "Everybody is in the group 'public': a role that changes accounts or rights is not given to it")
	}
	members, err := g.store.Members(ctx, group)
	if err != nil {
		return err
	}
	for _, m := range members {
		account, err := g.users.user(ctx, m.UserID)
		if err != nil && kappa.ErrorCode(err) != kappa.CodeNotFound {
			return err
		}
		if account.ShortPassword {
			return errShortPassword()
		}
	}
	return nil
}

// RemoveResourceGrant takes a grant away; whoever may grant it may. It returns a CodeNotFound
// Error for an unknown id.
func (g *Groups) RemoveResourceGrant(ctx context.Context, p access.Principal, id int) error {
	missing := kappa.NewError(kappa.CodeNotFound, "Grant not found")
	if !isID(id) {
		return missing
	}
	grant, err := g.store.ResourceGrant(ctx, id)
	if err != nil {
		return err
	}
	if err := g.mayManage(ctx, p, access.RBACDelete, grant.ResourceType, grant.ResourceID); err != nil {
		return err
	}
	policy, err := g.policies.Policy(ctx)
	if err != nil {
		return err
	}
	if grant.ResourceType == access.GrantRole {
		if err := mayShare(policy, p, access.Share{Role: grant.ResourceID}); err != nil {
			return err
		}
	}
	return g.store.RemoveResourceGrant(ctx, grant)
}

// isID reports whether a number can be that of a row.
func isID(id int) bool { return id >= 1 && id <= math.MaxInt32 }
