package auth

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// roleStore keeps the custom roles, what they are granted, and who has which. The epoch of
// Policy is that of AccessEpoch.
type roleStore interface { //nolint:interfacebloat // five nouns that are changed together
	policyStore
	CreateRole(ctx context.Context, n access.NewRole) (access.Role, error)
	UpdateRole(ctx context.Context, name string, u access.RoleUpdate) (access.Role, error)
	DeleteRole(ctx context.Context, name string) error
	AddGrant(ctx context.Context, n access.NewRoleGrant) (access.RoleGrant, error)
	RemoveGrant(ctx context.Context, id int) error
	Assignments(ctx context.Context, userID int) ([]access.RoleAssignment, error)
	Assign(ctx context.Context, n access.NewRoleAssignment) (access.RoleAssignment, error)
	Unassign(ctx context.Context, id int, allow func(access.RoleAssignment) error) error
	ResourceTypes(ctx context.Context) ([]access.ResourceType, error)
	AddResourceType(ctx context.Context, n access.NewResourceType) (access.ResourceType, error)
}

// Roles keeps the roles, what they grant, and who has which.
type Roles struct {
	store    roleStore
	policies *Policies
	users    *Accounts
	now      func() time.Time
}

// Roles returns the roles, the built-in ones first, without inactive ones unless all.
func (s *Roles) Roles(ctx context.Context, all bool) ([]access.Role, error) {
	policy, err := s.policies.Policy(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(policy.Roles), func(r access.Role) bool { return !all && !r.Active }), nil
}

// Role returns a role. It returns a CodeNotFound Error for an unknown name.
func (s *Roles) Role(ctx context.Context, name string) (access.Role, error) {
	policy, err := s.policies.Policy(ctx)
	if err != nil {
		return access.Role{}, err
	}
	role := policy.Role(name)
	if role == nil {
		return access.Role{}, kappa.NewError(kappa.CodeNotFound, "Role not found")
	}
	return *role, nil
}

// CreateRole makes a custom role. It returns a CodeInvalid Error for a value that breaks a
// rule, a CodeForbidden Error for a parent that reaches further than p, and a CodeConflict
// Error when the name is taken.
func (s *Roles) CreateRole(ctx context.Context, p access.Principal, n access.NewRole) (access.Role, error) {
	if err := n.Validate(); err != nil {
		return access.Role{}, err
	}
	if n.Parent != nil {
		policy, err := s.policies.Policy(ctx)
		if err != nil {
			return access.Role{}, err
		}
		if policy.Above(*n.Parent, p.Rights()) {
			return access.Role{}, errRoleAbove(n.Name)
		}
	}
	return s.store.CreateRole(ctx, n)
}

// errRoleAbove refuses to make a role one that may do more than who makes it.
func errRoleAbove(name string) error {
	return kappa.NewError(kappa.CodeForbidden, "The role "+name+" would do more than you may; somebody who may do as much must change it")
}

// UpdateRole changes a custom role. It returns a CodeInvalid Error for a value that
// breaks a rule or a circle of parents, a CodeNotFound Error for an unknown name, and a
// CodeForbidden Error for a built-in one, and for one that reaches further than p then.
func (s *Roles) UpdateRole(ctx context.Context, p access.Principal, name string, u access.RoleUpdate) (access.Role, error) {
	if err := u.Validate(); err != nil {
		return access.Role{}, err
	}
	policy, err := s.policies.Policy(ctx)
	if err != nil {
		return access.Role{}, err
	}
	if was := policy.Role(name); was != nil && !was.Builtin {
		changed := *was
		if u.Active != nil {
			changed.Active = *u.Active
		}
		if u.Parent != nil {
			changed.Parent = u.Parent
		}
		if policy.With(changed).Above(name, p.Rights()) {
			return access.Role{}, errRoleAbove(name)
		}
	}
	return s.store.UpdateRole(ctx, name, u)
}

// DeleteRole deletes a custom role that nobody has. It returns a CodeNotFound Error for
// an unknown name, a CodeForbidden Error for a built-in one, and a CodeConflict Error for
// one that somebody has.
func (s *Roles) DeleteRole(ctx context.Context, name string) error {
	return s.store.DeleteRole(ctx, name)
}

