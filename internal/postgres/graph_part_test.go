package postgres_test

import (
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/storage"
)

// TestPartMark says after each kind of change whether what an ontology says may be other: only
// documents that are read into others leave it as it is.
func TestPartMark(t *testing.T) {
	t.Parallel()
	g := newCurated(t)
	_, err := g.Ontologies().CreateOntology(t.Context(), ontologies.NewOntology{Name: "c", UserID: access.SystemUserID})
	must(t, err)
	g.document("a", said{"token", "GUARDS", "lane", 1})
	g.document("b", said{"lease", "FENCES", "lane", 1})
	var ontology int
	must(t, g.conn.QueryRow(t.Context(), "SELECT id FROM kg_api.ontologies WHERE name = 'a'").Scan(&ontology))
	mark := func(since int64) (m questions.PartMark, epoch int64) {
		t.Helper()
		must(t, g.Graph().View(t.Context(), func(s *postgres.GraphSnapshot) (err error) {
			if epoch, err = s.GraphEpoch(t.Context()); err == nil {
				m, err = s.PartMark(t.Context(), ontology, since)
			}
			return err
		}))
		return m, epoch
	}
	d := twoChunks("of b", "b")
	archive := backUp(t, g.DB, "")
	for _, step := range []struct {
		what    string
		do      func()
		changed bool
		holds   bool // as much as before
	}{
		{"nothing", func() {}, false, true},
		{"a document of another ontology", func() { ingestDrawn(t, g.DB, g.conn, d) }, false, true},
		{"two of them", func() {
			g.document("b", said{"lease", "GUARDS", "lane", 1})
			g.document("c", said{"token", "GUARDS", "lane", 1})
		}, false, true},
		{"a document of its own", func() { g.document("a", said{"token", "FENCES", "lane", 1}) }, true, false},
		{"one that is being read into it", func() {
			c := ingestionOf(t, g.DB, workerA, []byte("half read"), false)
			part := chunkGraph(1, "half")
			part.Document.ID, part.Document.Ontology = corpus.ContentHash([]byte("half read")), "a"
			run(t, g.conn, "UPDATE kg_api.jobs SET ontology = 'a' WHERE job_id = '"+c.JobID+"'")
			_, err := g.Documents().WriteChunk(t.Context(), c, part, byLabel{}, noCheckpoint)
			must(t, err)
			run(t, g.conn, "UPDATE kg_api.jobs SET status = 'cancelled', completed_at = now() WHERE job_id = '"+c.JobID+"'")
		}, false, false},
		{"counts that are folded", func() {
			run(t, g.conn, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT kg_api.fold_ontology_changes(); COMMIT")
		}, false, true},
		{"an edit", func() {
			_, err := g.Notes().EditEdge(t.Context(), knowledge.WrittenEdge{FromID: g.id("token"), ToID: g.id("lane"), Type: "GUARDS", Confidence: 0.5})
			must(t, err)
		}, true, true},
		{"a document that goes elsewhere", func() {
			_, _, err := g.Annealing().Reassign(t.Context(), curation.Reassignment{From: "b", To: "c", SourceIDs: sourceIDs(t, g.conn, "b")[:1], By: "x"})
			must(t, err)
		}, true, true},
		{"a deleted document", func() { remove(t, g.DB, corpus.Removal{DocumentID: corpus.ContentHash(d.body)}) }, true, true},
		{"a restore", func() {
			_, err := g.Backups().Restore(t.Context(), restoreClaim(t, g.DB), archive.restoring(storage.RestoreMerge))
			must(t, err)
		}, true, true},
	} {
		before, since := mark(0)
		step.do()
		if after, _ := mark(since); after.Changed != step.changed || (after.Holds == before.Holds) != step.holds {
			t.Errorf("after %s: %+v, before %+v", step.what, after, before)
		}
	}
}
