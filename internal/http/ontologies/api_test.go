package ontologies

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake has the ontology a/b, which is 1, and keeps what was done.
type fake struct{ did []string }

func (f *fake) known(name string) error {
	if name != "a/b" {
		return kappa.NewError(kappa.CodeNotFound, "Ontology '"+name+"' not found")
	}
	return nil
}

func (f *fake) OntologyNode(_ context.Context, name string) (ontologies.Node, error) {
	return ontologies.Node{ID: "1", Name: name, SearchTerms: []string{}}, f.known(name)
}

func (f *fake) OntologyDetails(_ context.Context, name string, _ int) (ontologies.Details, error) {
	return ontologies.Details{Ontology: name, Files: []string{}}, f.known(name)
}

func (f *fake) OntologyFiles(_ context.Context, q ontologies.FilesQuery) (files []ontologies.File, total int, err error) {
	for n := range q.Limit {
		files = append(files, ontologies.File{FilePath: "f", Place: kappa.Cursor{List: kappa.ListFiles, Keys: []int64{int64(n)}}})
	}
	return files, 3, f.known(q.Ontology)
}

func (f *fake) CreateOntology(_ context.Context, o ontologies.NewOntology) (ontologies.Node, error) {
	f.did = append(f.did, "create "+o.Name+" "+o.Description)
	return ontologies.Node{Name: o.Name, SearchTerms: []string{}}, nil
}

func (f *fake) SetLifecycle(_ context.Context, name, state string) (string, error) {
	f.did = append(f.did, name+" "+state)
	return "active", f.known(name)
}

func (f *fake) KeepVersions(_ context.Context, name string, keep int) (before, forgotten int, err error) {
	f.did = append(f.did, name+" keeps "+strconv.Itoa(keep))
	return 10, 2, f.known(name)
}

func (f *fake) RenameOntology(_ context.Context, name, newName string) (int, error) {
	f.did = append(f.did, name+" to "+newName)
	return 3, nil
}

func (f *fake) Tombstones(context.Context) ([]ontologies.Tombstone, error) { return nil, nil }

func (f *fake) ClearTombstones(_ context.Context, name string) ([]string, error) {
	f.did = append(f.did, "clear "+name)
	return []string{"x"}, nil
}

func (f *fake) RemoveOntology(_ context.Context, r ontologies.Removal) (ontologies.Removed, error) {
	if r.DryRun {
		return ontologies.Removed{Ontology: r.Name, SourcesDeleted: 3}, nil
	}
	f.did = append(f.did, "remove "+r.Name)
	if r.KeepTombstone {
		f.did = append(f.did, "by "+r.RemovedBy)
	}
	return ontologies.Removed{Ontology: r.Name, Deleted: true}, nil
}

func TestOntologies(t *testing.T) {
	for name, c := range map[string]struct {
		role, method, path, body string
		status                   int
		contains, did            string
	}{
		"shown":                      {access.RoleReadOnly, "GET", "/ontology/a%2Fb", "", 200, `"ontology":"a/b"`, ""},
		"shown, alone":               {access.RoleReadOnly, "GET", "/ontology/a%2Fb/node", "", 200, `"search_terms":[]`, ""},
		"its files":                  {access.RoleReadOnly, "GET", "/ontology/a%2Fb/files", "", 200, `{"ontology":"a/b","count":3,"files":[],"next_cursor":null}`, ""},
		"a page of its files":        {access.RoleReadOnly, "GET", "/ontology/a%2Fb/files?limit=2", "", 200, `"next_cursor":"` + kappa.Cursor{List: kappa.ListFiles, Keys: []int64{1}}.String() + `"`, ""},
		"too large a page of them":   {access.RoleReadOnly, "GET", "/ontology/a%2Fb/files?limit=1001", "", 422, "limit: must be", ""},
		"from a place that is none":  {access.RoleReadOnly, "GET", "/ontology/a%2Fb/files?cursor=x", "", 422, "cursor: must be the next_cursor", ""},
		"shown with too many files":  {access.RoleReadOnly, "GET", "/ontology/a%2Fb?limit=-1", "", 422, "limit: must be", ""},
		"unknown":                    {access.RoleReadOnly, "GET", "/ontology/c", "", 404, "Ontology 'c' not found", ""},
		"created":                    {access.RoleCurator, "POST", "/ontology/", `{"name":" c ","description":"d"}`, 201, `"name":"c"`, "create c d"},
		"created without the right":  {access.RoleContributor, "POST", "/ontology/", `{"name":"c"}`, 403, "", ""},
		"created without a name":     {access.RoleCurator, "POST", "/ontology/", `{"name":" "}`, 422, "name: must not be empty", ""},
		"created as part of a route": {access.RoleCurator, "POST", "/ontology", `{"name":"tombstones"}`, 422, "a meaning of its own", ""},
		"frozen":                     {access.RoleCurator, "PUT", "/ontology/a%2Fb/lifecycle", `{"state":"frozen"}`, 200, `"previous_state":"active","new_state":"frozen"`, "a/b frozen"},
		"versions kept":              {access.RoleCurator, "PUT", "/ontology/a%2Fb/versions", `{"keep_versions":3}`, 200, `"previous_keep_versions":10,"keep_versions":3,"versions_forgotten":2`, "a/b keeps 3"},
		"versions kept, without one": {access.RoleCurator, "PUT", "/ontology/a%2Fb/versions", `{}`, 422, "keep_versions: is required", ""},
		"too many versions kept":     {access.RoleCurator, "PUT", "/ontology/a%2Fb/versions", `{"keep_versions":1001}`, 422, "must be at most 1000", ""},
		"versions kept by a reader":  {access.RoleContributor, "PUT", "/ontology/a%2Fb/versions", `{"keep_versions":3}`, 403, "ontologies", ""},
		"in an unknown state":        {access.RoleCurator, "PUT", "/ontology/a%2Fb/lifecycle", `{"state":"melted"}`, 422, "must be one of active, pinned, frozen", ""},
		"renamed":                    {access.RoleCurator, "POST", "/ontology/a%2Fb/rename", `{"new_name":"c"}`, 200, `"sources_updated":3`, "a/b to c"},
		"deleted":                    {access.RoleAdmin, "DELETE", "/ontology/a%2Fb?force=true", "", 200, `"deleted":true`, "remove a/b"},
		"deleted with a tombstone":   {access.RoleAdmin, "DELETE", "/ontology/a%2Fb?force=true&keep_tombstone=true", "", 200, "", "remove a/b, by "},
		"deleted in a dry run":       {access.RoleAdmin, "DELETE", "/ontology/a%2Fb?dry_run=true", "", 200, `"deleted":false,"sources_deleted":3`, ""},
		"deleted without force":      {access.RoleAdmin, "DELETE", "/ontology/a%2Fb", "", 400, "force=true", ""},
		"deleted without the right":  {access.RoleCurator, "DELETE", "/ontology/a%2Fb?force=true", "", 403, "", ""},
		"tombstones":                 {access.RoleReadOnly, "GET", "/ontology/tombstones", "", 200, `{"tombstones":[],"count":0}`, ""},
		"tombstones cleared":         {access.RoleAdmin, "DELETE", "/ontology/tombstones", "", 200, `{"flushed":1,"names":["x"]}`, "clear "},
		"a tombstone cleared":        {access.RoleAdmin, "DELETE", "/ontology/tombstones/a%2Fb", "", 200, "", "clear a/b"},
		"cleared without the right":  {access.RoleCurator, "DELETE", "/ontology/tombstones", "", 403, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			accounts := apitest.NewAccounts()
			accounts.InRole(c.role)
			s := apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Ontologies: f, Keeper: f, Remover: f}))
			r := apitest.Request{Method: c.method, Path: c.path, Body: c.body}
			if c.body != "" {
				r.ContentType = "application/json"
			}
			resp, body := apitest.Call(t, s, r)
			if resp.StatusCode != c.status || !strings.Contains(body, c.contains) || !strings.HasPrefix(strings.Join(f.did, ", "), c.did) || c.did == "" && len(f.did) > 0 {
				t.Errorf("%d %s, did %q", resp.StatusCode, body, f.did)
			}
		})
	}
}

