package access

import (
	"testing"
	"time"

	"github.com/kappagraph/kappa"
)

func builtinPolicy(custom ...Role) *Policy {
	p := &Policy{Assignments: map[int][]RoleAssignment{}}
	var before *string
	for _, name := range BuiltinRoles() {
		p.Roles = append(p.Roles, Role{Name: name, Builtin: true, Active: true, Parent: before})
		before = &name
	}
	p.Roles = append(p.Roles, custom...)
	return p
}

func TestRights(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	parent := func(name string) *string { return &name }
	grant := func(role string, p Permission, scope string, granted bool) RoleGrant {
		return RoleGrant{Role: role, Resource: p.Resource(), Action: p.Action(), Scope: scope, Granted: granted}
	}
	roles := []Role{
		{Name: "monitor", Active: true},
		{Name: "night", Active: true, Parent: parent("monitor")},
		{Name: "careful", Active: true, Parent: parent(RoleContributor)},
		{Name: "asleep", Parent: parent(RolePlatformAdmin)},
		{Name: "behind", Active: true, Parent: parent("asleep")},
		{Name: "a", Active: true, Parent: parent("b")},
		{Name: "b", Active: true, Parent: parent("a")},
	}
	grants := []RoleGrant{
		grant("monitor", WorkersView, ScopeGlobal, true), grant("monitor", JobsRead, ScopeOwn, true),
		grant("night", WorkersManage, ScopeGlobal, true), grant("careful", JobsApprove, ScopeGlobal, false),
		grant("a", GraphRead, ScopeGlobal, true),
	}
	for name, c := range map[string]struct {
		role  string
		extra []RoleAssignment
		want  map[Permission]Reach
	}{
		"a custom role has what it is granted and nothing else": {
			role: "monitor", want: map[Permission]Reach{WorkersView: ReachAll, JobsRead: ReachOwn, WorkersManage: ReachNone, GraphRead: ReachNone},
		},
		"it has what its parent has": {role: "night", want: map[Permission]Reach{WorkersView: ReachAll, WorkersManage: ReachAll, JobsRead: ReachOwn}},
		"what it is denied its parent does not give": {
			role: "careful", want: map[Permission]Reach{JobsApprove: ReachNone, JobsCancel: ReachOwn, IngestCreate: ReachAll},
		},
		"what one role is denied no other gives": {
			role: "careful", extra: []RoleAssignment{{Role: RoleAdmin}}, want: map[Permission]Reach{JobsApprove: ReachNone, WorkersView: ReachAll},
		},
		"an inactive role grants nothing": {role: "asleep", want: map[Permission]Reach{GraphRead: ReachNone}},
		"nor does what is behind one":     {role: "behind", want: map[Permission]Reach{GraphRead: ReachNone, UsersRead: ReachNone}},
		"an unknown role grants nothing":  {role: "unknown", want: map[Permission]Reach{GraphRead: ReachNone}},
		"a circle of parents ends":        {role: "b", want: map[Permission]Reach{GraphRead: ReachAll}},
		"an assignment adds":              {role: RoleReadOnly, extra: []RoleAssignment{{Role: RoleCurator}}, want: map[Permission]Reach{JobsRead: ReachAll, WorkersView: ReachNone}},
		"one that has expired does not":   {role: RoleReadOnly, extra: []RoleAssignment{{Role: RoleAdmin, ExpiresAt: &kappa.Time{Time: now}}}, want: map[Permission]Reach{WorkersView: ReachNone, GraphRead: ReachAll}},
		"one that has not yet does":       {role: RoleReadOnly, extra: []RoleAssignment{{Role: RoleAdmin, ExpiresAt: &kappa.Time{Time: now.Add(1)}}}, want: map[Permission]Reach{WorkersView: ReachAll}},
		"one of own scope covers rows of users": {
			role: RoleReadOnly, extra: []RoleAssignment{{Role: RoleAdmin, Scope: parent(ScopeOwn)}},
			want: map[Permission]Reach{JobsDelete: ReachOwn, JobsCancel: ReachOwn, WorkersManage: ReachNone, GraphWrite: ReachNone, UsersWrite: ReachNone},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := builtinPolicy(roles...)
			p.Grants, p.Assignments[7] = grants, c.extra
			rights, _ := p.Rights(User{ID: 7, Role: c.role}, now)
			for permission, want := range c.want {
				if got := rights[permission]; got != want {
					t.Errorf("%s reaches %v, want %v", permission, got, want)
				}
			}
		})
	}
	t.Run("a built-in role alone is left to the matrix", func(t *testing.T) {
		for _, role := range BuiltinRoles() {
			if rights, _ := builtinPolicy().Rights(User{ID: 7, Role: role}, now); rights != nil {
				t.Errorf("%s: %v", role, rights)
			}
		}
	})
}

