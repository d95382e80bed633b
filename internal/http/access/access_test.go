package access

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake keeps nothing, and records in words what it was asked. What it does not have is not
// called.
type fake struct {
	users
	roles
	groups
	err    error
	did    []string
	filter access.AuditFilter
	log    []access.AuditEntry
}

func (f *fake) do(format string, values ...any) error {
	f.did = append(f.did, fmt.Sprintf(format, values...))
	return f.err
}

func (f *fake) Users(_ context.Context, u access.UserFilter) ([]access.User, int, error) {
	return nil, 3, f.do("users %+v", u)
}

func (f *fake) CreateUser(_ context.Context, p access.Principal, n access.NewUser) (access.User, error) {
	return access.User{ID: 7, Username: n.Username, Role: n.Role}, f.do("%s makes %s a %s", p.User.Username, n.Username, n.Role)
}

func (f *fake) Register(_ context.Context, address string, n access.NewUser) (access.User, error) {
	return access.User{ID: 7, Username: n.Username}, f.do("%s registers from %s", n.Username, address)
}

func (f *fake) UpdateUser(_ context.Context, p access.Principal, id int, u access.UserUpdate) (access.User, error) {
	return access.User{ID: id}, f.do("%s changes %d: password %t, role %t, disabled %t, proof %t", p.User.Username, id, u.Password != nil, u.Role != nil, u.Disabled != nil, u.CurrentPassword != nil)
}

func (f *fake) UpdateSelf(_ context.Context, p access.Principal, u access.UserUpdate) (access.User, error) {
	return p.User, f.do("%s changes itself: name %t, password %t, proof %t", p.User.Username, u.Username != nil, u.Password != nil, u.CurrentPassword != nil)
}

func (f *fake) DeleteUser(_ context.Context, _ access.Principal, id int) error {
	return f.do("delete user %d", id)
}

func (f *fake) Roles(_ context.Context, all bool) ([]access.Role, error) {
	return nil, f.do("roles, all %t", all)
}

func (f *fake) CreateRole(_ context.Context, _ access.Principal, n access.NewRole) (access.Role, error) {
	return access.Role{Name: n.Name}, f.do("make role %s%s", n.Name, n.Metadata)
}

func (f *fake) DeleteRole(_ context.Context, name string) error { return f.do("delete role %s", name) }

func (f *fake) AddGrant(_ context.Context, _ access.Principal, n access.NewRoleGrant) (access.RoleGrant, error) {
	return access.RoleGrant{ID: 1, Role: n.Role}, f.do("grant %s %s:%s", n.Role, n.Resource, n.Action)
}

func (f *fake) RemoveGrant(_ context.Context, _ access.Principal, id int) error {
	return f.do("revoke %d", id)
}

func (f *fake) Check(_ context.Context, p access.Principal, q access.PermissionQuestion) (access.PermissionAnswer, error) {
	return access.PermissionAnswer{Allowed: true}, f.do("%s asks whether %d may %s:%s", p.User.Username, q.UserID, q.Resource, q.Action)
}

func (f *fake) Held(access.Principal) []access.PermissionHeld { return nil }

func (f *fake) NewAPIKey(_ context.Context, _ access.Principal, n access.NewAPIKey) (access.APIKey, string, error) {
	return access.APIKey{ID: "kgk_1", Name: n.Name}, "kgk_1_secret", f.do("make key %s", n.Name)
}

func (f *fake) APIKeys(_ context.Context, _ access.Principal, all bool) ([]access.APIKey, error) {
	return nil, f.do("keys, all %t", all)
}

func (f *fake) DeleteAPIKey(_ context.Context, _ access.Principal, id string) error {
	return f.do("delete key %s", id)
}

func (f *fake) Groups(context.Context, access.Principal) ([]access.Group, error) {
	return []access.Group{{ID: 1, Name: "public", System: true, Members: new(0)}, {ID: 1000, Name: "reviewers", Members: new(3)}}, f.do("groups")
}

func (f *fake) CreateGroup(_ context.Context, n access.NewGroup) (access.Group, error) {
	return access.Group{ID: 1000, Name: n.Name}, f.do("make group %s", n.Name)
}

