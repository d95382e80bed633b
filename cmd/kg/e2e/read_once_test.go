package e2e

import (
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/internal/llm/llmtest"
	"github.com/kappagraph/kappa/work"
)

// TestReadOnce counts how often the file of a document is read by its analysis, by its job, and by
// the next attempt of the job on another server: once. Nothing that was read is left behind.
func TestReadOnce(t *testing.T) {
	t.Parallel()
	program, err := kgProgram()
	check(t, err)
	models := newModels(t)
	asked, answers := make(chan struct{}, 1), atomic.Bool{}
	models.Answer = func(c llmtest.Call) llmtest.Reply {
		if answers.Load() {
			return llmtest.Reply{Text: llmtest.Read(c.Passage())}
		}
		select {
		case asked <- struct{}{}:
		default:
		}
		return llmtest.Reply{Hang: true}
	}
	settings := withModels(models, map[string]string{"KG_READ_BIN": program})
	first := startServer(t, settings)
	kept := func() int { return rows(t, first.dsn, "SELECT count(*)::int FROM kg_api.kept_texts") }
	wantRead := func(s *testServer, want int64) {
		t.Helper()
		status, err := s.client.Documents.ReadingStatus(t.Context())
		check(t, err)
		if status.Tasks != want {
			t.Errorf("%d documents were read, want %d", status.Tasks, want)
		}
	}
	page := "<html><body><h1>Engines</h1>" + strings.Repeat("<p>Ada1 wrote to Babbage about the engine.</p>\n", 2000) + "</body></html>"
	submitted, err := first.client.Documents.Submit(t.Context(), client.Document{Body: []byte(page), Filename: "engines.html", Ontology: "o"})
	check(t, err)
	await(t, first.client, submitted.JobID, work.StatusAwaitingApproval)
	wantRead(first, 1)
	if n := kept(); n != 1 {
		t.Errorf("%d texts are kept, want 1", n)
	}
	_, err = first.client.Jobs.Approve(t.Context(), submitted.JobID)
	check(t, err)
	<-asked // the text has been read, and its first chunk is with the model
	wantRead(first, 1)
	first.stop()
	answers.Store(true)
	theirs := maps.Clone(settings)
	theirs["DATABASE_URL"] = first.dsn
	second := startServer(t, theirs)
	if job := awaitEnd(t, second, submitted.JobID); job.Status != work.StatusCompleted || job.Attempt < 1 {
		t.Fatalf("the job is %+v", job)
	}
	wantRead(second, 0)
	if n := kept(); n != 0 {
		t.Errorf("%d texts are left", n)
	}
}
