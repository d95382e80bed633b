package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

const threeRows = `{"columns":[{"name":"id","type":"BIGINT","nullable":true},{"name":"note","type":"VARCHAR","nullable":true}],
	"rows":[{"id":"9007199254740993","note":null},{"id":2,"note":""},{"id":3,"note":"say \"hi\",\nthere"}],"total_rows":5,"truncated":true,"duration_ms":12.4}`

func TestDataQuery(t *testing.T) {
	f := newFakeAPI(t)
	var asked []string
	f.HandleFunc("POST /datasets/query", func(w http.ResponseWriter, r *http.Request) {
		var body json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		asked = append(asked, string(body))
		f.json(w, threeRows)
	})
	file := filepath.Join(t.TempDir(), "q.sql")
	writeFile(t, file, "SELECT 2")
	c := f.console(t)
	t.Run("a table", func(t *testing.T) {
		c.run(t.Context(), "data", "query", "SELECT 1", "--table", "t=http://x/t.parquet", "--limit", "3")
		for _, want := range []string{"9007199254740993  NULL\n", "5 rows in 12 ms\n"} {
			if !strings.Contains(c.out, want) {
				t.Errorf("stdout\n%s\nlacks\n%s", c.out, want)
			}
		}
		if c.code != exit.OK || c.err != "3 of 5 rows are shown; --limit, LIMIT and OFFSET choose which\n" || asked[0] != `{"sql":"SELECT 1","datasets":[{"url":"http://x/t.parquet","table_name":"t"}],"limit":3}` {
			t.Errorf("code %d, stderr %q, asked %s", c.code, c.err, asked)
		}
	})
	t.Run("csv tells NULL from an empty text, and the SQL is in a file or on standard input", func(t *testing.T) {
		c.run(t.Context(), "data", "query", "--file", file, "-o", "csv")
		if want := "id,note\r\n9007199254740993,\r\n2,\"\"\r\n3,\"say \"\"hi\"\",\nthere\"\r\n"; c.out != want || !strings.Contains(asked[1], `"SELECT 2"`) {
			t.Errorf("got %q, asked %s", c.out, asked[1])
		}
		c.in = "SELECT 3"
		if c.run(t.Context(), "data", "query", "--file", "-", "-o", "csv"); !strings.Contains(asked[2], `"SELECT 3"`) {
			t.Errorf("asked %s", asked[2])
		}
	})
	t.Run("json is the answer, jsonl its rows", func(t *testing.T) {
		if c.run(t.Context(), "data", "query", "SELECT 1", "-o", "json"); !strings.Contains(c.out, `"total_rows": 5`) {
			t.Errorf("json: %s", c.out)
		}
		if c.run(t.Context(), "data", "query", "SELECT 1", "-o", "jsonl"); strings.Count(c.out, "\n") != 3 || !strings.HasPrefix(c.out, `{"id":"9007199254740993","note":null}`) {
			t.Errorf("jsonl: %s", c.out)
		}
	})
	t.Run("a file of this machine is sent", func(t *testing.T) {
		parquet := filepath.Join(t.TempDir(), "trips.parquet")
		writeFile(t, parquet, "PAR1PAR1")
		var query, content string
		f.HandleFunc("POST /datasets/upload/query", func(w http.ResponseWriter, r *http.Request) {
			query = r.FormValue("query")
			file, _, err := r.FormFile("trips") // the name of the file is that of the table
			if err != nil {
				t.Error(err)
				return
			}
			text := make([]byte, 8)
			_, _ = file.Read(text)
			content = string(text)
			f.json(w, threeRows)
		})
		c.run(t.Context(), "data", "query", "SELECT 1", "--upload", parquet, "-o", "csv")
		if c.code != exit.OK || content != "PAR1PAR1" || !strings.Contains(query, "SELECT 1") {
			t.Errorf("code %d, stderr %s, query %s, file %s", c.code, c.err, query, content)
		}
		if c.run(t.Context(), "data", "query", "SELECT 1", "--upload", "t="+filepath.Join(t.TempDir(), "missing")); c.code == exit.OK || !strings.Contains(c.err, "missing") {
			t.Errorf("a missing file: code %d, stderr %s", c.code, c.err)
		}
	})
	t.Run("a refusal says what the server said", func(t *testing.T) {
		f := newFakeAPI(t)
		f.HandleFunc("POST /datasets/query", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = w.Write([]byte(`{"title":"Invalid","status":422,"detail":"no column fares","error_type":"sql","message":"no column fares","details":"LINE 1"}`))
		})
		if c := f.console(t).run(t.Context(), "data", "query", "SELECT fares"); c.code != exit.Misused || !strings.Contains(c.err, "no column fares") {
			t.Errorf("code %d, stderr %s", c.code, c.err)
		}
	})
}

