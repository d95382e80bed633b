package auth

import (
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// TestNobodyGrantsMoreThanTheyHave gives an account the permission to grant permissions, and
// has it try to gain others.
func TestNobodyGrantsMoreThanTheyHave(t *testing.T) {
	s, m := newService(t)
	m.roles.custom = []access.Role{{Name: "clerk", Active: true}, {Name: "asleep", Parent: new(access.RolePlatformAdmin)}}
	m.roles.grants = []access.RoleGrant{
		{ID: access.FirstGrantID, Role: "clerk", Resource: "jobs", Action: "delete"}, // denied
		{ID: access.FirstGrantID + 1, Role: "clerk", Resource: "rbac", Action: "write", Scope: access.ScopeGlobal, Granted: true},
		{ID: access.FirstGrantID + 2, Role: "clerk", Resource: "workers", Action: "view", Scope: access.ScopeGlobal, Granted: true},
	}
	clerk := access.Principal{User: access.User{ID: 1009, Role: "clerk"}, Scopes: []string{access.ScopeAdmin}, Grants: map[access.Permission]access.Reach{
		access.RBACWrite: access.ReachAll, access.WorkersView: access.ReachAll, access.JobsRead: access.ReachOwn,
	}}
	admin := access.Principal{User: access.User{ID: access.AdminUserID, Role: access.RolePlatformAdmin}, Scopes: []string{access.ScopeAdmin}}
	grant := func(p access.Principal, permission access.Permission, change func(n *access.NewRoleGrant)) error {
		n := access.NewRoleGrant{Role: "clerk", Resource: permission.Resource(), Action: permission.Action()}
		if change != nil {
			change(&n)
		}
		_, err := s.AddGrant(t.Context(), p, n)
		return err
	}
	own := func(n *access.NewRoleGrant) { n.Scope = new(access.ScopeOwn) }
	for name, c := range map[string]struct {
		err  error
		code kappa.Code
	}{
		"what one has":                                    {grant(clerk, access.WorkersView, nil), ""},
		"what one has not":                                {grant(clerk, access.UsersWrite, nil), kappa.CodeForbidden},
		"all rows where one has one's own":                {grant(clerk, access.JobsRead, nil), kappa.CodeForbidden},
		"own rows where one has one's own":                {grant(clerk, access.JobsRead, own), ""},
		"a denial of what one has not":                    {grant(clerk, access.UsersWrite, func(n *access.NewRoleGrant) { n.Granted = new(false) }), ""},
		"the end of a denial":                             {s.RemoveGrant(t.Context(), clerk, access.FirstGrantID), kappa.CodeForbidden},
		"what a platform administrator has, by one":       {grant(admin, access.UsersRead, nil), ""},
		"the end of a denial by a platform administrator": {s.RemoveGrant(t.Context(), admin, access.FirstGrantID), ""},
	} {
		if kappa.ErrorCode(c.err) != c.code {
			t.Errorf("to grant %s: %v, want %q", name, c.err, c.code)
		}
	}
	for name, change := range map[string]func(p access.Principal) error{
		"a role with the parent admin": func(p access.Principal) error {
			_, err := s.CreateRole(t.Context(), p, access.NewRole{Name: "chief", DisplayName: "Chief", Parent: new(access.RoleAdmin)})
			return err
		},
		"admin as the parent of one's own role": func(p access.Principal) error {
			_, err := s.UpdateRole(t.Context(), p, "clerk", access.RoleUpdate{Parent: new(access.RoleAdmin)})
			return err
		},
		"a role that is active again": func(p access.Principal) error {
			_, err := s.UpdateRole(t.Context(), p, "asleep", access.RoleUpdate{Active: new(true)})
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
	if _, err := s.UpdateRole(t.Context(), clerk, "clerk", access.RoleUpdate{DisplayName: new("Clerks")}); err == nil {
		t.Error("a role that may do more by now was changed")
	}
}

// TestPermissionsOfOtherPrograms assigns a role that has a permission of another program,
// which no role of ours has.
func TestPermissionsOfOtherPrograms(t *testing.T) {
	s, m := newService(t)
	m.users[1009] = &access.User{ID: 1009, Username: "ada", Role: access.RoleReadOnly}
	m.roles.custom = []access.Role{{Name: "seller", Active: true}}
	m.roles.grants = []access.RoleGrant{{ID: access.FirstGrantID, Role: "seller", Resource: "offers", Action: "send", Scope: access.ScopeGlobal, Granted: true}}
	assign := func(role string) error {
		p := access.Principal{User: access.User{ID: access.AdminUserID, Role: role}, Scopes: []string{access.ScopeAdmin}}
		_, err := s.Assign(t.Context(), p, access.NewRoleAssignment{UserID: 1009, Role: "seller"})
		return err
	}
	if err := assign(access.RoleAdmin); kappa.ErrorCode(err) != kappa.CodeForbidden {
		t.Errorf("by an administrator, who grants no permissions: %v", err)
	}
	if err := assign(access.RolePlatformAdmin); err != nil {
		t.Errorf("by a platform administrator: %v", err)
	}
	yes := true
	admin := access.Principal{User: access.User{ID: access.AdminUserID, Role: access.RolePlatformAdmin}, Scopes: []string{access.ScopeAdmin}}
	if _, err := s.UpdateUser(t.Context(), admin, 1009, access.UserUpdate{Disabled: &yes}); err != nil {
		t.Errorf("the account that has the role: %v", err)
	}
}
