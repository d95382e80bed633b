package cli

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/internal/backup"
	"github.com/kappagraph/kappa/storage"
)

// TestDryRun has commands say what they would change: each asks the server for a dry run,
// and for nothing else.
func TestDryRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zst")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := backup.NewWriter(file, storage.BackupHeader{Format: storage.BackupFormat})
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []func() error{w.Close, file.Close} {
		if err := end(); err != nil {
			t.Fatal(err)
		}
	}
	f := newFakeAPI(t)
	answer := func(route, body string) {
		f.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
			asked, _ := io.ReadAll(r.Body)
			if r.URL.Query().Get("dry_run") != "true" && !strings.Contains(string(asked), `"dry_run":true`) {
				f.problem(w, http.StatusTeapot, "it would have been changed")
				return
			}
			f.json(w, body)
		})
	}
	answer("DELETE /concepts/a_1", `{"concept_id":"a_1","label":"Replica","instances_deleted":2,"relationships_deleted":1}`)
	answer("DELETE /edges/a_1/CAUSES/b_2", `{"from_concept_id":"a_1","to_concept_id":"b_2","relationship_type":"CAUSES","evidence_deleted":1}`)
	answer("DELETE /projection/Energy", `{"projections_deleted":2}`)
	answer("POST /concepts/merges", `{"dry_run":true,"kept_label":"Replica","merged_label":"Read replica","instances_moved":2,"relationships_moved":0}`)
	answer("POST /concepts/a_1/split", `{"dry_run":true,"kept_label":"Replica","new_label":"Copy","mentions_moved":3}`)
	answer("POST /jobs/job_1/undo", `{"job_id":"job_1","undone":false,"ontology":"Energy","sources_deleted":1,"instances_deleted":2,"orphaned_concepts_deleted":3,"relationships_deleted":1}`)
	answer("POST /admin/restore", `{"job_id":"job_1","status":"approved","message":""}`)
	f.stream("job_1", told1Snapshot, toldStart, toldCompleted)
	f.answer("GET /jobs/job_1", `{"job_id":"job_1","status":"completed","result":{"restore_stats":{"concepts":3,"sources":2,"outdated_embeddings":3,"removed":{"instances":1}}}}`)
	for line, want := range map[string]string{
		"concepts delete a_1 --dry-run":                  "Replica would go, with 2 quotes and 1 relationship\n",
		"edges delete a_1 CAUSES b_2 --dry-run":          "a_1 —CAUSES→ b_2 would go, which 1 chunk shows\n",
		"jobs undo job_1 --dry-run":                      "1 chunk, 2 quotes, 3 concepts and 1 relationship would go from Energy\n",
		"projection delete Energy --dry-run":             "2 projections of Energy would go\n",
		"concepts merge a_1 b_2 --dry-run":               "Read replica would be Replica from then on, with its 2 quotes and 0 relationships\n",
		"concepts split a_1 --label Copy --dry-run":      "Copy would be a concept of its own, with 3 mentions; Replica stays\n",
		"admin restore --mode replace --dry-run " + path: "would remove 0 chunks, 0 concepts, 1 quote and 0 relationships\nwould add 2 chunks, 3 concepts, 0 quotes and 0 relationships\n3 concepts would have embeddings of another model: kg admin embeddings reembed\n",
	} {
		c := f.console(t).run(t.Context(), strings.Fields(line)...)
		if c.code != exit.OK || c.out != want {
			t.Errorf("%s: code %d, stdout %q, stderr %q", line, c.code, c.out, c.err)
		}
	}
}