func (f *fake) DeleteGroup(_ context.Context, p access.Principal, id int) error {
	return f.do("%s deletes group %d", p.User.Username, id)
}

func (f *fake) Members(_ context.Context, _ access.Principal, id int) (access.GroupMembers, error) {
	return access.GroupMembers{GroupID: id}, f.do("members of %d", id)
}

func (f *fake) AddMember(_ context.Context, p access.Principal, group, user int) (access.GroupMember, error) {
	return access.GroupMember{UserID: user}, f.do("%s adds %d to %d", p.User.Username, user, group)
}

func (f *fake) RemoveMember(_ context.Context, _ access.Principal, group, user int) error {
	return f.do("take %d out of %d", user, group)
}

func (f *fake) ResourceGrants(_ context.Context, _ access.Principal, resource, id string) ([]access.ResourceGrant, error) {
	return nil, f.do("grants of %s %s", resource, id)
}

func (f *fake) AddResourceGrant(_ context.Context, _ access.Principal, n access.NewResourceGrant) (access.ResourceGrant, error) {
	return access.ResourceGrant{ID: 5}, f.do("grant %s %s to %s %d: %s", n.ResourceType, n.ResourceID, n.PrincipalType, n.PrincipalID, n.Permission)
}

func (f *fake) RemoveResourceGrant(_ context.Context, _ access.Principal, id int) error {
	return f.do("revoke grant %d", id)
}

func (f *fake) Entries(_ context.Context, filter access.AuditFilter) ([]access.AuditEntry, error) {
	f.filter = filter
	return f.log, f.err
}

func serve(t *testing.T, f *fake, who *apitest.Accounts) *http.Server {
	t.Helper()
	return apitest.ServeWith(t, http.Config{Auth: who}, New(Config{Users: f, Roles: f, Groups: f, Keys: f, Audit: f}))
}