func TestDataValidateAndSchema(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("POST /datasets/validate", `{"valid":false,"error":{"error_type":"network","message":"the server answers 404","details":null}}`)
	f.answer("POST /datasets/schema", `{"columns":[{"name":"id","type":"BIGINT","nullable":false}],"row_count":1200,"size_bytes":2048}`)
	c := f.console(t)
	for _, output := range []string{"table", "json"} {
		c.run(t.Context(), "data", "validate", "http://x/t.parquet", "-o", output)
		if c.code != exit.Failed || !strings.Contains(c.out+c.err, "the server answers 404") {
			t.Errorf("%s: code %d, stdout %s, stderr %s", output, c.code, c.out, c.err)
		}
	}
	if c.run(t.Context(), "data", "schema", "http://x/t.parquet"); c.code != exit.OK || !strings.Contains(c.out, "id      BIGINT  no") || !strings.Contains(c.out, "1,200 rows") {
		t.Errorf("code %d, stdout %s", c.code, c.out)
	}
	parquet := filepath.Join(t.TempDir(), "t.parquet")
	writeFile(t, parquet, "PAR1PAR1")
	f.answer("POST /datasets/upload/validate", `{"valid":true,"error":null}`)
	f.answer("POST /datasets/upload/schema", `{"columns":[],"row_count":7,"size_bytes":8}`)
	if c.run(t.Context(), "data", "validate", "--upload", parquet); c.code != exit.OK || c.out != "valid: a Parquet file\n" {
		t.Errorf("code %d, stdout %s, stderr %s", c.code, c.out, c.err)
	}
	if c.run(t.Context(), "data", "schema", "--upload", parquet); c.code != exit.OK || !strings.Contains(c.out, "7 rows") {
		t.Errorf("code %d, stdout %s, stderr %s", c.code, c.out, c.err)
	}
}

func TestDataJob(t *testing.T) {
	f := newFakeAPI(t)
	f.answer("POST /datasets/jobs", `{"job_id":"job_1","status":"approved","message":"Job queued."}`)
	f.stream("job_1", told1Snapshot, toldStart, toldCompleted)
	f.answer("GET /jobs/job_1", `{"job_id":"job_1","status":"completed","result":{"artifact_id":7,"total_rows":5}}`)
	f.HandleFunc("GET /artifacts/7/download", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("PAR1")) })
	c := f.console(t)
	if c.run(t.Context(), "data", "query", "SELECT 1", "--job"); c.code != exit.OK || !strings.HasPrefix(c.out, "job_1  ") || c.err != "Watch with: kg jobs watch job_1\n" {
		t.Errorf("code %d, stdout %q, stderr %q", c.code, c.out, c.err)
	}
	to := filepath.Join(t.TempDir(), "all.parquet")
	c.run(t.Context(), "data", "query", "SELECT 1", "--job", "--save", to)
	if content, err := os.ReadFile(to); c.code != exit.OK || err != nil || string(content) != "PAR1" {
		t.Errorf("code %d, stderr %q, file %q, %v", c.code, c.err, content, err)
	}
	if c.run(t.Context(), "data", "query", "SELECT 1", "--job", "--save", to); c.code != exit.Misused {
		t.Errorf("a file that exists: code %d, stderr %q", c.code, c.err)
	}
}
