package queries

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/programs"
)

func TestSave(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"a search":                       {`{"name":"ice","definition_type":"search","definition":{"query":"ice"}}`, 201, `"definition_type":"search"`},
		"with a parameter":               {`{"name":"ice","definition_type":"search","definition":{"query":"$q","limit":"$n"},"parameters":[{"name":"q","type":"string"},{"name":"n","type":"integer"}]}`, 201, `"id":`},
		"as other clients do":            {`{"name":"ice","definition_type":"search","definition":{"query":"ice"},"metadata":null}`, 201, `"id":`},
		"a path between phrases":         {`{"name":"a","definition_type":"connection","definition":{"from_query":"a","to_query":"b"}}`, 201, `"id":`},
		"a program":                      {`{"name":"","definition_type":"program","definition":` + aProgram + `}`, 201, `"id":`},
		"a limit out of range":           {`{"name":"ice","definition_type":"search","definition":{"query":"ice","limit":1000}}`, 422, "definition.limit: must be at most 100, got 1000"},
		"a default out of range":         {`{"name":"ice","definition_type":"search","definition":{"query":"ice","limit":"$n"},"parameters":[{"name":"n","type":"integer","default":1000}]}`, 422, "definition.limit"},
		"no query":                       {`{"name":"ice","definition_type":"search","definition":{}}`, 422, "definition.query: is required"},
		"a parameter of the wrong type":  {`{"name":"ice","definition_type":"search","definition":{"query":"ice","limit":"$n"},"parameters":[{"name":"n","type":"string"}]}`, 422, "definition.limit: must be a whole number"},
		"a parameter that is not used":   {`{"name":"ice","definition_type":"search","definition":{"query":"ice"},"parameters":[{"name":"n","type":"string"}]}`, 422, "$n is not used"},
		"one that is not declared":       {`{"name":"ice","definition_type":"search","definition":{"query":"$q"}}`, 422, "$q is not declared"},
		"Cypher":                         {`{"name":"ice","definition_type":"cypher","definition":{"query":"MATCH (n) RETURN n"}}`, 400, "cypher is not supported"},
		"a program that cannot be run":   {`{"name":"p","definition_type":"program","definition":{"version":1,"statements":[]}}`, 422, "program.statements: must have at least one"},
		"a member that nobody knows":     {`{"name":"ice","definition_type":"search","definition":{"query":"ice"},"owner_id":1}`, 422, "owner_id"},
		"a definition nested far":        {`{"name":"ice","definition_type":"search","definition":{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`, 422, "definition"},
		"a name of control characters":   {`{"name":"a\u0007","definition_type":"search","definition":{"query":"ice"}}`, 422, "name"},
		"a parameter with another name":  {`{"name":"ice","definition_type":"search","definition":{"query":"ice"},"parameters":[{"name":"1; drop","type":"string"}]}`, 422, "parameters[0].name"},
		"a question of no kind of route": {`{"name":"ice","definition_type":"../users","definition":{"query":"ice"}}`, 400, "definition_type"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			resp, body := apitest.Call(t, serve(t, f, inRole(access.RoleContributor)), apitest.Request{Method: "POST", Path: "/query-definitions", Body: c.body})
			if resp.StatusCode != c.status || !strings.Contains(body, c.want) || (len(f.did) > 0) != (c.status == 201) {
				t.Errorf("%d %s, did %v", resp.StatusCode, body, f.did)
			}
			if c.status != 201 && f.changed() || c.status == 201 && !strings.Contains(c.body, "connection") && len(f.asked) > 0 {
				t.Errorf("a check has asked %v", f.asked)
			}
		})
	}
}