// TestAccess sends each request, and checks what is done and what is answered.
func TestAccess(t *testing.T) {
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		did, says          string
	}{
		"accounts":                  {"GET", "/users?skip=5&limit=2&role=admin", "", 200, "users {Role:admin Username: Skip:5 Limit:2}", `{"users":[],"total":3,"skip":5,"limit":2}`},
		"a new account":             {"POST", "/users", `{"username":"ada","password":"long enough","role":"curator"}`, 201, "admin makes ada a curator", `"username":"ada"`},
		"a role with metadata":      {"POST", "/rbac/roles", `{"role_name":"auditor","display_name":"Auditor","metadata":{"team":"risk"}}`, 201, `make role auditor{"team":"risk"}`, `"role_name":"auditor"`},
		"a misspelt member":         {"POST", "/users", `{"username":"ada","password":"long enough","role":"curator","admin":true}`, 422, "", "admin: is not a known field"},
		"a registration":            {"POST", "/auth/register", `{"username":"bob","password":"long enough"}`, 201, "bob registers from 192.0.2.1", ""},
		"a change":                  {"PUT", "/users/7", `{"disabled":true}`, 200, "admin changes 7: password false, role false, disabled true, proof false", ""},
		"a change of oneself":       {"PUT", "/auth/me", `{"password":"another one"}`, 200, "admin changes itself: name false, password true, proof false", ""},
		"a change with a proof":     {"PUT", "/auth/me", `{"password":"another one","current_password":"the one before"}`, 200, "admin changes itself: name false, password true, proof true", ""},
		"a change by id":            {"PUT", "/users/1000", `{"password":"another one","current_password":"the one before"}`, 200, "admin changes 1000: password true, role false, disabled false, proof true", ""},
		"a change of nothing":       {"PUT", "/users/7", `{"nothing":true}`, 422, "", "nothing: is not a known field"},
		"a reset":                   {"POST", "/users/7/reset-password", `{"new_password":"another one"}`, 200, "admin changes 7: password true, role false, disabled false, proof false", `"success":true`},
		"a reset of one's own":      {"POST", "/users/1000/reset-password", `{"new_password":"another one"}`, 400, "", "PUT /auth/me"},
		"a deletion":                {"DELETE", "/users/7", "", 204, "delete user 7", ""},
		"an account that is no id":  {"DELETE", "/users/x", "", 422, "", "id:"},
		"roles":                     {"GET", "/rbac/roles?include_inactive=yes", "", 200, "roles, all true", "[]"},
		"a new role":                {"POST", "/rbac/roles", `{"role_name":"monitor","display_name":"Monitor"}`, 201, "make role monitor", ""},
		"a role goes":               {"DELETE", "/rbac/roles/monitor", "", 204, "delete role monitor", ""},
		"a role that cannot be one": {"DELETE", "/rbac/roles/%00", "", 404, "", "Role not found"},
		"a grant":                   {"POST", "/rbac/permissions", `{"role_name":"monitor","resource_type":"workers","action":"view"}`, 201, "grant monitor workers:view", ""},
		"a grant goes":              {"DELETE", "/rbac/permissions/9", "", 204, "revoke 9", ""},
		"a question":                {"POST", "/rbac/check-permission", `{"user_id":7,"resource_type":"workers","action":"view"}`, 200, "admin asks whether 7 may workers:view", `"allowed":true`},
		"what one may":              {"GET", "/users/me/permissions", "", 200, "", `"permissions":[]`},
		"a key is shown once":       {"POST", "/auth/keys", `{"name":"ci"}`, 201, "make key ci", `"key":"kgk_1_secret"`},
		"keys":                      {"GET", "/auth/keys?all=true", "", 200, "keys, all true", `{"keys":[]}`},
		"groups":                    {"GET", "/groups?include_system=false&include_member_count=false", "", 200, "groups", `{"groups":[{"id":1000,"group_name":"reviewers","display_name":null,"description":null,"is_system":false,"created_at":"0001-01-01T00:00:00.000Z","created_by":null,"member_count":null}],"total":1}`},
		"a new group":               {"POST", "/groups", `{"group_name":"reviewers"}`, 201, "make group reviewers", `"id":1000`},
		"a group goes":              {"DELETE", "/groups/1000", "", 204, "admin deletes group 1000", ""},
		"no members":                {"GET", "/groups/1000/members", "", 200, "members of 1000", `"members":[]`},
		"a member":                  {"POST", "/groups/1000/members", `{"user_id":7}`, 201, "admin adds 7 to 1000", ""},
		"a member goes":             {"DELETE", "/groups/1000/members/7", "", 204, "take 7 out of 1000", ""},
		"grants of a thing":         {"GET", "/resources/ontology/a%2Fb/grants", "", 200, "grants of ontology a/b", `{"grants":[],"total":0}`},
		"a shared thing":            {"POST", "/grants", `{"resource_type":"artifact","resource_id":"3","principal_type":"user","principal_id":7,"permission":"read"}`, 201, "grant artifact 3 to user 7: read", `"id":5`},
		"a shared thing no more":    {"DELETE", "/grants/5", "", 204, "revoke grant 5", ""},
		"a key goes":                {"DELETE", "/auth/keys/kgk_1", "", 204, "delete key kgk_1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			resp, body := apitest.Call(t, serve(t, f, apitest.NewAccounts()), apitest.Request{Method: c.method, Path: c.path, Body: c.body})
			if resp.StatusCode != c.status || !strings.Contains(body, c.says) || strings.Join(f.did, "; ") != c.did {
				t.Errorf("%d %s, did %q; want %d %s, %q", resp.StatusCode, body, f.did, c.status, c.says, c.did)
			}
		})
	}
}

// TestAccessRights checks that nobody decides about rights without the right to.
func TestAccessRights(t *testing.T) {
	for _, r := range []apitest.Request{
		{Method: "GET", Path: "/users"},
		{Method: "POST", Path: "/users", Body: `{"username":"ada","password":"long enough","role":"admin"}`},
		{Method: "DELETE", Path: "/users/7"},
		{Method: "POST", Path: "/users/7/reset-password", Body: `{"new_password":"another one"}`},
		{Method: "GET", Path: "/rbac/permissions"},
		{Method: "POST", Path: "/rbac/permissions", Body: `{"role_name":"a","resource_type":"jobs","action":"read"}`},
		{Method: "POST", Path: "/rbac/roles", Body: `{"role_name":"a","display_name":"A"}`},
		{Method: "POST", Path: "/rbac/user-roles", Body: `{"user_id":7,"role_name":"admin"}`},
		{Method: "POST", Path: "/groups", Body: `{"group_name":"a"}`},
		{Method: "PUT", Path: "/groups/1000", Body: `{"display_name":"A"}`},
		{Method: "DELETE", Path: "/groups/1000"},
		{Method: "POST", Path: "/groups/1000/members", Body: `{"user_id":7}`},
		{Method: "DELETE", Path: "/groups/1000/members/7"},
	} {
		f, who := &fake{}, apitest.NewAccounts()
		who.InRole(access.RoleCurator)
		resp, body := apitest.Call(t, serve(t, f, who), r)
		apitest.WantProblem(t, resp, body, 403)
		if len(f.did) > 0 {
			t.Errorf("%s %s by a curator did %q", r.Method, r.Path, f.did)
		}
	}
}

