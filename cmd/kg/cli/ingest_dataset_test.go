package cli

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// rowsAPI is a server with a dataset of some rows, whose keys are k1, k2 … The text of the
// third is empty, that of the bad one is refused.
func rowsAPI(t *testing.T, count, bad int) (f *fakeAPI, forms *[]map[string]string) {
	t.Helper()
	f, forms = ingestAPI(t)
	encoded := func(n int) (key, text string) {
		text = fmt.Sprintf("the text,\r\n\"%d\"", n)
		switch n {
		case 3:
			text = " "
		case bad:
			text = "bad"
		}
		return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "k%d", n)), base64.StdEncoding.EncodeToString([]byte(text))
	}
	f.HandleFunc("POST /datasets/query", func(w http.ResponseWriter, r *http.Request) {
		var q datasets.Query
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Datasets[0] != (datasets.Dataset{URL: "http://x/t.parquet", TableName: "dataset"}) {
			t.Errorf("asked %+v, %v", q, err)
		}
		answer := datasets.Rows{Columns: []datasets.Column{{Name: "id"}, {Name: `my "text"`}}, Rows: []json.RawMessage{[]byte("{}")}, TotalRows: int64(count)}
		if q.Limit > 1 {
			if want := `"my ""text"""::VARCHAR`; !strings.Contains(q.SQL, want) || !strings.Contains(q.SQL, "(\nSELECT * FROM dataset ORDER BY id\n)") {
				t.Errorf("asked %s", q.SQL)
			}
			answer.Rows = nil
			for n := 1; n <= count; n++ {
				key, text := encoded(n)
				answer.Rows = append(answer.Rows, fmt.Appendf(nil, `{"key":%q,"text":%q}`, key, text))
			}
		}
		body, _ := json.Marshal(answer)
		f.json(w, string(body))
	})
	f.answer("POST /datasets/jobs", `{"job_id":"job_1","status":"approved","message":"Job queued."}`)
	f.stream("job_1", told1Snapshot, toldStart, toldCompleted)
	f.answer("GET /jobs/job_1", `{"job_id":"job_1","status":"completed","result":{"artifact_id":7}}`)
	f.HandleFunc("GET /artifacts/7/download", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "key,text")
		for n := 1; n <= count; n++ {
			key, text := encoded(n)
			fmt.Fprintf(w, "%s,%s\n", key, text)
		}
	})
	f.HandleFunc("DELETE /artifacts/7", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return f, forms
}

var ingestRowsLine = []string{"ingest", "dataset", "http://x/t.parquet", "--ontology", "demo", "--text-column", `my "text"`, "--key-column", "id", "--sql", "SELECT * FROM dataset ORDER BY id;"}

