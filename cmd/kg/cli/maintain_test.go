package cli

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/cmd/kg/exit"
)

// TestMaintain submits jobs that maintain the graph, and shows what they have done.
func TestMaintain(t *testing.T) {
	for line, want := range map[string]struct{ result, asked, out string }{
		"artifacts cleanup --dry-run": {
			`{"expired_found":5,"orphans_found":1,"artifacts_deleted":0,"garage_objects_deleted":0}`, `"data":{"dry_run":true,"include_orphans":true}`,
			"5 artifacts expired, 1 file without an artifact; nothing was deleted: this was a dry run\n",
		},
		"artifacts cleanup --keep-orphans": {
			`{"expired_found":2,"orphans_found":0,"artifacts_deleted":2,"garage_objects_deleted":1}`, `"data":{"dry_run":false,"include_orphans":false}`,
			"2 artifacts expired, 0 files without an artifact; deleted 2 artifacts and 1 file\n",
		},
		"source embed": {
			`{"sources_embedded":3,"chunks_created":4,"embedding_model":"m"}`, `"data":{"force":false}`, "3 chunks embedded in 4 pieces by m\n",
		},
		"source embed src_1 --force": {
			`{"sources_embedded":1,"chunks_created":1,"embedding_model":"m"}`, `"data":{"force":true,"source_id":"src_1"}`, "1 chunk embedded in 1 piece by m\n",
		},
	} {
		f := newFakeAPI(t)
		asked := ""
		f.HandleFunc("POST /jobs", func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			asked = string(body)
			_, _ = w.Write([]byte(`{"job_id":"job_1","status":"approved","message":""}`))
		})
		f.stream("job_1", told1Snapshot, toldStart, toldCompleted)
		f.answer("GET /jobs/job_1", `{"job_id":"job_1","status":"completed","result":`+want.result+`}`)
		c := f.console(t).run(t.Context(), strings.Fields(line)...)
		if c.code != exit.OK || c.out != want.out || !strings.Contains(asked, want.asked) {
			t.Errorf("%s: code %d, stdout %q, stderr %q, asked %s", line, c.code, c.out, c.err, asked)
		}
	}
}
