package access

import (
	"testing"

	"github.com/kappagraph/kappa"
)

func TestReach(t *testing.T) {
	t.Parallel()
	full, reading := []string{ScopeRead, ScopeWrite}, []string{ScopeRead}
	for _, c := range []struct {
		role       string
		scopes     []string
		permission Permission
		want       Reach
	}{
		{RoleReadOnly, full, JobsRead, ReachOwn},
		{RoleReadOnly, full, JobsWrite, ReachNone},
		{RoleReadOnly, full, GraphRead, ReachAll},
		{RoleContributor, full, JobsRead, ReachOwn},
		{RoleContributor, full, JobsApprove, ReachOwn},
		{RoleContributor, full, JobsCancel, ReachOwn},
		{RoleContributor, full, JobsDelete, ReachNone},
		{RoleContributor, full, WorkersManage, ReachNone},
		{RoleCurator, full, JobsRead, ReachAll},
		{RoleCurator, full, JobsApprove, ReachAll},
		{RoleCurator, full, JobsCancel, ReachOwn},
		{RoleCurator, full, JobsDelete, ReachNone},
		{RoleAdmin, full, JobsDelete, ReachAll},
		{RoleAdmin, full, WorkersManage, ReachAll},
		{RolePlatformAdmin, full, WorkersManage, ReachAll},
		{RolePlatformAdmin, reading, WorkersManage, ReachNone},
		{RolePlatformAdmin, reading, WorkersView, ReachAll},
		{RolePlatformAdmin, []string{ScopeAdmin}, JobsDelete, ReachAll},
		{RolePlatformAdmin, nil, GraphRead, ReachNone},
		{RolePlatformAdmin, full, "no:such", ReachNone},
		{RolePlatformAdmin, full, "", ReachNone},
		{"no such role", full, GraphRead, ReachNone},
		{"", full, JobsRead, ReachNone},
		{"no such role", nil, AnyUser, ReachAll},
	} {
		p := Principal{User: User{ID: 7, Role: c.role}, Scopes: c.scopes}
		if got := p.Reach(c.permission); got != c.want {
			t.Errorf("%s with %v reaches %v by %q, want %v", c.role, c.scopes, got, c.permission, c.want)
		}
	}
}

// TestGrants gives a principal a role that is not built-in: it reaches what that
// grants, narrowed by the scopes, and nothing by the role's name.
func TestGrants(t *testing.T) {
	t.Parallel()
	p := Principal{
		User: User{ID: 7, Role: RolePlatformAdmin}, Scopes: []string{ScopeRead, ScopeWrite},
		Grants: map[Permission]Reach{JobsDelete: ReachOwn, JobsRead: ReachAll},
	}
	for permission, want := range map[Permission]Reach{JobsDelete: ReachOwn, JobsRead: ReachAll, JobsApprove: ReachNone, AnyUser: ReachAll} {
		if got := p.Reach(permission); got != want {
			t.Errorf("it reaches %v by %q, want %v", got, permission, want)
		}
	}
	p.Scopes = []string{ScopeRead}
	if got := p.Reach(JobsDelete); got != ReachNone {
		t.Errorf("with a token for reading it reaches %v by %q", got, JobsDelete)
	}
}

// TestRolesGrow holds the matrix to its promise: each role may do what the one
// before it may.
func TestRolesGrow(t *testing.T) {
	t.Parallel()
	for _, p := range Permissions() {
		before := ReachNone
		for _, role := range BuiltinRoles() {
			reach := RoleReach(role, p)
			if reach < before {
				t.Errorf("%s reaches less by %s than the role before it", role, p)
			}
			before = reach
		}
		if before != ReachAll {
			t.Errorf("%s does not reach all rows by %s", RolePlatformAdmin, p)
		}
	}
}

func TestPermitRow(t *testing.T) {
	t.Parallel()
	contributor := Principal{User: User{ID: 7, Role: RoleContributor}, Scopes: []string{ScopeRead, ScopeWrite}}
	for _, c := range []struct {
		permission Permission
		owner      int
		want       string
	}{
		{JobsRead, 7, ""},
		{JobsRead, 8, "Not authorized to view this job"},
		{JobsWrite, 8, "Not authorized to change this job"},
		{JobsApprove, 7, ""},
		{JobsApprove, 8, "Not authorized to approve this job"},
		{JobsCancel, SystemUserID, "Not authorized to cancel this job"},
		{JobsDelete, 7, "Permission denied: delete on jobs"},
		{GraphRead, 8, ""},
	} {
		err := contributor.PermitRow(c.permission, Row{Owner: c.owner})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s on a row of %d: %v, want none", c.permission, c.owner, err)
		case c.want != "" && (kappa.ErrorCode(err) != kappa.CodeForbidden || kappa.ErrorMessage(err) != c.want):
			t.Errorf("%s on a row of %d: %v, want %s", c.permission, c.owner, err, c.want)
		}
	}
}

func TestInScope(t *testing.T) {
	for _, c := range []struct {
		scopes      []string
		read, write bool
	}{
		{nil, false, false},
		{[]string{"other"}, false, false},
		{[]string{"read:*"}, true, false},
		{[]string{"write:*"}, true, true},
		{[]string{"admin:*"}, true, true},
		{[]string{"read:*", "write:*"}, true, true},
	} {
		p := Principal{Scopes: c.scopes}
		for permission, want := range map[Permission]bool{
			"x:read": c.read, "x:view": c.read, "x:status": c.read,
			"x:write": c.write, "x:create": c.write, "x:approve": c.write, "x:manage": c.write, "": c.write,
		} {
			if got := p.InScope(permission); got != want {
				t.Errorf("%v allow %q: %v, want %v", c.scopes, permission, got, want)
			}
		}
	}
}
