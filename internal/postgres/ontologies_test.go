package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/work"
)

func TestOntologies(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	store := s.Ontologies()
	document := func(name, ontology string, labels ...string) drawnDocument {
		d := drawnDocument{body: []byte(name), ontology: ontology}
		g := chunkGraph(1, labels...)
		g.Document.ID, g.Document.Ontology = corpus.ContentHash(d.body), ontology
		d.chunks = []knowledge.ChunkGraph{g}
		return d
	}
	fails := func(what string, code kappa.Code, err error) {
		t.Helper()
		if kappa.ErrorCode(err) != code {
			t.Errorf("%s: %v, want %s", what, err, code)
		}
	}
	_, err = store.CreateOntology(t.Context(), ontologies.NewOntology{Name: "kept", UserID: access.SystemUserID})
	must(t, err)
	_, err = store.CreateOntology(t.Context(), ontologies.NewOntology{Name: "kept", UserID: access.SystemUserID})
	fails("a name that is taken", kappa.CodeConflict, err)

	job := ingestDrawn(t, s, conn, document("a", "kept", "lease", "fence"))
	ingestDrawn(t, s, conn, document("b", "other", "Lease", "hub"))
	details, err := store.OntologyDetails(t.Context(), "kept", 0)
	must(t, err)
	if want := (ontologies.Statistics{Sources: 1, Files: 1, Concepts: 2, Instances: 2, Relationships: 1}); details.Statistics != want || len(details.Files) != 1 {
		t.Errorf("it holds %+v, want %+v", details, want)
	}

	// Frozen: nothing goes in or out.
	previous, err := store.SetLifecycle(t.Context(), "kept", ontologies.LifecycleFrozen)
	if err != nil || previous != ontologies.LifecycleActive {
		t.Errorf("frozen from %q, %v", previous, err)
	}
	fails("ingesting into a frozen one", kappa.CodeForbidden, submitTo(t, s, "kept"))
	_, _, err = s.Documents().RemoveDocument(t.Context(), corpus.Removal{DocumentID: corpus.ContentHash([]byte("a"))}, knowledge.NewEmbeddings{})
	fails("deleting from a frozen one", kappa.CodeForbidden, err)
	_, err = store.RenameOntology(t.Context(), "kept", "new")
	fails("renaming a frozen one", kappa.CodeForbidden, err)
	_, err = store.SetLifecycle(t.Context(), "kept", ontologies.LifecycleActive)
	must(t, err)

	// Renamed, with its jobs.
	_, err = store.RenameOntology(t.Context(), "nothing", "new")
	fails("renaming nothing", kappa.CodeNotFound, err)
	_, err = store.RenameOntology(t.Context(), "kept", "other")
	fails("renaming to a name that is taken", kappa.CodeConflict, err)
	n, err := store.RenameOntology(t.Context(), "kept", "new/name")
	if err != nil || n != 1 {
		t.Errorf("renamed %d chunks, %v", n, err)
	}
	renamed, err := s.Jobs().Job(t.Context(), job)
	if err != nil || *renamed.Ontology != "new/name" {
		t.Errorf("the job has %v, %v", renamed.Ontology, err)
	}

	// Deleted: what another one shows stays, and waiting jobs are cancelled.
	must(t, submitTo(t, s, "new/name"))
	r := ontologies.Removal{Name: "new/name", KeepTombstone: true, RemovedBy: "me"}
	dry := r
	dry.DryRun = true
	before := graphRows(t, dsn)
	counted, _, err := store.RemoveOntology(t.Context(), dry, knowledge.NewEmbeddings{})
	if now := graphRows(t, dsn); err != nil || counted.Deleted || counted.SourcesDeleted != 1 || counted.ConceptsDeleted != 1 || counted.JobsCancelled != 1 || now != before {
		t.Errorf("a dry run counted %+v, err %v; left are %+v of %+v", counted, err, now, before)
	}
	_, missing, err := store.RemoveOntology(t.Context(), r, knowledge.NewEmbeddings{})
	must(t, err)
	embedded := knowledge.NewEmbeddings{Model: "test", ByText: map[string]models.Embedding{}}
	for _, text := range missing {
		embedded.ByText[text] = vector(text)
	}
	removed, _, err := store.RemoveOntology(t.Context(), r, embedded)
	must(t, err)
	if removed.SourcesDeleted != 1 || removed.ConceptsDeleted != 1 || removed.JobsCancelled != 1 {
		t.Errorf("removed %+v", removed)
	}
	if rows := graphRows(t, dsn); rows.concepts != 2 || rows.sources != 1 {
		t.Errorf("left are %+v", rows)
	}
	_, err = store.OntologyNode(t.Context(), "new/name")
	fails("showing a deleted one", kappa.CodeNotFound, err)

	// Its name is blocked until it is freed.
	fails("ingesting into a blocked name", kappa.CodeConflict, submitTo(t, s, "new/name"))
	list, err := store.Tombstones(t.Context())
	if err != nil || len(list) != 1 || list[0].Name != "new/name" || *list[0].RemovedBy != "me" {
		t.Errorf("tombstones %+v, %v", list, err)
	}
	_, err = store.ClearTombstones(t.Context(), "another")
	fails("a name that is not blocked", kappa.CodeNotFound, err)
	names, err := store.ClearTombstones(t.Context(), "")
	if err != nil || len(names) != 1 {
		t.Errorf("freed %q, %v", names, err)
	}
	must(t, submitTo(t, s, "new/name"))
}

// submitTo submits a document to an ontology.
func submitTo(t *testing.T, s *postgres.DB, ontology string) error {
	t.Helper()
	body := []byte("submitted to " + ontology)
	_, err := s.Ingestions().SubmitIngestion(t.Context(), work.Submission{
		Body: body, ContentType: corpus.ContentPlain, ContentHash: corpus.ContentHash(body), Ontology: ontology, Filename: "a.txt",
		ProcessingMode: work.ModeSerial,
	}, ingestionJob(access.SystemUserID))
	return err
}