func TestChange(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"its name":                {`{"name":"snow"}`, 200, `"name":"snow"`},
		"its definition":          {`{"definition":{"query":"$q"}}`, 200, `"definition":{"query":"$q"}`},
		"its parameters as well":  {`{"definition":{"query":"snow"},"parameters":[]}`, 200, `"parameters":[]`},
		"a parameter is left":     {`{"definition":{"query":"snow"}}`, 422, "$q is not used"},
		"nothing":                 {`{}`, 400, "Nothing is to be changed"},
		"null":                    {`{"name":null,"metadata":null}`, 400, "Nothing is to be changed"},
		"what cannot be asked":    {`{"definition":{"query":"$q","limit":0}}`, 422, "definition.limit"},
		"its type":                {`{"definition_type":"polarity"}`, 422, "definition_type"},
		"parameters that are one": {`{"parameters":{"name":"q"}}`, 422, "parameters"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{queries: []programs.SavedQuery{saved(7, "ice", new(1001))}}
			resp, body := apitest.Call(t, serve(t, f, inRole(access.RoleContributor)), apitest.Request{Method: "PUT", Path: "/query-definitions/7", Body: c.body})
			if resp.StatusCode != c.status || !strings.Contains(body, c.want) || (len(f.did) > 0) != (c.status == 200) || len(f.asked) > 0 {
				t.Errorf("%d %s, did %v, asked %v", resp.StatusCode, body, f.did, f.asked)
			}
		})
	}
}

// rowRequests is every request about one query, with what it demands of the query.
var rowRequests = []struct {
	method, path, body string
	permission         access.Permission
}{
	{"GET", "/query-definitions/7", "", access.QueriesRead},
	{"PUT", "/query-definitions/7", `{"name":"x"}`, access.QueriesWrite},
	{"DELETE", "/query-definitions/7", "", access.QueriesDelete},
	{"POST", "/query-definitions/7/run", `{"parameters":{"q":"x"}}`, access.QueriesRead},
	{"GET", "/programs/7", "", access.QueriesRead},
	{"DELETE", "/programs/7", "", access.QueriesDelete},
	{"POST", "/programs/execute", `{"program_id":7,"params":{"q":"x"}}`, access.QueriesRead},
	{"POST", "/programs/chain", `{"deck":[{"program_id":7,"params":{"q":"x"}}]}`, access.QueriesRead},
}

// TestRowRights sends every request about a query, in every built-in role, for one of one's
// own, of somebody else and of nobody: one that may not be seen is answered like one that does
// not exist.
func TestRowRights(t *testing.T) {
	for _, c := range rowRequests {
		for _, role := range access.BuiltinRoles() {
			for whose, owner := range map[string]*int{"one's own": new(1001), "a foreign one": new(1000), "nobody's": nil} {
				t.Run(fmt.Sprintf("%s %s of %s as %s", c.method, c.path, whose, role), func(t *testing.T) {
					f := &fake{queries: []programs.SavedQuery{program(7, owner)}}
					p := access.Principal{User: access.User{ID: 1001, Role: role}, Scopes: []string{access.ScopeRead, access.ScopeWrite}}
					allowed, status := p.PermitRow(c.permission, f.queries[0].Row()) == nil, 403
					if p.PermitSome(c.permission) == nil && p.PermitRow(access.QueriesRead, f.queries[0].Row()) != nil {
						status = 404
					}
					request := apitest.Request{Method: c.method, Path: c.path, Body: c.body}
					resp, body := apitest.Call(t, serve(t, f, inRole(role)), request)
					if allowed != (resp.StatusCode < 300) || !allowed && (resp.StatusCode != status || f.changed()) {
						t.Errorf("%d %s, want it allowed: %t, else %d", resp.StatusCode, body, allowed, status)
					}
					if status != 404 || allowed {
						return
					}
					f.queries = nil // the same answer when it is not there, but for its times and names
					resp, missing := apitest.Call(t, serve(t, f, inRole(role)), request)
					if detail := func(text string) string { d, _, _ := strings.Cut(text, `"instance"`); return d }; resp.StatusCode != 404 || detail(body) != detail(missing) {
						t.Errorf("one that is forbidden: %s\none that is not there: %s", body, missing)
					}
				})
			}
		}
	}
}