// TestGrantedOntologies has permissions for single ontologies, by their number and by their
// name.
func TestGrantedOntologies(t *testing.T) {
	byID, byName := access.RowSet{IDs: []string{"1"}}, access.RowSet{Filters: []access.RowFilter{{"ontology": "a/b"}}}
	for name, c := range map[string]struct {
		rows               access.RowSet
		method, path, body string
		status             int
		did                string
	}{
		"shown":                       {byID, "GET", "/ontology/a%2Fb", "", 200, ""},
		"shown by its name":           {byName, "GET", "/ontology/a%2Fb", "", 200, ""},
		"its node":                    {byID, "GET", "/ontology/a%2Fb/node", "", 200, ""},
		"its files":                   {byName, "GET", "/ontology/a%2Fb/files", "", 200, ""},
		"an unknown one":              {byID, "GET", "/ontology/c", "", 404, ""},
		"frozen":                      {byID, "PUT", "/ontology/a%2Fb/lifecycle", `{"state":"frozen"}`, 200, "a/b frozen"},
		"renamed":                     {byID, "POST", "/ontology/a%2Fb/rename", `{"new_name":"c"}`, 200, "a/b to c"},
		"renamed out of what is seen": {byName, "POST", "/ontology/a%2Fb/rename", `{"new_name":"c"}`, 403, ""},
		"deleted":                     {byName, "DELETE", "/ontology/a%2Fb?force=true", "", 200, "remove a/b"},
		"created":                     {byName, "POST", "/ontology/", `{"name":"a/b"}`, 403, ""},
		"tombstones":                  {byID, "GET", "/ontology/tombstones", "", 403, ""},
		"tombstones cleared":          {byName, "DELETE", "/ontology/tombstones/a%2Fb", "", 403, ""},
	} {
		for also, foreign := range map[string]bool{"": false, ", a foreign one": true} {
			t.Run(name+also, func(t *testing.T) {
				c := c
				if foreign && c.status == 200 {
					c.status, c.did, c.rows = 404, "", access.RowSet{IDs: []string{"2"}, Filters: []access.RowFilter{{"ontology": "a"}}}
				}
				f := &fake{}
				accounts := apitest.NewAccounts()
				rows := map[access.Permission]access.RowSet{}
				for _, p := range []access.Permission{access.OntologiesRead, access.OntologiesWrite, access.OntologiesDelete, access.OntologiesCreate} {
					rows[p] = c.rows
				}
				accounts.GrantRows(map[access.Permission]access.Reach{}, rows)
				s := apitest.ServeWith(t, http.Config{Auth: accounts}, New(Config{Ontologies: f, Keeper: f, Remover: f}))
				resp, body := apitest.Call(t, s, apitest.Request{Method: c.method, Path: c.path, Body: c.body})
				if resp.StatusCode != c.status || !strings.HasPrefix(strings.Join(f.did, ", "), c.did) || c.did == "" && len(f.did) > 0 {
					t.Errorf("%d %s, did %q, want %d", resp.StatusCode, body, f.did, c.status)
				}
			})
		}
	}
}