func TestAbove(t *testing.T) {
	t.Parallel()
	p := builtinPolicy(Role{Name: "monitor", Active: true}, Role{Name: "seller", Active: true})
	p.Grants = []RoleGrant{
		{Role: "monitor", Resource: "workers", Action: "view", Scope: ScopeGlobal, Granted: true},
		{Role: "seller", Resource: "offers", Action: "send", Scope: ScopeGlobal, Granted: true},
	}
	for i, giver := range BuiltinRoles() {
		rights := Principal{User: User{Role: giver}}.Rights()
		for j, role := range BuiltinRoles() {
			if got := p.Above(role, rights); got != (j > i) {
				t.Errorf("for %s, %s is above: %v", giver, role, got)
			}
		}
		if got := p.Above("monitor", rights); got != (i < 3) {
			t.Errorf("for %s, a role that sees the workers is above: %v", giver, got)
		}
		if got := p.Above("seller", rights); got != (giver != RolePlatformAdmin) {
			t.Errorf("for %s, a role with a permission of another program is above: %v", giver, got)
		}
	}
}

// TestBuiltinGrants reads the rows of the built-in roles back into the matrix.
func TestBuiltinGrants(t *testing.T) {
	t.Parallel()
	reach := map[Permission]Reach{}
	rows := BuiltinGrants()
	for _, role := range BuiltinRoles() {
		for _, g := range rows {
			if g.Role != role {
				continue
			}
			reach[g.Permission()] = ReachAll
			if g.Scope == ScopeOwn {
				reach[g.Permission()] = ReachOwn
			}
		}
		for _, p := range Permissions() {
			if reach[p] != RoleReach(role, p) {
				t.Errorf("%s by %s: the rows say %v, the matrix %v", role, p, reach[p], RoleReach(role, p))
			}
		}
	}
	if last := rows[len(rows)-1].ID; last >= FirstGrantID {
		t.Errorf("the last id is %d", last)
	}
}

func TestNewRoleGrantValidate(t *testing.T) {
	t.Parallel()
	own, all, no := ScopeOwn, ScopeGlobal, false
	for want, n := range map[string]NewRoleGrant{
		"":              {Role: "x", Resource: "jobs", Action: "read", Scope: &own},
		"resource_type": {Role: "x", Resource: "ships", Action: "read"},
		"action":        {Role: "x", Resource: "jobs", Action: "sink"},
		"scope_type":    {Role: "x", Resource: "workers", Action: "view", Scope: &own},
		"scope_id":      {Role: "x", Resource: "workers", Action: "view", Scope: &all, ScopeID: &own},
		"scope_filter":  {Role: "x", Resource: "workers", Action: "view", ScopeFilter: []byte(`{}`)},
	} {
		err := n.Validate(BuiltinResources())
		var named string
		if e, ok := err.(*kappa.Error); ok { //nolint:errorlint // it is not wrapped
			named = e.Fields[0].Name
		}
		if named != want {
			t.Errorf("%+v: %v, want one that names %q", n, err, want)
		}
	}
	if err := (NewRoleGrant{Resource: "jobs", Action: "read", Scope: &own, Granted: &no}).Validate(BuiltinResources()); err == nil {
		t.Error("a denial of own rows was taken")
	}
}

// TestRightsEnd: the first assignment that is still in force and ends says when.
func TestRightsEnd(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *kappa.Time { return &kappa.Time{Time: now.Add(d)} }
	p := &Policy{Assignments: map[int][]RoleAssignment{
		7: {{ExpiresAt: at(time.Hour)}, {ExpiresAt: at(-time.Hour)}, {}, {ExpiresAt: at(time.Minute)}},
		8: {{}, {ExpiresAt: at(-time.Hour)}},
	}}
	for id, want := range map[int]time.Time{7: now.Add(time.Minute), 8: {}, 9: {}} {
		if got := p.RightsEnd(User{ID: id}, now); !got.Equal(want) {
			t.Errorf("user %d: %v, want %v", id, got, want)
		}
	}
}
