package access

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
)

func TestPermitGrantedRow(t *testing.T) {
	t.Parallel()
	row := Row{Owner: 5, ID: "job_000000000001", Ontology: "notes", Type: "ingestion"}
	for name, c := range map[string]struct {
		reach Reach
		rows  RowSet
		owner int
		scope string
		want  bool
	}{
		"all":                     {reach: ReachAll, want: true},
		"own":                     {reach: ReachOwn, owner: 5, want: true},
		"a foreign one":           {reach: ReachOwn},
		"granted by its id":       {rows: RowSet{IDs: []string{row.ID}}, want: true},
		"granted by its ontology": {reach: ReachOwn, rows: RowSet{Filters: []RowFilter{{"ontology": "notes"}}}, want: true},
		"another id":              {rows: RowSet{IDs: []string{"job_000000000002", ""}}},
		"another ontology":        {rows: RowSet{Filters: []RowFilter{{"ontology": "letters"}, {"ontology": "notes", "job_type": "noop"}}}},
		"one that only reads":     {rows: RowSet{IDs: []string{row.ID}}, scope: ScopeRead},
		"nothing":                 {},
	} {
		p := Principal{User: User{ID: 5}, Scopes: []string{ScopeWrite}, Grants: map[Permission]Reach{JobsCancel: c.reach}, Rows: map[Permission]RowSet{JobsCancel: c.rows}}
		if c.owner == 0 {
			p.User.ID = 9
		}
		if c.scope != "" {
			p.Scopes = []string{c.scope}
		}
		if err := p.PermitRow(JobsCancel, row); (err == nil) != c.want {
			t.Errorf("%s: %v, want allowed %v", name, err, c.want)
		}
		if c.reach == ReachNone && p.Permit(JobsCancel) == nil {
			t.Errorf("%s: single rows open what is not asked by row", name)
		}
		if c.want && p.PermitSome(JobsCancel) != nil {
			t.Errorf("%s: a row is granted, and the route is closed", name)
		}
	}
	if (RowSet{IDs: []string{""}}).Has(Row{}) {
		t.Error("a row without an id was granted by its id")
	}
}

func TestRowsOfRoles(t *testing.T) {
	t.Parallel()
	id, now := "job_000000000001", time.Now()
	some := func(role string, granted bool) RoleGrant {
		return RoleGrant{Role: role, Resource: "jobs", Action: "read", Scope: ScopeInstance, ScopeID: &id, Granted: granted}
	}
	filtered := RoleGrant{Role: "auditor", Resource: "jobs", Action: "read", Scope: ScopeFilter, ScopeFilter: json.RawMessage(`{"ontology":"notes"}`), Granted: true}
	p := builtinPolicy(Role{Name: "guest", Active: true}, Role{Name: "auditor", Active: true, Parent: new("guest")}, Role{Name: "denied", Active: true, Parent: new("guest")})
	p.Grants = []RoleGrant{some("guest", true), filtered, {Role: "denied", Resource: "jobs", Action: "read", Scope: ScopeGlobal}}
	for name, c := range map[string]struct {
		role  string
		extra []RoleAssignment
		ids   []string
		most  int // filters
	}{
		"one row":                       {role: "guest", ids: []string{id}},
		"with those of the parent":      {role: "auditor", ids: []string{id}, most: 1},
		"denied is denied for all rows": {role: "denied"},
		"by an assignment":              {role: RoleReadOnly, extra: []RoleAssignment{{Role: "guest"}}, ids: []string{id}},
		"one of own rows grants none":   {role: RoleReadOnly, extra: []RoleAssignment{{Role: "guest", Scope: new(ScopeOwn)}}},
	} {
		p.Assignments[7] = c.extra
		_, rows := p.Rights(User{ID: 7, Role: c.role}, now)
		if got := rows[JobsRead]; !slices.Equal(got.IDs, c.ids) || len(got.Filters) != c.most {
			t.Errorf("%s: %v, want %v and %d filters", name, got, c.ids, c.most)
		}
	}
	for giver, above := range map[string]bool{RoleReadOnly: true, RoleCurator: false} {
		if got := p.Above("guest", Principal{User: User{Role: giver}}.Rights()); got != above {
			t.Errorf("for %s, a role that sees one job is above: %v", giver, got)
		}
	}
	p.Grants = []RoleGrant{{Role: "guest", Resource: "boards", Action: "paint", Scope: ScopeGlobal, Granted: true}}
	for giver, above := range map[string]bool{RoleAdmin: true, RolePlatformAdmin: false} {
		if got := p.Above("guest", Principal{User: User{Role: giver}}.Rights()); got != above {
			t.Errorf("for %s, a role of another program is above: %v", giver, got)
		}
	}
}