// TestGrantedRows sends every request about a query of somebody else as somebody who was
// granted that one, those of its type, another one, or none.
func TestGrantedRows(t *testing.T) {
	for name, set := range map[string]access.RowSet{
		"this one":     {IDs: []string{"7"}},
		"its type":     {Filters: []access.RowFilter{{"definition_type": "program"}}},
		"another one":  {IDs: []string{"8", "77", ""}},
		"another type": {Filters: []access.RowFilter{{"definition_type": "search"}}},
		"none":         {},
	} {
		for _, c := range rowRequests {
			f := &fake{queries: []programs.SavedQuery{program(7, new(1000))}}
			accounts := apitest.NewAccounts()
			accounts.GrantRows(map[access.Permission]access.Reach{access.GraphRead: access.ReachAll}, map[access.Permission]access.RowSet{c.permission: set})
			allowed, status := name == "this one" || name == "its type", 404
			if name == "none" {
				status = 403
			}
			resp, body := apitest.Call(t, serve(t, f, accounts), apitest.Request{Method: c.method, Path: c.path, Body: c.body})
			if name == "none" && strings.HasPrefix(c.body, `{"program_id"`) || name == "none" && strings.HasPrefix(c.body, `{"deck"`) {
				status = 404 // the route is that of the graph, and the query is not seen
			}
			if allowed != (resp.StatusCode < 300) || !allowed && (resp.StatusCode != status || f.changed()) {
				t.Errorf("%s %s, granted %s: %d %s, want it allowed: %t", c.method, c.path, name, resp.StatusCode, body, allowed)
			}
		}
	}
}

func TestRun(t *testing.T) {
	connection := programs.SavedQuery{ID: 9, Name: "path", Type: programs.QueryConnection, Definition: []byte(`{"from_query":"a","to_query":"b"}`), OwnerID: new(1001)}
	ids := programs.SavedQuery{ID: 10, Name: "ids", Type: programs.QueryConnection, Definition: []byte(`{"from_id":"a","to_id":"b"}`), OwnerID: new(1001)}
	f := &fake{queries: []programs.SavedQuery{
		saved(7, "ice", new(1001)), saved(8, "ice", new(1000)), connection, ids, program(11, new(1001)), saved(12, "twice", new(1000)), saved(13, "twice", new(1002)), saved(14, "once", new(1000)),
	}}
	s := serve(t, f, inRole(access.RoleAdmin))
	for name, c := range map[string]struct {
		path, body string
		status     int
		want       string
		asked      string
	}{
		"with its default":      {"/query-definitions/7/run", `{}`, 200, `"request":{"limit":3,"query":"ice"},"answer":{"query":"ice","limit":3}`, "ice 3 as 1001"},
		"with a value":          {"/query-definitions/7/run", `{"parameters":{"q":"snow"}}`, 200, `"query":"snow"`, "snow 3 as 1001"},
		"a value out of range":  {"/query-definitions/7/run", `{"parameters":{"q":""}}`, 422, "query: must not be empty", ""},
		"a value of no type":    {"/query-definitions/7/run", `{"parameters":{"q":[1]}}`, 422, "parameters.q: must be text", ""},
		"one too many":          {"/query-definitions/7/run", `{"parameters":{"z":1}}`, 422, "is no parameter", ""},
		"by phrases":            {"/query-definitions/9/run", `{}`, 200, `"definition_type":"connection"`, "/query/connect-by-search"},
		"by ids":                {"/query-definitions/10/run", `{}`, 200, `"definition_type":"connection"`, "/query/connect"},
		"a program":             {"/query-definitions/11/run", `{"parameters":{"q":"x"}}`, 200, `"request":null,"answer":{"result":{"nodes":[],"links":[]},"log":[],"aborted":null}`, "ice 10 as 1001"},
		"a program without":     {"/query-definitions/11/run", `{}`, 422, "parameters.q: is required", ""},
		"by its name, one's":    {"/query-definitions/run", `{"name":"ice"}`, 200, `"id":7`, "ice 3 as 1001"},
		"by a name that's once": {"/query-definitions/run", `{"name":"once"}`, 200, `"id":14`, "ice 3 as 1001"},
		"by a name that's two":  {"/query-definitions/run", `{"name":"twice"}`, 409, "2 saved queries are called twice", ""},
		"by no name":            {"/query-definitions/run", `{"name":"none"}`, 404, "Saved query not found: none", ""},
		"by an empty name":      {"/query-definitions/run", `{"name":""}`, 422, "name", ""},
		"a number that is none": {"/query-definitions/x/run", `{}`, 404, "Saved query not found: x", ""},
		"a huge number":         {"/query-definitions/99999999999999999999/run", `{}`, 404, "Saved query not found", ""},
		"a negative number":     {"/query-definitions/-7/run", `{}`, 404, "Saved query not found", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f.asked = nil
			resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: c.path, Body: c.body})
			if resp.StatusCode != c.status || !strings.Contains(body, c.want) || strings.Join(f.asked, ", ") != c.asked {
				t.Errorf("%d %s, asked %v", resp.StatusCode, body, f.asked)
			}
		})
	}
}

