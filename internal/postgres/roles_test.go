package postgres_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

func anybody(access.User) error { return nil }

func TestUserChanges(t *testing.T) {
	s, _ := newAccounts(t)
	accounts, ctx := s.Accounts(), asActor(t)
	ada, err := accounts.CreateUser(ctx, access.NewUser{Username: "Ada", Role: access.RoleCurator}, "hash")
	must(t, err)
	t.Run("a name is taken whatever its case", func(t *testing.T) {
		_, err := accounts.CreateUser(ctx, access.NewUser{Username: "ADA", Role: access.RoleCurator}, "hash")
		wantCode(t, err, kappa.CodeConflict, "Username 'ADA' already exists")
	})
	t.Run("the list is by id, with a total", func(t *testing.T) {
		users, total, err := accounts.Users(ctx, access.UserFilter{Role: access.RoleCurator, Limit: 10})
		if err != nil || total != 1 || len(users) != 1 || users[0].ID != ada.ID {
			t.Errorf("%v of %d, err %v", users, total, err)
		}
	})
	t.Run("a new password ends what acts for the user, but for the client that asks", func(t *testing.T) {
		for _, id := range []string{"ada-1", "ada-2"} {
			_, err := s.Clients().CreateClient(ctx, access.OAuthClient{ClientID: id, UserID: ada.ID, SecretHash: []byte("x"), Scopes: []string{access.ScopeRead}}, "", 10)
			must(t, err)
		}
		_, err := s.Clients().CreateKey(ctx, access.OAuthClient{ClientID: "kgk_1", UserID: ada.ID, SecretHash: []byte("x"), Scopes: []string{access.ScopeRead}}, 10)
		must(t, err)
		_, err = accounts.UpdateUser(ctx, ada.ID, access.UserUpdate{}, "other", "ada-1", anybody)
		must(t, err)
		left, err := s.Clients().Clients(ctx, ada.ID)
		if err != nil || len(left) != 1 || left[0].ClientID != "ada-1" {
			t.Errorf("left %v, err %v", left, err)
		}
		if keys, err := s.Clients().Keys(ctx, ada.ID); err != nil || len(keys) != 0 {
			t.Errorf("keys %v, err %v", keys, err)
		}
	})
	t.Run("the last platform administrator stays", func(t *testing.T) {
		yes, role := true, access.RoleAdmin
		for name, u := range map[string]access.UserUpdate{"disabled": {Disabled: &yes}, "demoted": {Role: &role}} {
			if _, err := accounts.UpdateUser(ctx, access.AdminUserID, u, "", "", anybody); kappa.ErrorCode(err) != kappa.CodeConflict {
				t.Errorf("%s: %v", name, err)
			}
		}
		wantCode(t, accounts.DeleteUser(ctx, access.AdminUserID, anybody), kappa.CodeConflict, "")
	})
	t.Run("two who remove each other leave one", func(t *testing.T) {
		second, err := accounts.CreateUser(ctx, access.NewUser{Username: "second", Role: access.RolePlatformAdmin}, "hash")
		must(t, err)
		errs := make([]error, 2)
		together(2, func(i int) {
			errs[i] = accounts.DeleteUser(ctx, []int{access.AdminUserID, second.ID}[i], anybody)
		})
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Errorf("errors %v, want exactly one", errs)
		}
	})
	t.Run("the jobs of an account that goes stay", func(t *testing.T) {
		job := submit(t, s, "noop", func(j *work.NewJob) { j.UserID = ada.ID })
		must(t, accounts.DeleteUser(ctx, ada.ID, anybody))
		left, err := s.Jobs().Job(ctx, job.ID)
		if err != nil || left.UserID != access.SystemUserID {
			t.Errorf("it belongs to %d, err %v", left.UserID, err)
		}
	})
}

