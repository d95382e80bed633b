package e2e

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

// TestBackupAndRestore moves the graph of one server to another, and brings back an
// ontology that was lost there.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	from, to := startServer(t, nil), startServer(t, nil)
	submitted, err := from.client.Documents.Submit(ctx, client.Document{Body: []byte(lanesText), Filename: "lanes.txt", Ontology: "ops/notes", AutoApprove: true})
	check(t, err)
	await(t, from.client, submitted.JobID, work.StatusCompleted)
	want, err := from.client.Graph.Stats(ctx)
	check(t, err)

	path := filepath.Join(t.TempDir(), "all.zst")
	save := func(ontology string) []byte {
		t.Helper()
		var b bytes.Buffer
		n, err := from.client.Backups.Download(ctx, ontology, &b)
		check(t, err)
		if n < 1000 || int(n) != b.Len() {
			t.Fatalf("%d bytes", n)
		}
		check(t, os.WriteFile(path, b.Bytes(), 0o600))
		return b.Bytes()
	}
	whole := save("")
	for _, mode := range []string{storage.RestoreMerge, storage.RestoreReplace} {
		restored, err := to.client.Backups.Restore(ctx, path, mode)
		check(t, err)
		if restored.Stats.Rows["concepts"] != int64(want.Nodes.Concepts) {
			t.Errorf("%s: the archive has %v", mode, restored.Stats.Rows)
		}
		await(t, to.client, restored.JobID, work.StatusCompleted)
		got, err := to.client.Graph.Stats(ctx)
		check(t, err)
		if got.Nodes != want.Nodes || got.Relationships.Total != want.Relationships.Total {
			t.Errorf("%s: %+v, want %+v", mode, got, want)
		}
		found, err := to.client.Graph.Search(ctx, questions.SearchQuery{Query: "worker lane", Limit: 1, IncludeEvidence: true})
		check(t, err)
		if len(found.Results) != 1 || len(found.Results[0].Sample) == 0 {
			t.Errorf("%s: found %+v", mode, found)
		}
	}
	save("ops/notes")
	for name, damage := range map[string][]byte{"cut": whole[:len(whole)/2], "no archive": []byte("hello")} {
		check(t, os.WriteFile(path, damage, 0o600))
		_, err := to.client.Backups.Restore(ctx, path, storage.RestoreReplace)
		if answer, ok := errors.AsType[*client.Error](err); !ok || answer.Status != 422 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := from.client.Backups.Download(ctx, "plums", &bytes.Buffer{}); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("an ontology that is not there: %v", err)
	}
}