func TestIngestDataset(t *testing.T) {
	t.Run("a few rows", func(t *testing.T) {
		f, forms := rowsAPI(t, 4, 0)
		c := f.console(t).run(t.Context(), ingestRowsLine...)
		if c.code != exit.OK || len(*forms) != 3 || !strings.HasPrefix(c.err, "1 row without text left out\n") {
			t.Fatalf("code %d, %d documents, stderr %q", c.code, len(*forms), c.err)
		}
		if d := (*forms)[2]; d["body"] != "the text,\r\n\"4\"" || d["filename"] != "k4" || d["source_path"] != "http://x/t.parquet#k4" || d["source_type"] != "api" {
			t.Errorf("got %q", d)
		}
	})
	t.Run("more than an answer holds come by a job, whose file is removed", func(t *testing.T) {
		f, forms := rowsAPI(t, 1200, 0)
		c := f.console(t).run(t.Context(), ingestRowsLine...)
		if c.code != exit.OK || len(*forms) != 1199 || !strings.HasPrefix(c.err, "1200 rows are fetched by a job\n") {
			t.Fatalf("code %d, %d documents, stderr %q", c.code, len(*forms), c.err)
		}
		if d := (*forms)[1198]; d["body"] != "the text,\r\n\"1200\"" || d["filename"] != "k1200" {
			t.Errorf("got %q", d)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if !strings.Contains(strings.Join(f.requests, "\n"), "DELETE /artifacts/7") {
			t.Error("the artifact is left on the server")
		}
	})
	t.Run("it says how to go on, and goes on", func(t *testing.T) {
		f, forms := rowsAPI(t, 6, 5)
		c := f.console(t).run(t.Context(), ingestRowsLine...)
		if c.code == exit.OK || len(*forms) != 3 || !strings.Contains(c.err, `submit k5: the document is bad`) || !strings.Contains(c.err, `--after "k4"`) {
			t.Fatalf("code %d, %d documents, stderr %q", c.code, len(*forms), c.err)
		}
		f, forms = rowsAPI(t, 6, 0)
		c = f.console(t).run(t.Context(), append(ingestRowsLine, "--after", "k4")...)
		if c.code != exit.OK || len(*forms) != 2 || (*forms)[0]["filename"] != "k5" {
			t.Errorf("code %d, documents %v, stderr %q", c.code, *forms, c.err)
		}
		if c.run(t.Context(), append(ingestRowsLine, "--after", "k9")...); c.code != exit.Misused || !strings.Contains(c.err, `no row of the answer has the key "k9"`) {
			t.Errorf("code %d, stderr %q", c.code, c.err)
		}
	})
	t.Run("a column that is not there", func(t *testing.T) {
		f, forms := rowsAPI(t, 4, 0)
		c := f.console(t).run(t.Context(), "ingest", "dataset", "http://x/t.parquet", "--ontology", "demo", "--text-column", "body")
		if c.code != exit.Misused || len(*forms) != 0 || !strings.Contains(c.err, `--text-column: the answer has no column "body"; it has id, my "text"`) {
			t.Errorf("code %d, stderr %q", c.code, c.err)
		}
	})
	t.Run("a file that is sent comes in pages, each row once", func(t *testing.T) {
		f, forms := ingestAPI(t)
		f.HandleFunc("POST /datasets/upload/query", func(w http.ResponseWriter, r *http.Request) {
			var q datasets.Query
			if err := json.Unmarshal([]byte(r.FormValue("query")), &q); err != nil {
				t.Errorf("asked %q, %v", r.FormValue("query"), err)
			}
			answer := datasets.Rows{Columns: []datasets.Column{{Name: "id"}, {Name: "body"}}, Rows: []json.RawMessage{[]byte("{}")}, TotalRows: 2300}
			if q.Limit > 1 {
				var limit, offset int
				_, page, _ := strings.Cut(q.SQL, "ORDER BY ALL ")
				if n, err := fmt.Sscanf(page, "LIMIT %d OFFSET %d", &limit, &offset); n != 2 {
					t.Errorf("asked %q, %v", q.SQL, err)
				}
				answer.Rows = nil
				for n := offset + 1; n <= min(offset+limit, 2300); n++ {
					text := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "text %d", n))
					answer.Rows = append(answer.Rows, fmt.Appendf(nil, `{"key":"","text":%q}`, text))
				}
			}
			body, _ := json.Marshal(answer)
			f.json(w, string(body))
		})
		file := filepath.Join(t.TempDir(), "rows.parquet")
		if err := os.WriteFile(file, []byte("PAR1 PAR1"), 0o600); err != nil {
			t.Fatal(err)
		}
		c := f.console(t).run(t.Context(), "ingest", "dataset", file, "--upload", "--ontology", "demo", "--text-column", "body")
		texts := map[string]bool{}
		for _, form := range *forms {
			texts[form["body"]] = true
		}
		if c.code != exit.OK || len(*forms) != 2300 || len(texts) != 2300 || !strings.HasPrefix(c.err, "2300 rows: the file is sent once for each 1000\n") {
			t.Errorf("code %d, %d documents of %d texts, stderr %q", c.code, len(*forms), len(texts), c.err)
		}
	})
}
