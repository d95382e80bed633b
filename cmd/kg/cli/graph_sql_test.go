package cli

import (
	"archive/zip"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

func TestGraphSQL(t *testing.T) {
	f := graphAPI(t)
	var asked string
	f.HandleFunc("POST /datasets/graph/query", func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, 1000)
		n, _ := r.Body.Read(body)
		asked = string(body[:n])
		_, _ = w.Write([]byte(`{"columns":[{"name":"type","type":"VARCHAR","nullable":true},{"name":"n","type":"BIGINT","nullable":true}],
			"rows":[{"type":"CAUSES","n":2},{"type":null,"n":1}],"total_rows":5,"truncated":true,"duration_ms":3,"epoch":7,"as_of":"2026-01-31T08:00:00.000Z"}`))
	})
	c := f.console(t).run(t.Context(), "graph", "sql", "SELECT 1", "--ontology", "a,b", "--limit", "2")
	if want := "TYPE    N\nCAUSES  2\nNULL    1\n\n5 rows in 3 ms\n"; c.code != exit.OK || c.out != want || !strings.HasPrefix(c.err, "2 of 5 rows are shown") {
		t.Errorf("code %d, stdout\n%s\nstderr %s", c.code, c.out, c.err)
	}
	if want := `{"sql":"SELECT 1","ontologies":["a","b"],"limit":2}`; strings.TrimSpace(asked) != want {
		t.Errorf("asked %s, want %s", asked, want)
	}
	if c := f.console(t).run(t.Context(), "graph", "sql", "SELECT 1", "-o", "csv"); c.out != "type,n\r\nCAUSES,2\r\n,1\r\n" {
		t.Errorf("as CSV %q", c.out)
	}
	file := filepath.Join(t.TempDir(), "query.sql")
	if err := os.WriteFile(file, []byte("SELECT 2"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c := f.console(t).run(t.Context(), "graph", "sql", "--file", file); c.code != exit.OK || !strings.Contains(asked, `"SELECT 2"`) {
		t.Errorf("code %d, asked %s", c.code, asked)
	}
	f.answer("GET /datasets/graph/schema", `{"tables":[{"name":"concepts","description":"A row for each concept.","columns":[{"name":"concept_id","type":"VARCHAR","nullable":false,"description":"The id"}]}]}`)
	if c := f.console(t).run(t.Context(), "graph", "sql", "--schema"); c.out != "concepts: A row for each concept\nCOLUMN      TYPE     WHAT IT IS\nconcept_id  VARCHAR  The id\n" {
		t.Errorf("the schema is\n%s", c.out)
	}
	for _, args := range [][]string{{}, {"SELECT 1", "--schema"}, {"SELECT 1", "--file", file}, {"SELECT 1", "--limit", "1001"}, {" "}} {
		if c := f.console(t).run(t.Context(), append([]string{"graph", "sql"}, args...)...); c.code != exit.Misused {
			t.Errorf("%q: code %d, %s", args, c.code, c.err)
		}
	}
}

// archiveOf answers with an archive of these files, or for one table with what was asked.
func archiveOf(f *fakeAPI, names ...string) {
	f.HandleFunc("GET /graph/export", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("table") {
			_, _ = w.Write([]byte(r.URL.RawQuery))
			return
		}
		archive := zip.NewWriter(w)
		for _, name := range names {
			file, _ := archive.Create(name)
			_, _ = file.Write([]byte(name + " " + r.URL.RawQuery))
		}
		_ = archive.Close()
	})
}

func TestGraphExportOfTables(t *testing.T) {
	f := graphAPI(t)
	archiveOf(f, "concepts.parquet", "relationships.parquet", "evidence.parquet", "documents.parquet", "about.json", "../evil")
	dir := filepath.Join(t.TempDir(), "a", "tables")
	c := f.console(t).run(t.Context(), "graph", "export", "--format", "parquet", "--save", dir)
	if c.code != exit.OK || strings.Count(c.err, ".parquet\n") != 4 {
		t.Fatalf("code %d, stderr %s", c.code, c.err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 4 {
		t.Errorf("the folder has %v, %v", list, err)
	}
	if body, err := os.ReadFile(filepath.Join(dir, "evidence.parquet")); err != nil || string(body) != "evidence.parquet format=parquet&max_hops=2" {
		t.Errorf("a file has %q, %v", body, err)
	}
	c = f.console(t).run(t.Context(), "graph", "export", "--format", "parquet", "--table", "evidence")
	if c.code != exit.OK || c.out != "format=parquet&max_hops=2&table=evidence" {
		t.Errorf("one table: code %d, stdout %q", c.code, c.out)
	}
	for _, args := range [][]string{{"--format", "json", "--save", dir}, {"--format", "json", "--table", "evidence"}, {"--format", "parquet", "--table", "all"}, {"--format", "parquet", "--save", dir, "--file", "x"}} {
		if c := f.console(t).run(t.Context(), append([]string{"graph", "export"}, args...)...); c.code != exit.Misused {
			t.Errorf("%q: code %d, %s", args, c.code, c.err)
		}
	}
	lacking := graphAPI(t)
	archiveOf(lacking, "concepts.parquet")
	if c := lacking.console(t).run(t.Context(), "graph", "export", "--format", "parquet", "--save", dir); c.code == exit.OK || !strings.Contains(c.err, "relationships.parquet") {
		t.Errorf("an archive that lacks files: code %d, %s", c.code, c.err)
	}
}
