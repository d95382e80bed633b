package access

import (
	"slices"
	"time"
)

// Policy is who may do what beyond the built-in roles: the roles, what custom ones
// are granted and denied, and which roles users have besides that of their account. It
// is read as a whole and never changed.
type Policy struct {
	Roles       []Role
	Grants      []RoleGrant // of custom roles
	Assignments map[int][]RoleAssignment

	UserShares  map[int][]Share // what single users are granted
	GroupShares map[int][]Share // what the members of groups are
	Memberships map[int][]int   // the groups of a user, without PublicGroup
}

// sharesOf returns what a user is granted without a role: alone, and as a member of groups.
func (p *Policy) sharesOf(userID int) []Share {
	list := slices.Concat(p.UserShares[userID], p.GroupShares[PublicGroup])
	for _, group := range p.Memberships[userID] {
		list = append(list, p.GroupShares[group]...)
	}
	return list
}

// Role returns the role with that name, nil when there is none.
func (p *Policy) Role(name string) *Role {
	if i := slices.IndexFunc(p.Roles, func(r Role) bool { return r.Name == name }); i >= 0 {
		return &p.Roles[i]
	}
	return nil
}

// Rights returns what a user reaches by each permission at a time, and nil for a user
// who has nothing but a built-in role, for RoleReach to answer. What a role of the
// user, or a parent of it, is denied the user has not, whatever else grants it. An
// inactive role, one that does not exist, and an assignment that has expired grant
// nothing, and nor do the parents behind them.
//
// rows are those that a permission is granted for beyond that, one by one or by what they
// are. An assignment that covers rows of the user only grants none of them.
func (p *Policy) Rights(u User, now time.Time) (reach map[Permission]Reach, rows map[Permission]RowSet) {
	extra, shares := p.Assignments[u.ID], p.sharesOf(u.ID)
	if len(extra)+len(shares) == 0 && slices.Contains(BuiltinRoles(), u.Role) {
		return nil, nil
	}
	r := newRights()
	p.add(r, u.Role, ReachAll)
	for _, a := range extra {
		most := ReachAll
		if scopeOf(a.Scope) == ScopeOwn {
			most = ReachOwn
		}
		if a.ExpiresAt == nil || now.Before(a.ExpiresAt.Time) {
			p.add(r, a.Role, most)
		}
	}
	for _, s := range shares {
		if s.Role != "" {
			p.add(r, s.Role, ReachAll)
		}
		for _, g := range s.Grants {
			r.grant(g, ReachAll)
		}
	}
	return r.without()
}

// RightsEnd returns when the first of what a user reaches at a time ends by itself, and the
// zero time when nothing does.
func (p *Policy) RightsEnd(u User, now time.Time) (first time.Time) {
	for _, a := range p.Assignments[u.ID] {
		if a.ExpiresAt != nil && now.Before(a.ExpiresAt.Time) && (first.IsZero() || a.ExpiresAt.Before(first)) {
			first = a.ExpiresAt.Time
		}
	}
	return first
}

// Above reports whether a role reaches something that rights do not cover: who has only
// those may not give it to anybody.
func (p *Policy) Above(role string, rights map[Permission]Reach) bool {
	r := newRights()
	p.add(r, role, ReachAll)
	reach, rows := r.without()
	return !Cover(rights, reach, rows)
}

// Administers reports whether a role may change accounts or rights: more depends on the
// password of who has it.
func (p *Policy) Administers(role string) bool {
	r := newRights()
	p.add(r, role, ReachAll)
	reach, _ := r.without()
	return administers(reach)
}

// UserAdministers reports whether a user may change accounts or rights, by the role of the
// account or another one.
func (p *Policy) UserAdministers(u User, now time.Time) bool {
	reach, _ := p.Rights(u, now)
	return administers(Principal{User: u, Grants: reach}.Rights())
}

func administers(reach map[Permission]Reach) bool {
	for _, permission := range []Permission{UsersCreate, UsersWrite, UsersDelete, RBACWrite, RBACCreate} {
		if reach[permission] != ReachNone {
			return true
		}
	}
	return false
}