// Grants returns what roles are granted and denied: of all roles, each where it is
// granted, and of one with what it has from its parents. "" selects every role or
// every kind of things. It returns a CodeNotFound Error for an unknown role.
func (s *Roles) Grants(ctx context.Context, role, resource string) ([]access.RoleGrant, error) {
	policy, err := s.policies.Policy(ctx)
	if err != nil {
		return nil, err
	}
	all := append(access.BuiltinGrants(), policy.Grants...)
	var list []access.RoleGrant
	if role == "" {
		list = all
	} else {
		if policy.Role(role) == nil {
			return nil, kappa.NewError(kappa.CodeNotFound, "Role not found")
		}
		for _, r := range parents(policy, role) {
			for _, g := range all {
				if g.Role != r {
					continue
				}
				if r != role {
					g.InheritedFrom = &r
				}
				list = append(list, g)
			}
		}
	}
	return slices.DeleteFunc(list, func(g access.RoleGrant) bool { return resource != "" && g.Resource != resource }), nil
}

// parents returns a role and its parents, active or not.
func parents(policy *access.Policy, name string) []string {
	var list []string
	for r := policy.Role(name); r != nil && !slices.Contains(list, r.Name); {
		list = append(list, r.Name)
		if r.Parent == nil {
			break
		}
		r = policy.Role(*r.Parent)
	}
	return list
}

// AddGrant grants a custom role a permission, or denies it. It returns a CodeInvalid Error
// for one that breaks a rule, a CodeNotFound Error for an unknown role, a CodeForbidden
// Error for a built-in one and for a permission that p has not, and a CodeConflict Error
// when the role has it.
func (s *Roles) AddGrant(ctx context.Context, p access.Principal, n access.NewRoleGrant) (access.RoleGrant, error) {
	types, err := s.ResourceTypes(ctx)
	if err != nil {
		return access.RoleGrant{}, err
	}
	if err := n.Validate(types); err != nil {
		return access.RoleGrant{}, err
	}
	reach := access.ReachAll
	if n.Scope != nil && *n.Scope == access.ScopeOwn {
		reach = access.ReachOwn
	}
	if denies := n.Granted != nil && !*n.Granted; !denies {
		if err := mayGrant(p, access.RoleGrant{Resource: n.Resource, Action: n.Action}.Permission(), reach); err != nil {
			return access.RoleGrant{}, err
		}
	}
	return s.store.AddGrant(ctx, n)
}

// mayGrant returns an error unless p has a permission that it grants.
func mayGrant(p access.Principal, permission access.Permission, reach access.Reach) error {
	if access.Cover(p.Rights(), map[access.Permission]access.Reach{permission: reach}, nil) {
		return nil
	}
	return kappa.NewError(kappa.CodeForbidden, "You have not the permission "+string(permission)+" yourself; somebody who has must grant it")
}

// RemoveGrant takes a permission, or its denial, from a custom role. It returns a
// CodeNotFound Error for an unknown id, and a CodeForbidden Error for that of a built-in
// role and for the denial of a permission that p has not.
func (s *Roles) RemoveGrant(ctx context.Context, p access.Principal, id int) error {
	if id < 1 || id > math.MaxInt32 {
		return kappa.NewError(kappa.CodeNotFound, "Permission not found")
	}
	policy, err := s.policies.Policy(ctx)
	if err != nil {
		return err
	}
	for _, g := range policy.Grants {
		if g.ID == id && !g.Granted {
			if err := mayGrant(p, g.Permission(), access.ReachAll); err != nil {
				return err
			}
		}
	}
	return s.store.RemoveGrant(ctx, id)
}

// Assignments returns the roles that a user has besides that of the account. It returns a
// CodeNotFound Error for an unknown user.
func (s *Roles) Assignments(ctx context.Context, userID int) ([]access.RoleAssignment, error) {
	if userID < 1 || userID > math.MaxInt32 {
		return nil, errNoUser()
	}
	return s.store.Assignments(ctx, userID)
}

// Assign gives a user a role besides that of the account. It returns a CodeInvalid Error
// for a value that breaks a rule, a CodeNotFound Error for an unknown user or role, a
// CodeForbidden Error for a role that reaches further than p, and a CodeConflict Error
// when the user has it.
func (s *Roles) Assign(ctx context.Context, p access.Principal, n access.NewRoleAssignment) (access.RoleAssignment, error) {
	if err := n.Validate(s.now()); err != nil {
		return access.RoleAssignment{}, err
	}
	if n.UserID < 1 || n.UserID > math.MaxInt32 {
		return access.RoleAssignment{}, errNoUser()
	}
	if _, err := s.Role(ctx, n.Role); err != nil {
		return access.RoleAssignment{}, err
	}
	policy, err := s.policies.mayGive(ctx, p, n.Role)
	if err != nil {
		return access.RoleAssignment{}, err
	}
	if policy.Administers(n.Role) {
		user, err := s.users.user(ctx, n.UserID)
		if err != nil {
			return access.RoleAssignment{}, err
		}
		if user.ShortPassword {
			return access.RoleAssignment{}, errShortPassword()
		}
	}
	return s.store.Assign(ctx, n)
}