func TestRoles(t *testing.T) {
	s, _ := newAccounts(t)
	roles, ctx := s.Roles(), asActor(t)
	epoch := func() int64 {
		t.Helper()
		_, e, err := roles.Policy(ctx)
		must(t, err)
		return e
	}
	name := func(n string) *string { return &n }
	_, err := roles.CreateRole(ctx, access.NewRole{Name: "monitor", DisplayName: "Monitoring"})
	must(t, err)
	_, err = roles.CreateRole(ctx, access.NewRole{Name: "night", DisplayName: "Night", Parent: name("monitor")})
	must(t, err)
	t.Run("what cannot be is refused", func(t *testing.T) {
		_, err := roles.CreateRole(ctx, access.NewRole{Name: "monitor", DisplayName: "x"})
		wantCode(t, err, kappa.CodeConflict, "Role 'monitor' already exists")
		_, err = roles.CreateRole(ctx, access.NewRole{Name: "x", DisplayName: "x", Parent: name("none")})
		wantCode(t, err, kappa.CodeInvalid, "")
		_, err = roles.UpdateRole(ctx, "monitor", access.RoleUpdate{Parent: name("night")})
		wantCode(t, err, kappa.CodeInvalid, "")
		_, err = roles.UpdateRole(ctx, "admin", access.RoleUpdate{DisplayName: name("x")})
		wantCode(t, err, kappa.CodeForbidden, "Cannot modify builtin roles")
		wantCode(t, roles.DeleteRole(ctx, "monitor"), kappa.CodeConflict, "")
		_, err = roles.AddGrant(ctx, access.NewRoleGrant{Role: "curator", Resource: "jobs", Action: "delete"})
		wantCode(t, err, kappa.CodeForbidden, "Cannot modify builtin roles")
		wantCode(t, roles.RemoveGrant(ctx, 1), kappa.CodeForbidden, "Cannot modify builtin roles")
	})
	t.Run("grants and assignments change the policy and its epoch", func(t *testing.T) {
		before := epoch()
		grant, err := roles.AddGrant(ctx, access.NewRoleGrant{Role: "monitor", Resource: "workers", Action: "view"})
		must(t, err)
		_, err = roles.AddGrant(ctx, access.NewRoleGrant{Role: "monitor", Resource: "workers", Action: "view"})
		wantCode(t, err, kappa.CodeConflict, "")
		granted := epoch()
		later := kappa.At(time.Now().Add(time.Hour))
		given, err := roles.Assign(ctx, access.NewRoleAssignment{UserID: access.AdminUserID, Role: "night", ExpiresAt: &later})
		must(t, err)
		policy, assigned, err := roles.Policy(ctx)
		must(t, err)
		if !(before < granted && granted < assigned) {
			t.Errorf("epochs %d, %d, %d", before, granted, assigned)
		}
		rights, _ := policy.Rights(access.User{ID: access.AdminUserID, Role: "none"}, time.Now())
		if rights[access.WorkersView] != access.ReachAll {
			t.Errorf("rights %v", rights)
		}
		must(t, roles.Unassign(ctx, given.ID, func(access.RoleAssignment) error { return nil }))
		must(t, roles.RemoveGrant(ctx, grant.ID))
		if epoch() == assigned {
			t.Error("the epoch stays")
		}
	})
	t.Run("rows are granted one by one and by what they are", func(t *testing.T) {
		row := access.NewRoleGrant{Role: "monitor", Resource: "jobs", Action: "read", Scope: name(access.ScopeInstance), ScopeID: name("job_000000000001")}
		filtered := access.NewRoleGrant{Role: "monitor", Resource: "jobs", Action: "read", Scope: name(access.ScopeFilter), ScopeFilter: json.RawMessage(`{"ontology": "notes"}`)}
		for _, n := range []access.NewRoleGrant{row, filtered} {
			grant, err := roles.AddGrant(ctx, n)
			must(t, err)
			_, err = roles.AddGrant(ctx, n)
			wantCode(t, err, kappa.CodeConflict, "")
			defer func() { must(t, roles.RemoveGrant(ctx, grant.ID)) }()
		}
		row.ScopeID = name("job_000000000002")
		_, err := roles.AddGrant(ctx, row)
		must(t, err)
		policy, _, err := roles.Policy(ctx)
		must(t, err)
		_, rows := policy.Rights(access.User{ID: 5, Role: "monitor"}, time.Now())
		if got := rows[access.JobsRead]; len(got.IDs) != 2 || len(got.Filters) != 1 || got.Filters[0]["ontology"] != "notes" {
			t.Errorf("rows %+v", got)
		}
	})
	t.Run("each is recorded", func(t *testing.T) {
		for _, action := range []string{"role.create", "grant.create", "grant.delete", "assignment.create", "assignment.delete"} {
			if entries, err := s.Audit().Entries(ctx, access.AuditFilter{Action: action, Limit: 10}); err != nil || len(entries) == 0 {
				t.Errorf("%s: none, err %v", action, err)
			}
		}
	})
}

func TestAuditLog(t *testing.T) {
	s, dsn := newAccounts(t)
	_, err := s.Roles().CreateRole(asActor(t), access.NewRole{Name: "monitor", DisplayName: "Monitoring"})
	must(t, err)
	count := func(f access.AuditFilter) int {
		t.Helper()
		f.Limit = 10
		entries, err := s.Audit().Entries(t.Context(), f)
		must(t, err)
		return len(entries)
	}
	soon := kappa.At(time.Now().Add(time.Hour))
	for name, f := range map[string]access.AuditFilter{
		"by user": {User: "ADMIN"}, "by action": {Action: "role.create"}, "by its first word": {Action: "role"}, "by object": {Object: "role", ObjectID: "monitor"},
		"by time": {Until: &soon},
	} {
		if n := count(f); n != 1 {
			t.Errorf("%s: %d entries, want 1", name, n)
		}
	}
	for name, f := range map[string]access.AuditFilter{
		"by user": {User: "ada"}, "by part of a word": {Action: "rol"}, "by object": {Object: "role", ObjectID: "other"}, "by time": {Since: &soon}, "by id": {BeforeID: 1},
	} {
		if n := count(f); n != 0 {
			t.Errorf("%s: %d entries, want none", name, n)
		}
	}
	t.Run("an entry is never changed", func(t *testing.T) {
		if _, err := connect(t, dsn).Exec(t.Context(), "UPDATE kg_api.audit_log SET username = 'x'"); err == nil {
			t.Error("it was changed")
		}
	})
	t.Run("old ones go", func(t *testing.T) {
		if n, err := s.Audit().PruneAudit(t.Context(), time.Hour); err != nil || n != 0 {
			t.Errorf("%d are gone, err %v", n, err)
		}
		if n, err := s.Audit().PruneAudit(t.Context(), 0); err != nil || n != 1 {
			t.Errorf("%d are gone, err %v", n, err)
		}
	})
}