// With returns the policy as it would be if a role were another one.
func (p *Policy) With(role Role) *Policy {
	changed := *p
	changed.Roles = append(slices.DeleteFunc(slices.Clone(p.Roles), func(r Role) bool { return r.Name == role.Name }), role)
	return &changed
}

// Cover reports whether rights reach as far as others: who has only those may give the
// others to somebody. Rows that are granted one by one take the permission for all rows.
// Permissions of other programs, which no role of ours has, may be given by those who grant
// permissions.
func Cover(rights, others map[Permission]Reach, rows map[Permission]RowSet) bool {
	covers := func(p Permission, reach Reach) bool {
		_, ours := builtinRights[p]
		return reach <= rights[p] || !ours && rights[RBACWrite] == ReachAll
	}
	for p, reach := range others {
		if !covers(p, reach) {
			return false
		}
	}
	for p := range rows {
		if !covers(p, ReachAll) {
			return false
		}
	}
	return true
}

// rights is what roles grant and deny, as it is summed up.
type rights struct {
	reach  map[Permission]Reach
	rows   map[Permission]RowSet
	denied []Permission
}

func newRights() *rights {
	return &rights{reach: map[Permission]Reach{}, rows: map[Permission]RowSet{}}
}

// without returns what is granted without what is denied.
func (r *rights) without() (map[Permission]Reach, map[Permission]RowSet) {
	for _, p := range r.denied {
		delete(r.reach, p)
		delete(r.rows, p)
	}
	return r.reach, r.rows
}

// grant adds what a role is granted or denied, at most so far.
func (r *rights) grant(g RoleGrant, most Reach) {
	p := g.Permission()
	some := r.rows[p]
	switch {
	case !g.Granted:
		r.denied = append(r.denied, p)
		return
	case g.Scope == ScopeGlobal:
		r.widen(p, ReachAll, most)
		return
	case g.Scope == ScopeOwn:
		r.widen(p, ReachOwn, most)
		return
	case most < ReachAll:
		return
	case g.Scope == ScopeInstance && g.ScopeID != nil:
		some.IDs = append(some.IDs, *g.ScopeID)
	case g.Scope == ScopeFilter:
		filter, rule := parseScopeFilter(g.Resource, g.ScopeFilter)
		if rule != "" {
			return // nobody stores such a one
		}
		some.Filters = append(some.Filters, filter)
	default:
		return
	}
	r.rows[p] = some
}

// Chain returns a role and its parents, nearest first, as far as all are active.
func (p *Policy) Chain(role string) []Role {
	var chain []Role
	for next := p.Role(role); next != nil && next.Active && len(chain) < maxRoleDepth; {
		chain = append(chain, *next)
		if next.Parent == nil {
			break
		}
		next = p.Role(*next.Parent)
	}
	return chain
}

// add adds what a role and its parents are granted, at most so far, and denied.
func (p *Policy) add(to *rights, role string, most Reach) {
	for _, r := range p.Chain(role) {
		if r.Builtin {
			for permission := range builtinRights {
				to.widen(permission, RoleReach(r.Name, permission), most)
			}
			return // it has all of its parents' already
		}
		for _, g := range p.Grants {
			if g.Role == r.Name {
				to.grant(g, most)
			}
		}
	}
}

// widen raises what is reached. What is narrowed to rows of the user is nothing where
// rows belong to nobody.
func (r *rights) widen(p Permission, reach, most Reach) {
	if most == ReachOwn && !slices.Contains(ownedResources, p.Resource()) {
		return
	}
	if reach = min(reach, most); reach > r.reach[p] {
		r.reach[p] = reach
	}
}

// Rights returns what a principal's roles reach by each permission, whatever the scopes
// of its token.
func (p Principal) Rights() map[Permission]Reach {
	if p.Grants != nil {
		return p.Grants
	}
	rights := map[Permission]Reach{}
	for permission := range builtinRights {
		if reach := RoleReach(p.User.Role, permission); reach > ReachNone {
			rights[permission] = reach
		}
	}
	return rights
}