// TestRunWithoutRights has somebody run what was shared by an administrator, who may not ask
// the graph anything.
func TestRunWithoutRights(t *testing.T) {
	for _, c := range []struct{ path, body string }{
		{"/query-definitions/7/run", `{}`},
		{"/query-definitions/11/run", `{"parameters":{"q":"x"}}`},
		{"/programs/execute", `{"program_id":11,"params":{"q":"x"}}`},
		{"/programs/execute", `{"program":` + aProgram + `,"params":{"q":"x"}}`},
		{"/programs/chain", `{"deck":[{"program_id":11,"params":{"q":"x"}}]}`},
	} {
		f := &fake{queries: []programs.SavedQuery{saved(7, "ice", new(1000)), program(11, new(1000))}}
		accounts := apitest.NewAccounts()
		accounts.GrantRows(map[access.Permission]access.Reach{access.JobsRead: access.ReachOwn}, map[access.Permission]access.RowSet{access.QueriesRead: {IDs: []string{"7", "11"}}})
		resp, body := apitest.Call(t, serve(t, f, accounts), apitest.Request{Method: "POST", Path: c.path, Body: c.body})
		if resp.StatusCode != 403 || len(f.asked) > 0 {
			t.Errorf("%s: %d %s, asked %v", c.path, resp.StatusCode, body, f.asked)
		}
	}
}

