package auth

import (
	"testing"

	"github.com/kappagraph/kappa"
)

// TestNobodyGrantsMoreThanTheyHave gives an account the permission to grant permissions, and
// has it try to gain others.
func TestNobodyGrantsMoreThanTheyHave(t *testing.T) {
	s, m := newService(t)
	m.roles.custom = []kappa.Role{{Name: "clerk", Active: true}, {Name: "asleep", Parent: new(kappa.RolePlatformAdmin)}}
	m.roles.grants = []kappa.RoleGrant{
		{ID: kappa.FirstGrantID, Role: "clerk", Resource: "jobs", Action: "delete"}, // denied
		{ID: kappa.FirstGrantID + 1, Role: "clerk", Resource: "rbac", Action: "write", Scope: kappa.ScopeGlobal, Granted: true},
		{ID: kappa.FirstGrantID + 2, Role: "clerk", Resource: "workers", Action: "view", Scope: kappa.ScopeGlobal, Granted: true},
	}
	clerk := kappa.Principal{User: kappa.User{ID: 1009, Role: "clerk"}, Scopes: []string{kappa.ScopeAdmin}, Grants: map[kappa.Permission]kappa.Reach{
		kappa.RBACWrite: kappa.ReachAll, kappa.WorkersView: kappa.ReachAll, kappa.JobsRead: kappa.ReachOwn,
	}}
	admin := kappa.Principal{User: kappa.User{ID: kappa.AdminUserID, Role: kappa.RolePlatformAdmin}, Scopes: []string{kappa.ScopeAdmin}}
	grant := func(p kappa.Principal, permission kappa.Permission, change func(n *kappa.NewRoleGrant)) error {
		n := kappa.NewRoleGrant{Role: "clerk", Resource: permission.Resource(), Action: permission.Action()}
		if change != nil {
			change(&n)
		}
		_, err := s.AddGrant(t.Context(), p, n)
		return err
	}
	own := func(n *kappa.NewRoleGrant) { n.Scope = new(kappa.ScopeOwn) }
	for name, c := range map[string]struct {
		err  error
		code kappa.Code
	}{
		"what one has":                                    {grant(clerk, kappa.WorkersView, nil), ""},
		"what one has not":                                {grant(clerk, kappa.UsersWrite, nil), kappa.CodeForbidden},
		"all rows where one has one's own":                {grant(clerk, kappa.JobsRead, nil), kappa.CodeForbidden},
		"own rows where one has one's own":                {grant(clerk, kappa.JobsRead, own), ""},
		"a denial of what one has not":                    {grant(clerk, kappa.UsersWrite, func(n *kappa.NewRoleGrant) { n.Granted = new(false) }), ""},
		"the end of a denial":                             {s.RemoveGrant(t.Context(), clerk, kappa.FirstGrantID), kappa.CodeForbidden},
		"what a platform administrator has, by one":       {grant(admin, kappa.UsersRead, nil), ""},
		"the end of a denial by a platform administrator": {s.RemoveGrant(t.Context(), admin, kappa.FirstGrantID), ""},
	} {
		if kappa.ErrorCode(c.err) != c.code {
			t.Errorf("to grant %s: %v, want %q", name, c.err, c.code)
		}
	}
	for name, change := range map[string]func(p kappa.Principal) error{
		"a role with the parent admin": func(p kappa.Principal) error {
			_, err := s.CreateRole(t.Context(), p, kappa.NewRole{Name: "chief", DisplayName: "Chief", Parent: new(kappa.RoleAdmin)})
			return err
		},
		"admin as the parent of one's own role": func(p kappa.Principal) error {
			_, err := s.UpdateRole(t.Context(), p, "clerk", kappa.RoleUpdate{Parent: new(kappa.RoleAdmin)})
			return err
		},
		"a role that is active again": func(p kappa.Principal) error {
			_, err := s.UpdateRole(t.Context(), p, "asleep", kappa.RoleUpdate{Active: new(true)})
			return err
		},
	} {
		if err := change(clerk); kappa.ErrorCode(err) != kappa.CodeForbidden {
			t.Errorf("%s: %v, want that it is refused", name, err)
		}
		if err := change(admin); err != nil {
			t.Errorf("%s, by a platform administrator: %v", name, err)
		}
	}
	if _, err := s.UpdateRole(t.Context(), clerk, "clerk", kappa.RoleUpdate{DisplayName: new("Clerks")}); err == nil {
		t.Error("a role that may do more by now was changed")
	}
}

// TestPermissionsOfOtherPrograms assigns a role that has a permission of another program,
// which no role of ours has.
func TestPermissionsOfOtherPrograms(t *testing.T) {
	s, m := newService(t)
	m.users[1009] = &kappa.User{ID: 1009, Username: "ada", Role: kappa.RoleReadOnly}
	m.roles.custom = []kappa.Role{{Name: "seller", Active: true}}
	m.roles.grants = []kappa.RoleGrant{{ID: kappa.FirstGrantID, Role: "seller", Resource: "offers", Action: "send", Scope: kappa.ScopeGlobal, Granted: true}}
	assign := func(role string) error {
		p := kappa.Principal{User: kappa.User{ID: kappa.AdminUserID, Role: role}, Scopes: []string{kappa.ScopeAdmin}}
		_, err := s.Assign(t.Context(), p, kappa.NewRoleAssignment{UserID: 1009, Role: "seller"})
		return err
	}
	if err := assign(kappa.RoleAdmin); kappa.ErrorCode(err) != kappa.CodeForbidden {
		t.Errorf("by an administrator, who grants no permissions: %v", err)
	}
	if err := assign(kappa.RolePlatformAdmin); err != nil {
		t.Errorf("by a platform administrator: %v", err)
	}
	yes := true
	admin := kappa.Principal{User: kappa.User{ID: kappa.AdminUserID, Role: kappa.RolePlatformAdmin}, Scopes: []string{kappa.ScopeAdmin}}
	if _, err := s.UpdateUser(t.Context(), admin, 1009, kappa.UserUpdate{Disabled: &yes}); err != nil {
		t.Errorf("the account that has the role: %v", err)
	}
}
