package serve

import (
	stdflag "flag"
	"fmt"
	nethttp "net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

var update = stdflag.Bool("update", false, "write the tables that are generated into the documentation")

const (
	tableBegin = "-run TestPermissionsTable -update -->\n"
	tableEnd   = "<!-- end of permissions -->"
)

// TestPermissionsTable holds the table of docs/accounts.md to the code.
func TestPermissionsTable(t *testing.T) {
	page := readPage(t, "docs/accounts.md")
	before, rest, ok := strings.Cut(page, tableBegin)
	current, after, ended := strings.Cut(rest, tableEnd)
	if !ok || !ended {
		t.Fatal("docs/accounts.md has no place for the table")
	}
	want := permissionsTable()
	if current == want {
		return
	}
	if !*update {
		t.Fatal("the table in docs/accounts.md is not current: run go test ./cmd/kg/serve -run TestPermissionsTable -update")
	}
	check(t, os.WriteFile(filepath.Join("..", "..", "..", "docs", "accounts.md"), []byte(before+tableBegin+want+tableEnd+after), 0o644))
}

// permissionsTable shows what the built-in roles may do.
func permissionsTable() string {
	var b strings.Builder
	roles := access.BuiltinRoles()
	fmt.Fprintf(&b, "\n| Permission | `%s` |\n|---|%s\n", strings.Join(roles, "` | `"), strings.Repeat("---|", len(roles)))
	for _, p := range access.Permissions() {
		fmt.Fprintf(&b, "| `%s` |", p)
		for _, role := range roles {
			fmt.Fprintf(&b, " %s |", [...]string{"–", "own", "all"}[access.RoleReach(role, p)])
		}
		b.WriteString("\n")
	}
	return b.String() + "\n"
}

// TestEveryRouteTimesEveryRole asks for each route of the API as each role, with each
// scope of the token. A route must refuse exactly those who lack its permission, which the
// router tells, and must do so before anything else.
func TestEveryRouteTimesEveryRole(t *testing.T) {
	accounts := apitest.NewAccounts()
	api := newWholeAPIFor(t, accounts)
	demanded := api.Permissions()
	if len(demanded) < 150 {
		t.Fatalf("only %d routes tell their permission", len(demanded))
	}
	asked := 0
	for route, permission := range demanded {
		if permission == access.Public {
			continue
		}
		method, path, _ := strings.Cut(route, " ")
		for _, role := range append(access.BuiltinRoles(), "unknown") {
			for _, token := range []string{apitest.Good, apitest.ReadOnly} {
				accounts.InRole(role)
				p, err := accounts.Authenticate(t.Context(), token)
				check(t, err)
				if p.Reach(permission) != access.ReachNone {
					continue // it may be answered by what is behind, of which there is nothing here
				}
				asked++
				resp, body := apitest.Call(t, api, apitest.Request{Method: method, Path: parameter.ReplaceAllString(strings.TrimSuffix(path, "/*"), "1"), Token: token})
				if resp.StatusCode != nethttp.StatusForbidden {
					t.Errorf("%s as %s with a %s token: %d %s, want 403", route, role, token, resp.StatusCode, body)
				}
			}
		}
	}
	if asked < 200 {
		t.Errorf("only %d requests were refused", asked)
	}
}

// TestSingleRowsOpenNothingElse grants all permissions for single rows, and asks for each
// route: one that does not ask for every row must refuse, so that a permission to retry a
// job does not submit others.
func TestSingleRowsOpenNothingElse(t *testing.T) {
	accounts := apitest.NewAccounts()
	api := newWholeAPIFor(t, accounts)
	rows := map[access.Permission]access.RowSet{}
	for _, p := range access.Permissions() {
		rows[p] = access.RowSet{IDs: []string{"1", apitest.KnownJob}, Filters: []access.RowFilter{{"ontology": "notes"}}}
	}
	accounts.GrantRows(map[access.Permission]access.Reach{}, rows)
	byRow := 0
	for route, permission := range api.Permissions() {
		method, path, _ := strings.Cut(route, " ")
		switch {
		case api.ByRow()[route]:
			if byRow++; !slices.Contains([]string{"jobs", "artifacts", "ontologies", "graph", "sources", "queries"}, permission.Resource()) {
				t.Errorf("%s demands %s, which has no rows", route, permission)
			}
			continue
		case permission == access.Public || permission == access.AnyUser:
			continue
		}
		resp, body := apitest.Call(t, api, apitest.Request{Method: method, Path: parameter.ReplaceAllString(strings.TrimSuffix(path, "/*"), "1")})
		if resp.StatusCode != nethttp.StatusForbidden {
			t.Errorf("%s: %d %s, want 403", route, resp.StatusCode, body)
		}
	}
	if byRow != 82 {
		t.Errorf("%d routes ask for every row: each new one needs a test of the rows that it shows", byRow)
	}
}

var parameter = regexp.MustCompile(`\{\w+\}`)

// TestEveryPermissionIsInTheMatrix: a route that demands a permission that no role has
// would be closed to all.
func TestEveryPermissionIsInTheMatrix(t *testing.T) {
	for route, permission := range newWholeAPIFor(t, apitest.NewAccounts()).Permissions() {
		if permission != access.Public && permission != access.AnyUser && !slices.Contains(access.Permissions(), permission) {
			t.Errorf("%s demands %q, which nobody has", route, permission)
		}
		if permission.Reads() != isSafe(route) && permission != access.Public && permission != access.AnyUser && !asksByPost(route) {
			t.Errorf("%s demands %q", route, permission)
		}
	}
}

func isSafe(route string) bool {
	return strings.HasPrefix(route, nethttp.MethodGet) || strings.HasPrefix(route, nethttp.MethodHead)
}

// asksByPost reports routes that are questions with a body, and those of streams.
func asksByPost(route string) bool {
	return strings.HasPrefix(route, "POST ")
}