func TestGrantScopes(t *testing.T) {
	t.Parallel()
	types := append(BuiltinResources(), ResourceType{Type: "boards", Actions: []string{"paint"}, SupportsScoping: true})
	grant := func(resource, action, scope, id, filter string) NewRoleGrant {
		n := NewRoleGrant{Role: "guest", Resource: resource, Action: action, Scope: &scope, ScopeFilter: json.RawMessage(filter)}
		if id != "" {
			n.ScopeID = &id
		}
		return n
	}
	for name, c := range map[string]struct {
		n    NewRoleGrant
		want string // "" is valid
	}{
		"a job":                    {n: grant("jobs", "read", "instance", "job_000000000001", "")},
		"an artifact":              {n: grant("artifacts", "read", "instance", "7", "null")},
		"jobs of an ontology":      {n: grant("jobs", "cancel", "filter", "", `{"ontology":"notes","job_type":"ingestion"}`)},
		"an ontology":              {n: grant("ontologies", "write", "instance", "7", "")},
		"an ontology by its name":  {n: grant("ontologies", "read", "filter", "", `{"ontology":"notes"}`)},
		"the name as an id":        {n: grant("ontologies", "read", "instance", "notes", ""), want: "scope_id: must be the number of an ontology"},
		"one's own ontologies":     {n: grant("ontologies", "read", "own", "", ""), want: "scope_type: must be global, instance or filter: ontologies do not belong"},
		"a new ontology":           {n: grant("ontologies", "create", "filter", "", `{"ontology":"notes"}`), want: "scope_type: must be global: what is created"},
		"a board":                  {n: grant("boards", "paint", "filter", "", `{"color":"red"}`)},
		"no id":                    {n: grant("jobs", "read", "instance", "", ""), want: "scope_id: is required"},
		"the id of no job":         {n: grant("jobs", "read", "instance", "7", ""), want: "scope_id: must be the id of a job"},
		"the number of none":       {n: grant("artifacts", "read", "instance", "07", ""), want: "scope_id: must be the number"},
		"an id too many":           {n: grant("jobs", "read", "own", "job_000000000001", ""), want: "scope_id: goes with scope_type instance only"},
		"a filter too many":        {n: grant("jobs", "read", "global", "", `{"ontology":"n"}`), want: "scope_filter: goes with scope_type filter only"},
		"no filter":                {n: grant("jobs", "read", "filter", "", ""), want: "scope_filter: is required"},
		"an empty filter":          {n: grant("jobs", "read", "filter", "", `{}`), want: "must be an object of 1 to 10"},
		"a filter of numbers":      {n: grant("jobs", "read", "filter", "", `{"ontology":1}`), want: "must be an object of 1 to 10"},
		"a filter of no member":    {n: grant("jobs", "read", "filter", "", `{"status":"failed"}`), want: "must be one of ontology, job_type"},
		"a client":                 {n: grant("oauth_clients", "read", "instance", "7", ""), want: "scope_type: must be global or own"},
		"a filter of nothing":      {n: grant("jobs", "read", "filter", "", `{"ontology":""}`), want: "ontology must"},
		"rows that belong to none": {n: grant("graph", "read", "instance", "7", ""), want: "scope_type: must be global"},
	} {
		err := c.n.Validate(types)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(kappa.ErrorMessage(err), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	denied := grant("jobs", "read", "instance", "job_000000000001", "")
	denied.Granted = new(bool)
	if err := denied.Validate(types); err == nil || !strings.Contains(kappa.ErrorMessage(err), "denied for all rows") {
		t.Errorf("one row is denied: %v", err)
	}
}
