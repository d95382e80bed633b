package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
)

// person is an account at two servers of one database, each with its own client.
type person struct {
	user   access.User
	secret string
	at     []*client.Client
}

// newPerson makes an account and logs it in at each server.
func newPerson(t *testing.T, name, role string, servers ...*testServer) person {
	t.Helper()
	user, err := servers[0].client.Users.Create(t.Context(), access.NewUser{Username: name, Password: testPassword + name, Role: role})
	check(t, err)
	p := person{user: user}
	for _, s := range servers {
		anonymous, err := client.New(client.Config{BaseURL: s.url})
		check(t, err)
		made, err := anonymous.Login(t.Context(), name, testPassword+name, "test")
		check(t, err)
		anonymous.Close()
		c, err := client.New(client.Config{BaseURL: s.url, ClientID: made.ClientID, ClientSecret: made.Secret})
		check(t, err)
		t.Cleanup(c.Close)
		p.at, p.secret = append(p.at, c), made.Secret
	}
	return p
}

// wantEverywhere checks what the next request at each server is answered with; "" is no
// error.
func wantEverywhere(t *testing.T, what string, code kappa.Code, clients []*client.Client, ask func(*client.Client) error) {
	t.Helper()
	for i, c := range clients {
		if got := kappa.ErrorCode(ask(c)); got != code {
			t.Errorf("%s: the next request at server %d got %q, want %q", what, i, got, code)
		}
	}
}