func TestList(t *testing.T) {
	f := &fake{queries: []programs.SavedQuery{saved(9, "c", new(1001)), program(8, new(1001)), saved(7, "a", new(1000))}}
	for name, c := range map[string]struct {
		role, path string
		status     int
		want       string
	}{
		"one's own":            {access.RoleReadOnly, "/query-definitions", 200, `"total":2`},
		"an administrator's":   {access.RoleAdmin, "/query-definitions", 200, `"total":3`},
		"of a type":            {access.RoleReadOnly, "/query-definitions?definition_type=program", 200, `"total":1`},
		"of a type of others":  {access.RoleReadOnly, "/query-definitions?definition_type=cypher", 200, `"definitions":[],"total":0`},
		"of no type":           {access.RoleReadOnly, "/query-definitions?definition_type=x", 422, "definition_type"},
		"another page":         {access.RoleReadOnly, "/query-definitions?limit=1", 200, `"next_cursor":"`},
		"of somebody else":     {access.RoleReadOnly, "/query-definitions?owner_id=1000", 200, `"definitions":[],"total":0`},
		"too many":             {access.RoleReadOnly, "/query-definitions?limit=501", 422, "limit"},
		"a cursor of no list":  {access.RoleReadOnly, "/query-definitions?cursor=x", 422, "cursor"},
		"programs":             {access.RoleReadOnly, "/programs", 200, `[{"id":8,"name":"find","description":null,"statement_count":1`},
		"programs, and no one": {access.RoleReadOnly, "/programs?limit=0", 422, "limit"},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := apitest.Call(t, serve(t, f, inRole(c.role)), apitest.Request{Method: "GET", Path: c.path})
			if resp.StatusCode != c.status || !strings.Contains(body, c.want) {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
}

func TestExecute(t *testing.T) {
	deck := func(n int) string {
		return `{"deck":[` + strings.TrimSuffix(strings.Repeat(`{"program":`+aProgram+`,"params":{"q":"x"}},`, n), ",") + `]}`
	}
	for name, c := range map[string]struct {
		path, body string
		status     int
		want       string
		runs       int
	}{
		"a program":              {"/programs/execute", `{"program":` + aProgram + `,"params":{"q":"x"}}`, 200, `"aborted":null`, 1},
		"a program that is kept": {"/programs/execute", `{"program_id":7,"params":{"q":"x"}}`, 200, `"log":[]`, 1},
		"neither":                {"/programs/execute", `{}`, 422, "program: must be given", 0},
		"null":                   {"/programs/execute", `{"program":null}`, 422, "program: must be given", 0},
		"both":                   {"/programs/execute", `{"program_id":7,"program":` + aProgram + `}`, 422, "not both", 0},
		"a search":               {"/programs/execute", `{"program_id":8}`, 404, "Program not found: 8", 0},
		"without its parameter":  {"/programs/execute", `{"program_id":7}`, 422, "parameters.q: is required", 0},
		"of the wrong type":      {"/programs/execute", `{"program_id":7,"params":{"q":7}}`, 422, "parameters.q: must be text", 0},
		"one that is refused":    {"/programs/execute", `{"program":{"version":1,"statements":[{"op":"+","operation":{"type":"cypher","query":"CREATE (n)"}}]}}`, 422, "program.statements[0].operation.query: a program only reads, and this statement has CREATE", 0},
		"a deck":                 {"/programs/execute", deck(2), 200, `"programs":[`, 2},
		"a deck and a program":   {"/programs/execute", `{"program_id":7,` + deck(1)[1:], 422, "deck: must not come with", 0},
		"a chain":                {"/programs/chain", deck(10), 200, `"aborted":null`, 10},
		"an empty chain":         {"/programs/chain", deck(0), 422, "deck: must have 1 to 10", 0},
		"a long chain":           {"/programs/chain", deck(11), 422, "deck: must have 1 to 10", 0},
		"a chain with a fault":   {"/programs/chain", `{"deck":[{"program_id":7,"params":{"q":"x"}},{"program":{"version":2,"statements":[]}}]}`, 422, "deck[1].program.version: must be 1", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{queries: []programs.SavedQuery{program(7, new(1001)), saved(8, "ice", new(1001))}}
			resp, body := apitest.Call(t, serve(t, f, inRole(access.RoleReadOnly)), apitest.Request{Method: "POST", Path: c.path, Body: c.body})
			if resp.StatusCode != c.status || !strings.Contains(body, c.want) || len(f.deck) != c.runs {
				t.Errorf("%d %s, ran %d", resp.StatusCode, body, len(f.deck))
			}
		})
	}
}

func TestPrograms(t *testing.T) {
	f := &fake{}
	s := serve(t, f, inRole(access.RoleContributor))
	broken := `{"program":{"version":1,"statements":[{"op":"+","operation":{"type":"api","endpoint":"/search/concepts","params":{"query":"a"}}},{"op":"+","operation":{"type":"cypher","query":"MATCH (n) RETURN n"}}]}}`
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/programs/validate", `{"program":` + aProgram + `}`, 200, `{"valid":true,"errors":[],"warnings":[]}`},
		{"/programs/validate", broken, 200, `"valid":false,"errors":[{"rule_id":"V031","severity":"error","statement":1,"field":"statements[1].operation.query"`},
		{"/programs/validate", `{"program":7}`, 200, `"statement":null`},
		{"/programs/validate", `{}`, 422, "program"},
		{"/programs", `{"program":` + aProgram + `,"name":"find"}`, 201, `"name":"find","program":{"version":1`},
		{"/programs", broken, 422, "program.statements[1].operation.query: Cypher is not run here"},
	} {
		if resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: c.path, Body: c.body}); resp.StatusCode != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s", c.path, c.body, resp.StatusCode, body)
		}
	}
	if len(f.did) != 1 {
		t.Errorf("did %v", f.did)
	}
}
