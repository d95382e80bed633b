package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// askGraph asks a question that is answered.
func askGraph(t *testing.T, c *client.Client, sql string, ontologies ...string) datasets.GraphRows {
	t.Helper()
	rows, err := c.Datasets.QueryGraph(t.Context(), datasets.GraphQuery{SQL: sql, Ontologies: ontologies})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return rows
}

// cells are the rows of an answer in one line.
func cells(rows datasets.GraphRows) string {
	var all []string
	for _, r := range rows.Rows.Rows {
		all = append(all, string(r))
	}
	return strings.Join(all, " ")
}

// everything are questions that read every column of every table, but for when it was written:
// only that differs between two servers.
var everything = map[questions.GraphTable]string{
	questions.TableConcepts:      "SELECT * EXCLUDE (created_at) FROM concepts ORDER BY ALL",
	questions.TableRelationships: "SELECT * EXCLUDE (created_at) FROM relationships ORDER BY ALL",
	questions.TableEvidence:      "SELECT * EXCLUDE (created_at) FROM evidence ORDER BY ALL",
	questions.TableDocuments:     "SELECT * EXCLUDE (ingested_at) FROM documents ORDER BY ALL",
}

// TestGraphSQL asks the graph of a real server, with real workers.
func TestGraphSQL(t *testing.T) {
	t.Parallel()
	s := startWithDatasets(t, nil)
	ingestText(t, s, "open/notes", "open.txt", openText)

	t.Run("relationships by type and month", func(t *testing.T) {
		rows := askGraph(t, s.client, "SELECT type, date_trunc('month', created_at) AS month, count(*) AS n FROM relationships WHERE type = 'USES' GROUP BY ALL")
		list, err := s.client.Edges.List(t.Context(), questions.EdgeFilter{Type: "USES", Limit: 100})
		check(t, err)
		if want := fmt.Sprintf(`"n":%d}`, list.Total); !strings.HasPrefix(cells(rows), `{"type":"USES","month":"20`) || !strings.HasSuffix(cells(rows), want) || list.Total == 0 {
			t.Errorf("got %s, want %s", cells(rows), want)
		}
		if columns := rows.Columns; columns[1].Type != "TIMESTAMPTZ" || columns[2].Type != "BIGINT" {
			t.Errorf("the columns are %+v", columns)
		}
	})
	t.Run("every table has the columns that are told, and rows that go together", func(t *testing.T) {
		tables, err := s.client.Datasets.GraphTables(t.Context())
		check(t, err)
		for _, table := range tables {
			var want, got []string
			for _, c := range table.Columns {
				want = append(want, c.Name+" "+c.Type)
			}
			rows := askGraph(t, s.client, "SELECT * FROM "+string(table.Name))
			for _, c := range rows.Columns {
				got = append(got, c.Name+" "+strings.ReplaceAll(c.Type, "TIMESTAMPTZ", questions.ColumnInstant))
			}
			if strings.Join(got, ", ") != strings.Join(want, ", ") || rows.TotalRows == 0 {
				t.Errorf("%s has %d rows of\n%v, want\n%v", table.Name, rows.TotalRows, got, want)
			}
		}
		for what, sql := range map[string]string{
			"evidence without its concept":           "SELECT count(*) AS n FROM evidence e ANTI JOIN concepts c USING (concept_id) WHERE e.concept_id IS NOT NULL",
			"evidence without its relationship":      "SELECT count(*) AS n FROM evidence e ANTI JOIN relationships r USING (from_concept_id, type, to_concept_id) WHERE e.concept_id IS NULL",
			"evidence without its document":          "SELECT count(*) AS n FROM evidence e ANTI JOIN documents d USING (document_id, ontology)",
			"ends that are no concepts":              "SELECT count(*) AS n FROM relationships r ANTI JOIN concepts c ON r.to_concept_id = c.concept_id AND r.to_label = c.label",
			"concepts whose evidence is not counted": "SELECT count(*) AS n FROM concepts c JOIN (SELECT concept_id, count(*) AS k FROM evidence GROUP BY ALL) USING (concept_id) WHERE k <> evidence_count",
		} {
			if got := cells(askGraph(t, s.client, sql)); got != `{"n":0}` {
				t.Errorf("%s: %s", what, got)
			}
		}
	})
	t.Run("what is wrong is said", func(t *testing.T) {
		for _, c := range []struct {
			query  datasets.GraphQuery
			status int
			says   string
		}{
			{datasets.GraphQuery{SQL: "SELECT nothing FROM relationships"}, 422, `"nothing" not found`},
			{datasets.GraphQuery{SQL: "DROP VIEW relationships"}, 422, "one SELECT"},
			{datasets.GraphQuery{SQL: "SELECT * FROM read_parquet('/etc/passwd')"}, 422, "read_parquet"},
			{datasets.GraphQuery{SQL: "SELECT 1", Limit: 1001}, 422, "limit"},
			{datasets.GraphQuery{SQL: "SELECT 1", Ontologies: []string{"no such"}}, 404, "no such"},
			{datasets.GraphQuery{SQL: "SELECT 1", MinEpoch: new(int64(1 << 40))}, 422, "min_epoch"},
		} {
			_, err := s.client.Datasets.QueryGraph(t.Context(), c.query)
			refused, ok := errors.AsType[*client.Error](err)
			if !ok || refused.Status != c.status || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %v, want %d and %q", c.query, err, c.status, c.says)
			}
		}
	})
	t.Run("a document that is taken out is gone from the next answer", func(t *testing.T) {
		ingestText(t, s, "open/notes", "fleeting.txt", "A marmot eats clover. The marmot lives in a burrow.")
		sql := "SELECT count(*) AS n FROM evidence WHERE quote ILIKE '%marmot%'"
		before := askGraph(t, s.client, sql)
		if got := cells(before); got == `{"n":0}` {
			t.Fatal("the document is not there")
		}
		list, err := s.client.Documents.List(t.Context(), corpus.PageQuery{Ontology: "open/notes", Limit: 10})
		check(t, err)
		for _, d := range list.Documents {
			if d.Filename == "fleeting.txt" {
				_, err := s.client.Documents.Delete(t.Context(), d.DocumentID, "open/notes")
				check(t, err)
			}
		}
		after := askGraph(t, s.client, sql)
		if got := cells(after); got != `{"n":0}` || after.Epoch <= before.Epoch {
			t.Errorf("then %s in epoch %d, before in %d", got, after.Epoch, before.Epoch)
		}
	})
	t.Run("many at once", func(t *testing.T) {
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				if _, err := s.client.Datasets.QueryGraph(t.Context(), datasets.GraphQuery{SQL: "SELECT count(*) FROM concepts", Ontologies: []string{"open/notes"}}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

// TestGraphSQLIsConfined: who may read one ontology alone is answered as if there were no
// other, in every cell of every table.
func TestGraphSQLIsConfined(t *testing.T) {
	t.Parallel()
	s := startWithDatasets(t, nil)
	ingestText(t, s, "open/notes", "open.txt", openText)
	before := map[questions.GraphTable]string{}
	for table, sql := range everything {
		before[table] = cells(askGraph(t, s.client, sql))
	}
	ingestText(t, s, "hush/secrets", "hush.txt", hiddenText)
	guest := newPerson(t, "ada", confinedRole(t, s, "guest", true), s)
	for table, sql := range everything {
		for who, rows := range map[string]datasets.GraphRows{
			"a guest who names none":    askGraph(t, guest.at[0], sql),
			"a guest who names it":      askGraph(t, guest.at[0], sql, "open/notes"),
			"an administrator, of that": askGraph(t, s.client, sql, "open/notes"),
		} {
			if got := cells(rows); got != before[table] || hiddenWords.MatchString(strings.ReplaceAll(got, "zebrafish\"", "")) {
				t.Errorf("%s: %s is\n%s\nwant\n%s", who, table, got, before[table])
			}
		}
		if both := cells(askGraph(t, s.client, sql, "hush/secrets", "open/notes")); both != cells(askGraph(t, s.client, sql)) || both == before[table] {
			t.Errorf("of both ontologies %s is\n%s", table, both)
		}
	}
	for who, c := range map[string]*client.Client{
		"who may not read the ontology": guest.at[0],
		"who may read no graph":         newPerson(t, "bob", confinedRole(t, s, "counter", false), s).at[0],
	} {
		_, err := c.Datasets.QueryGraph(t.Context(), datasets.GraphQuery{SQL: "SELECT 1", Ontologies: []string{"hush/secrets"}})
		if code := kappa.ErrorCode(err); code != kappa.CodeNotFound && code != kappa.CodeForbidden {
			t.Errorf("%s: %v", who, err)
		}
	}
}

// confinedRole makes a role that may ask datasets, and read open/notes or no graph at all.
func confinedRole(t *testing.T, s *testServer, name string, reads bool) string {
	t.Helper()
	_, err := s.client.Roles.Create(t.Context(), access.NewRole{Name: name, DisplayName: name})
	check(t, err)
	_, err = s.client.Roles.Grant(t.Context(), access.NewRoleGrant{Role: name, Resource: "datasets", Action: "query"})
	check(t, err)
	if reads {
		_, err = s.client.Roles.Grant(t.Context(), access.NewRoleGrant{Role: name, Resource: "graph", Action: "read", Scope: new(access.ScopeFilter), ScopeFilter: []byte(`{"ontology":"open/notes"}`)})
		check(t, err)
	}
	return name
}

// TestParquetExport: the files are those that questions are put to, DuckDB reads each, and the
// same graph gives the same bytes.
func TestParquetExport(t *testing.T) {
	t.Parallel()
	s := startWithDatasets(t, nil)
	ingestText(t, s, "open/notes", "open.txt", openText)
	ingestText(t, s, "hush/secrets", "hush.txt", hiddenText)
	dir := t.TempDir()
	for _, table := range questions.GraphTables() {
		for _, ontology := range []string{"", "open/notes"} {
			file := exportTable(t, s, questions.ExportQuery{Format: questions.ExportParquet, Table: table, Ontology: ontology, MaxHops: 2})
			if !bytes.Equal(file, exportTable(t, s, questions.ExportQuery{Format: questions.ExportParquet, Table: table, Ontology: ontology, MaxHops: 2})) {
				t.Errorf("%s of %q has other bytes the second time", table, ontology)
			}
			path := filepath.Join(dir, string(table)+".parquet")
			check(t, os.WriteFile(path, file, 0o600))
			rows, err := s.client.Datasets.Query(t.Context(), datasets.Query{SQL: everything[table]}, client.DatasetFile{TableName: string(table), Path: path})
			check(t, err)
			var within []string
			if ontology != "" {
				within = []string{ontology}
			}
			if got, want := cells(datasets.GraphRows{Rows: rows}), cells(askGraph(t, s.client, everything[table], within...)); got != want || rows.TotalRows == 0 {
				t.Errorf("%s of %q has\n%s\nand questions are put to\n%s", table, ontology, got, want)
			}
		}
	}
	t.Run("a part, and the types that were asked for", func(t *testing.T) {
		kafka := conceptNamed(t, s, "open/notes", "Kafka")
		q := questions.ExportQuery{Format: questions.ExportParquet, Table: questions.TableRelationships, Seeds: []string{kafka}, MaxHops: 1, Types: []string{"USES"}}
		path := filepath.Join(dir, "part.parquet")
		check(t, os.WriteFile(path, exportTable(t, s, q), 0o600))
		rows, err := s.client.Datasets.Query(t.Context(), datasets.Query{SQL: "SELECT DISTINCT type, from_label FROM part"}, client.DatasetFile{TableName: "part", Path: path})
		check(t, err)
		if got := cells(datasets.GraphRows{Rows: rows}); got != `{"type":"USES","from_label":"Kafka"}` {
			t.Errorf("got %s", got)
		}
	})
	t.Run("its media type and its name", func(t *testing.T) {
		_, bearer, err := s.client.Account.NewAPIKey(t.Context(), access.NewAPIKey{Name: "test"})
		check(t, err)
		for query, want := range map[string]string{
			"format=parquet":                `200 application/zip attachment; filename="graph.parquet.zip"`,
			"format=parquet&table=evidence": `200 application/vnd.apache.parquet attachment; filename="evidence.parquet"`,
			"format=parquet&table=nothing":  "422 application/problem+json ",
			"format=json&table=evidence":    "422 application/problem+json ",
		} {
			req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+"/graph/export?"+query, nil)
			check(t, err)
			req.Header.Set("Authorization", "Bearer "+bearer)
			resp, err := http.DefaultClient.Do(req)
			check(t, err)
			if got := fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Content-Type"), " ", resp.Header.Get("Content-Disposition")); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
			check(t, resp.Body.Close())
		}
	})
}

func exportTable(t *testing.T, s *testServer, q questions.ExportQuery) []byte {
	t.Helper()
	var file bytes.Buffer
	check(t, s.client.Graph.Export(context.WithoutCancel(t.Context()), q, &file))
	return file.Bytes()
}