// TestOwnAudit: who is no administrator is shown what concerns the own account, as that its
// password was changed.
func TestOwnAudit(t *testing.T) {
	for role, own := range map[string]bool{access.RoleReadOnly: true, access.RoleCurator: true, access.RoleAdmin: false} {
		f, who := &fake{}, apitest.NewAccounts()
		who.InRole(role)
		resp, body := apitest.Call(t, serve(t, f, who), apitest.Request{Method: "GET", Path: "/admin/audit?action=user.password"})
		if resp.StatusCode != 200 || (f.filter.Of != 0) != own {
			t.Errorf("%s: %d %s, of user %d", role, resp.StatusCode, body, f.filter.Of)
		}
	}
}

// TestAudit selects entries and pages through them.
func TestAudit(t *testing.T) {
	f := &fake{log: []access.AuditEntry{{ID: 9}, {ID: 8}}}
	s := serve(t, f, apitest.NewAccounts())
	_, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/admin/audit?user=ada&action=job&since=2026-01-31T08:00:00Z&limit=2"})
	next := kappa.Cursor{List: kappa.ListAudit, Keys: []int64{8}}.String()
	if f.filter.User != "ada" || f.filter.Action != "job" || f.filter.Since == nil || !strings.Contains(body, `"next_cursor":"`+next+`"`) || !strings.Contains(body, `"next_before_id":8`) {
		t.Errorf("%+v: %s", f.filter, body)
	}
	if _, body = apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/admin/audit?cursor=" + next}); f.filter.Cursor != next || !strings.Contains(body, `"next_cursor":null`) {
		t.Errorf("%+v: %s", f.filter, body)
	}
	for _, query := range []string{"cursor=x", "limit=0", "since=yesterday", "before_id=-1", "usr=ada"} {
		resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/admin/audit?" + query})
		if name, _, _ := strings.Cut(query, "="); resp.StatusCode != 422 || !strings.Contains(body, name+":") {
			t.Errorf("%s: %d %s", query, resp.StatusCode, body)
		}
	}
}

// TestRefusedChangeSaysWhy: a client that is in use shows the reason of a 400 alone.
func TestRefusedChangeSaysWhy(t *testing.T) {
	for request, c := range map[string]struct {
		err    error
		status int
	}{
		"PUT /users/7":  {kappa.NewError(kappa.CodeConflict, "no other platform administrator is left"), 400},
		"PUT /users/8":  {kappa.Invalid(kappa.FieldError{In: "body", Name: "password", Rule: "must be longer"}), 400},
		"PUT /users/9":  {kappa.NewError(kappa.CodeForbidden, "not allowed"), 403},
		"POST /users":   {kappa.Invalid(kappa.FieldError{In: "body", Name: "password", Rule: "must be longer"}), 400},
		"POST /users  ": {kappa.NewError(kappa.CodeConflict, "already exists"), 409},
	} {
		f := &fake{err: c.err}
		method, path, _ := strings.Cut(strings.TrimSpace(request), " ")
		resp, body := apitest.Call(t, serve(t, f, apitest.NewAccounts()), apitest.Request{Method: method, Path: path, Body: map[string]string{"PUT": `{"role":"curator"}`, "POST": `{"username":"ada","password":"x","role":"curator"}`}[method]})
		if resp.StatusCode != c.status || !strings.Contains(body, `"detail":"`+kappa.ErrorMessage(c.err)+`"`) {
			t.Errorf("%s: %d %s", request, resp.StatusCode, body)
		}
	}
}