// TestRightsCountFromTheNextRequest changes what an account may do at one server, and asks
// at both at once, without waiting.
func TestRightsCountFromTheNextRequest(t *testing.T) {
	t.Parallel()
	one := startServer(t, nil)
	two := startServer(t, map[string]string{"DATABASE_URL": one.dsn})
	ctx, admin := t.Context(), one.client
	workers := func(c *client.Client) error { _, err := c.Workers.Status(ctx); return err }
	me := func(c *client.Client) error { _, err := c.Account.Get(ctx); return err }

	ada := newPerson(t, "ada", access.RoleReadOnly, one, two)
	wantEverywhere(t, "read_only", kappa.CodeForbidden, ada.at, workers)
	_, err := admin.Roles.Create(ctx, access.NewRole{Name: "monitor", DisplayName: "Monitoring"})
	check(t, err)
	given, err := admin.Roles.Assign(ctx, access.NewRoleAssignment{UserID: ada.user.ID, Role: "monitor"})
	check(t, err)
	wantEverywhere(t, "a role that grants nothing", kappa.CodeForbidden, ada.at, workers)
	grant, err := admin.Roles.Grant(ctx, access.NewRoleGrant{Role: "monitor", Resource: "workers", Action: "view"})
	check(t, err)
	wantEverywhere(t, "a role that grants it", "", ada.at, workers)
	check(t, admin.Roles.RevokeGrant(ctx, grant.ID))
	wantEverywhere(t, "a grant that is revoked", kappa.CodeForbidden, ada.at, workers)
	_, err = admin.Roles.Grant(ctx, access.NewRoleGrant{Role: "monitor", Resource: "workers", Action: "view"})
	check(t, err)
	wantEverywhere(t, "granted again", "", ada.at, workers)
	check(t, admin.Roles.Unassign(ctx, given.ID))
	wantEverywhere(t, "a role that is taken away", kappa.CodeForbidden, ada.at, workers)

	role, yes, password := access.RoleAdmin, true, "another "+testPassword
	_, err = admin.Users.Update(ctx, ada.user.ID, access.UserUpdate{Role: &role})
	check(t, err)
	wantEverywhere(t, "an administrator", "", ada.at, workers)
	refused(t, "make somebody more than oneself", kappa.CodeForbidden)(ada.at[0].Users.Create(ctx, access.NewUser{Username: "eve", Password: testPassword, Role: access.RolePlatformAdmin}))
	refused(t, "change somebody who may do more", kappa.CodeForbidden)(ada.at[0].Users.Update(ctx, access.AdminUserID, access.UserUpdate{Disabled: &yes}))

	key, text, err := ada.at[0].Account.NewAPIKey(ctx, access.NewAPIKey{Name: "ci", Scope: access.ScopeRead})
	check(t, err)
	for i, s := range []*testServer{one, two} {
		if status := bearerStatus(t, "GET", s.url+"/admin/workers/status", text); status != http.StatusOK {
			t.Errorf("an API key got %d at server %d", status, i)
		}
		if status := bearerStatus(t, "POST", s.url+"/jobs", text); status != http.StatusForbidden {
			t.Errorf("an API key for reading got %d for a change at server %d", status, i)
		}
	}
	check(t, ada.at[1].Account.DeleteAPIKey(ctx, key.ID))
	_, other, err := ada.at[0].Account.NewAPIKey(ctx, access.NewAPIKey{Name: "ci"})
	check(t, err)
	_, err = admin.Users.Update(ctx, ada.user.ID, access.UserUpdate{Password: &password})
	check(t, err)
	wantEverywhere(t, "a new password", kappa.CodeUnauthenticated, ada.at, me)
	for i, s := range []*testServer{one, two} {
		for name, k := range map[string]string{"a deleted key": text, "a key after a new password": other} {
			if status := bearerStatus(t, "GET", s.url+"/users/me", k); status != http.StatusUnauthorized {
				t.Errorf("%s got %d at server %d", name, status, i)
			}
		}
	}

	bob := newPerson(t, "bob", access.RoleContributor, one, two)
	wantEverywhere(t, "an account", "", bob.at, me)
	_, err = admin.Users.Update(ctx, bob.user.ID, access.UserUpdate{Disabled: &yes})
	check(t, err)
	wantEverywhere(t, "a disabled account", kappa.CodeForbidden, bob.at, me)
	check(t, admin.Users.Delete(ctx, bob.user.ID))
	wantEverywhere(t, "a deleted account", kappa.CodeUnauthenticated, bob.at, me)
	refused(t, "disable the last platform administrator", kappa.CodeMalformed)(admin.Users.Update(ctx, access.AdminUserID, access.UserUpdate{Disabled: &yes}))

	t.Run("X20: each of these is recorded", func(t *testing.T) {
		entries, err := admin.Users.Audit(ctx, access.AuditFilter{Limit: 500})
		check(t, err)
		var actions []string
		for _, e := range entries {
			actions = append(actions, e.Action)
		}
		const logins = "login.succeed client.create login.succeed client.create" // at two servers
		want := "user.delete user.update " + logins + " user.create user.update user.password key.create key.delete key.create user.update assignment.delete " +
			"grant.create grant.delete grant.create assignment.create role.create " + logins + " user.create " + logins
		if got := strings.Join(actions, " "); got != want {
			t.Errorf("recorded\n%s, want\n%s", got, want)
		}
	})
	t.Run("X16: no secret is in the log or in the database", func(t *testing.T) {
		for what, secret := range map[string]string{"password": testPassword, "API key": text[13:], "other API key": other[13:], "client's secret": ada.secret} {
			for i, s := range []*testServer{one, two} {
				if strings.Contains(s.logs.String(), secret) {
					t.Errorf("the %s is in the log of server %d", what, i)
				}
			}
			if table := tableWith(t, one.dsn, secret); table != "" {
				t.Errorf("the %s is in the table %s", what, table)
			}
		}
	})
}

// bearerStatus returns the status of a request with a bearer.
func bearerStatus(t *testing.T, method, url, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("{}"))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	check(t, err)
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// tableWith returns the first table that has a text somewhere in a row, "" when none has.
func tableWith(t *testing.T, dsn, secret string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	check(t, err)
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'kg_api' AND c.relkind = 'r'`)
	check(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	check(t, err)
	if len(tables) < 20 {
		t.Fatalf("only %d tables", len(tables))
	}
	for _, table := range tables {
		var found bool
		check(t, conn.QueryRow(t.Context(), fmt.Sprintf(`SELECT EXISTS (SELECT 1 FROM %s r WHERE strpos(r::text, $1) > 0 OR strpos(r::text, encode($1::bytea, 'hex')) > 0)`, table), secret).Scan(&found))
		if found {
			return table
		}
	}
	return ""
}