// Unassign takes a role from a user. It returns a CodeNotFound Error for an unknown id,
// and a CodeForbidden Error for a role that reaches further than p.
func (s *Roles) Unassign(ctx context.Context, p access.Principal, id int) error {
	if id < 1 || id > math.MaxInt32 {
		return kappa.NewError(kappa.CodeNotFound, "Role assignment not found")
	}
	policy, err := s.policies.Policy(ctx)
	if err != nil {
		return err
	}
	return s.store.Unassign(ctx, id, func(a access.RoleAssignment) error {
		if policy.Above(a.Role, p.Rights()) {
			return kappa.NewError(kappa.CodeForbidden, "The role "+a.Role+" may do more than you; somebody who may do as much must take it away")
		}
		return nil
	})
}

// ResourceTypes returns the kinds of things that permissions are about: Kappa's own
// first, and then those of other programs.
func (s *Roles) ResourceTypes(ctx context.Context) ([]access.ResourceType, error) {
	others, err := s.store.ResourceTypes(ctx)
	return append(access.BuiltinResources(), others...), err
}

// AddResourceType registers a kind of things of another program. It returns a CodeInvalid
// Error for a value that breaks a rule, and a CodeConflict Error when the name is taken.
func (s *Roles) AddResourceType(ctx context.Context, n access.NewResourceType) (access.ResourceType, error) {
	if err := n.Validate(); err != nil {
		return access.ResourceType{}, err
	}
	if slices.ContainsFunc(access.BuiltinResources(), func(t access.ResourceType) bool { return t.Type == n.Type }) {
		return access.ResourceType{}, kappa.NewError(kappa.CodeConflict, "Resource type '"+n.Type+"' already exists")
	}
	return s.store.AddResourceType(ctx, n)
}

// Held returns what p may do, sorted: what the roles of its user allow and the scopes of
// its token do not take away.
func (s *Roles) Held(p access.Principal) []access.PermissionHeld {
	list := []access.PermissionHeld{}
	rights := maps.Clone(p.Rights())
	for permission := range p.Rows {
		rights[permission] += 0
	}
	for permission := range rights {
		scope := access.ScopeGlobal
		switch p.Reach(permission) {
		case access.ReachNone:
			if p.PermitSome(permission) != nil {
				continue
			}
			scope = "some"
		case access.ReachOwn:
			scope = access.ScopeOwn
		case access.ReachAll:
		}
		list = append(list, access.PermissionHeld{Resource: permission.Resource(), Action: permission.Action(), Granted: true, Scope: scope})
	}
	slices.SortFunc(list, func(a, b access.PermissionHeld) int {
		return slices.Compare([]string{a.Resource, a.Action}, []string{b.Resource, b.Action})
	})
	return list
}

// Check answers whether a user may do something, whatever the scopes of a token. Everybody
// may ask about themselves; about others it takes the permission rbac:read. It returns a
// CodeNotFound Error for an unknown user.
func (s *Roles) Check(ctx context.Context, p access.Principal, q access.PermissionQuestion) (access.PermissionAnswer, error) {
	if q.UserID != p.User.ID {
		if err := p.Permit(access.RBACRead); err != nil {
			return access.PermissionAnswer{}, err
		}
	}
	user, err := s.users.user(ctx, q.UserID)
	if err != nil {
		return access.PermissionAnswer{}, err
	}
	answer := func(allowed bool, reason string) (access.PermissionAnswer, error) {
		return access.PermissionAnswer{Allowed: allowed, Reason: &reason}, nil
	}
	if user.Disabled {
		return answer(false, "The account is disabled")
	}
	about, err := s.policies.principal(ctx, user)
	if err != nil {
		return access.PermissionAnswer{}, err
	}
	row, err := q.Row()
	if err != nil {
		return access.PermissionAnswer{}, err
	}
	permission := access.Permission(q.Resource + ":" + q.Action)
	some := about.Rows[permission]
	switch reach := about.Rights()[permission]; {
	case reach == access.ReachAll:
		return answer(true, "The user has the permission for all rows")
	case some.Has(row):
		return answer(true, "The user has the permission for this row")
	case reach == access.ReachOwn && q.ID == nil && row.Owner == 0:
		return answer(true, "The user has the permission for own rows")
	case reach == access.ReachOwn && row.Owner == user.ID:
		return answer(true, "It is the user's own")
	case reach == access.ReachOwn:
		return answer(false, "The user has the permission for own rows only; resource_context.owner_id says whose it is")
	case !some.Empty():
		return answer(false, "The user has the permission for other rows; resource_id and resource_context say which one it is")
	}
	return answer(false, "No role of the user grants it")
}
