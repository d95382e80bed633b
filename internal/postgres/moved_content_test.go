package postgres_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge/curation"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/storage"
)

// twoChunks is a document of two chunks.
func twoChunks(name, ontology string) drawnDocument {
	d := drawnDocument{body: []byte(name), ontology: ontology}
	for n := 1; n <= 2; n++ {
		g := chunkGraph(n, name, "lease")
		g.Document.ID, g.Document.Ontology = corpus.ContentHash(d.body), ontology
		d.chunks = append(d.chunks, g)
	}
	return d
}

// placed lists the chunks as "ontology number".
func placed(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT o.name || coalesce(' ' || s.chunk_number, ' empty') FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
		LEFT JOIN kg_api.sources s ON s.document = d.id ORDER BY o.name, s.chunk_number`)
	must(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	return strings.Join(list, ", ")
}

func wantPlaced(t *testing.T, conn *pgx.Conn, after, want string) {
	t.Helper()
	if got := placed(t, conn); got != want {
		t.Errorf("%s: %q, want %q", after, got, want)
	}
}

// sourceIDs are the ids of the chunks of an ontology, in their order.
func sourceIDs(t *testing.T, conn *pgx.Conn, ontology string) (ids []string) {
	t.Helper()
	must(t, conn.QueryRow(t.Context(), `SELECT coalesce(array_agg(s.source_id ORDER BY s.chunk_number), '{}') FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document
		JOIN kg_api.ontologies o ON o.id = d.ontology_id WHERE o.name = $1`, ontology).Scan(&ids))
	return ids
}

// TestUndoneAfterMoves takes ingestions back whose chunks were moved to another ontology
// meanwhile, and moves whose chunks are gone.
func TestUndoneAfterMoves(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T) (*postgres.DB, *pgx.Conn, string, func(ids []string) int) {
		s, dsn := newStore(t)
		register(t, s, workerA)
		conn := connect(t, dsn)
		_, err := s.Ontologies().CreateOntology(t.Context(), ontologies.NewOntology{Name: "b", UserID: access.SystemUserID})
		must(t, err)
		job := ingestDrawn(t, s, conn, twoChunks("paper", "a"))
		return s, conn, job, func(ids []string) int {
			t.Helper()
			_, id, err := s.Annealing().Reassign(t.Context(), curation.Reassignment{From: "a", To: "b", SourceIDs: ids, By: "test"})
			must(t, err)
			return id
		}
	}
	undoJob := func(t *testing.T, s *postgres.DB, job string) corpus.Removed {
		t.Helper()
		return remove(t, s, corpus.Removal{DocumentID: corpus.ContentHash([]byte("paper")), Ontology: "a", By: job})
	}
	t.Run("an ingestion of which all was moved", func(t *testing.T) {
		t.Parallel()
		s, conn, job, move := begin(t)
		proposal := move(sourceIDs(t, conn, "a"))
		wantPlaced(t, conn, "moved", "b 1, b 2")
		if removed := undoJob(t, s, job); removed.SourcesDeleted != 2 || removed.Ontology != "b" {
			t.Errorf("removed %+v", removed)
		}
		_, err := s.Annealing().UndoProposal(t.Context(), proposal, "test")
		must(t, err)
		wantPlaced(t, conn, "after the undo of both", "")
	})
	t.Run("an ingestion of which a part was moved", func(t *testing.T) {
		t.Parallel()
		s, conn, job, move := begin(t)
		move(sourceIDs(t, conn, "a")[:1])
		wantPlaced(t, conn, "moved", "a 2, b 1")
		if removed := undoJob(t, s, job); removed.SourcesDeleted != 2 || removed.Ontology != "a" {
			t.Errorf("removed %+v", removed)
		}
		wantPlaced(t, conn, "after the undo", "")
	})
	t.Run("a part that is in a document of another job", func(t *testing.T) {
		t.Parallel()
		s, conn, job, move := begin(t)
		ingestDrawn(t, s, conn, twoChunks("paper", "b"))
		move(sourceIDs(t, conn, "a")[:1])
		wantPlaced(t, conn, "moved", "a 2, b 1, b 1, b 2")
		undoJob(t, s, job)
		wantPlaced(t, conn, "after the undo", "b 1, b 2")
	})
	t.Run("a move out of a document that has gone with its ingestion since", func(t *testing.T) {
		t.Parallel()
		s, conn, job, move := begin(t)
		for _, d := range []drawnDocument{twoChunks("paper", "b"), twoChunks("paper", "c"), twoChunks("other", "a")} {
			ingestDrawn(t, s, conn, d)
		}
		theirs := sourceIDs(t, conn, "c")
		_, _, err := s.Annealing().Reassign(t.Context(), curation.Reassignment{From: "c", To: "a", SourceIDs: theirs, By: "test"})
		must(t, err)
		proposal := move(theirs[:1])
		wantPlaced(t, conn, "moved", "a 1, a 1, a 2, a 2, a 2, b 1, b 1, b 2")
		undoJob(t, s, job)
		wantPlaced(t, conn, "after the undo of the ingestion", "a 1, a 2, b 1, b 1, b 2")
		_, err = s.Annealing().UndoProposal(t.Context(), proposal, "test")
		must(t, err)
		wantPlaced(t, conn, "after the undo of the move", "a 1, a 1, a 2, b 1, b 2")
	})
	t.Run("a move from where the document was read again since", func(t *testing.T) {
		t.Parallel()
		s, conn, _, move := begin(t)
		proposal := move(sourceIDs(t, conn, "a"))
		moved := sourceIDs(t, conn, "b")
		ingestDrawn(t, s, conn, twoChunks("paper", "a"))
		wantPlaced(t, conn, "read again", "a 1, a 2, b 1, b 2")
		_, err := s.Annealing().UndoProposal(t.Context(), proposal, "test")
		must(t, err)
		wantPlaced(t, conn, "after the undo", "a 1, a 2, b 1, b 2")
		if again := sourceIDs(t, conn, "b"); !slices.Equal(again, moved) {
			t.Errorf("the chunks that were moved have the ids %v, had %v", again, moved)
		}
	})
}

// TestHalfRead refuses to move an ontology into which a job has read a part of a document
// and waits, as for a provider: it would go on in the old place.
func TestHalfRead(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	ingestDrawn(t, s, conn, twoChunks("another", "p"))
	c := ingestion(t, s, workerA, false)
	_, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(1, "lease"), byLabel{}, noCheckpoint)
	must(t, err)
	run(t, conn, "UPDATE kg_api.jobs SET status = 'approved', claim_token = NULL, claimed_by = NULL, claimed_at = NULL, run_at = now() + interval '1 hour', due = false WHERE job_id = '"+c.JobID+"'")
	for _, r := range []curation.Reassignment{{From: "o", To: "p", By: "x"}, {From: "p", To: "o", By: "x"}, {From: "o", To: "p", SourceIDs: sourceIDs(t, conn, "o"), By: "x"}} {
		if _, _, err := s.Annealing().Reassign(t.Context(), r); kappa.ErrorCode(err) != kappa.CodeConflict || !strings.Contains(kappa.ErrorMessage(err), c.JobID) {
			t.Errorf("%+v: %v", r, err)
		}
	}
	_, err = s.Jobs().Cancel(t.Context(), c.JobID)
	must(t, err)
	_, _, err = s.Annealing().Reassign(t.Context(), curation.Reassignment{From: "o", To: "p", By: "x"})
	must(t, err)
}

// TestClaimedMeanwhile renames and dissolves an ontology while a job that is to read into
// it is claimed, between the look for such jobs and the change: the job reads into the
// ontology as it is called then.
func TestClaimedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		held   string // the row that the change waits for after its look
		change func(ctx context.Context, s *postgres.DB) error
		want   string
	}{
		"a rename": {"SELECT FROM kg_api.ontologies WHERE name = 'o' FOR UPDATE", func(ctx context.Context, s *postgres.DB) error {
			_, err := s.Ontologies().RenameOntology(ctx, "o", "renamed")
			return err
		}, "p 1, p 2, renamed 1, renamed 1, renamed 2"},
		"an end in another one": {"SELECT FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id WHERE o.name = 'o' FOR UPDATE OF d", func(ctx context.Context, s *postgres.DB) error {
			_, _, err := s.Annealing().Reassign(ctx, curation.Reassignment{From: "o", To: "p", By: "x"})
			return err
		}, "p 1, p 1, p 1, p 2, p 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			register(t, s, workerA)
			conn := connect(t, dsn)
			ingestDrawn(t, s, conn, twoChunks("another", "o"))
			ingestDrawn(t, s, conn, twoChunks("a third", "p"))
			tx, err := connect(t, dsn).Begin(t.Context())
			must(t, err)
			_, err = tx.Exec(t.Context(), c.held)
			must(t, err)
			changed := make(chan error, 1)
			go func() { changed <- c.change(t.Context(), s) }()
			waitingFor(t, conn)
			claimed := ingestion(t, s, workerA, false)
			must(t, tx.Commit(t.Context()))
			must(t, <-changed)
			_, err = s.Documents().WriteChunk(t.Context(), claimed, chunkGraph(1, "lease"), byLabel{}, noCheckpoint)
			must(t, err)
			must(t, finishDocument(t, s, claimed, docID, "o"))
			wantPlaced(t, conn, "the job ends", c.want)
		})
	}
}

// waitingFor waits until a statement waits for a row.
func waitingFor(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	await.That(t, "a statement waits for a row", func() bool {
		var n int
		must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event IN ('transactionid', 'tuple')`).Scan(&n))
		return n > 0
	})
}

// TestEarlierChunks reads a document again whose chunks have ids of an earlier version,
// made of the name of the ontology: they are known by their place and keep their ids.
func TestEarlierChunks(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	ingestDrawn(t, s, conn, twoChunks("paper", "a"))
	id := corpus.ContentHash([]byte("paper"))
	for n, g := range twoChunks("paper", "a").chunks {
		_, err := conn.Exec(t.Context(), "UPDATE kg_api.sources SET source_id = $1 WHERE chunk_number = $2", corpus.SourceID(id, "a", g.Chunk.Bytes), n+1)
		must(t, err)
	}
	was := sourceIDs(t, conn, "a")
	_, err := s.Ontologies().RenameOntology(t.Context(), "a", "b")
	must(t, err)
	ingestDrawn(t, s, conn, twoChunks("paper", "a"))
	wantPlaced(t, conn, "renamed, and read into one of the old name", "a 1, a 2, b 1, b 2")
	ingestDrawn(t, s, conn, twoChunks("paper", "b"))
	wantPlaced(t, conn, "read again", "a 1, a 2, b 1, b 2")
	if ids := sourceIDs(t, conn, "b"); !slices.Equal(ids, was) {
		t.Errorf("the ids are %v, were %v", ids, was)
	}
}

// TestEarlierArchive restores a backup of a version whose ontologies had no key, and whose
// schemas were counted otherwise.
func TestEarlierArchive(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	ingestDrawn(t, s, conn, twoChunks("paper", "a"))
	earlier := backUp(t, s, "")
	for i, r := range earlier.rows {
		if at := strings.Index(string(r.Row), `"key":"`); r.Table == "ontologies" {
			earlier.rows[i].Row = slices.Concat(r.Row[:at], r.Row[at+len(`"key":"`)+36+len(`",`):])
		}
	}
	earlier.header.Format, earlier.header.Schema = 1, 80
	c := restoreClaim(t, s)
	for _, step := range []struct{ change, mode, want string }{
		{"", storage.RestoreMerge, "a 1, a 2"},
		{"UPDATE kg_api.ontologies SET name = 'b'", storage.RestoreMerge, "a 1, a 2, b 1, b 2"},
		{"DELETE FROM kg_api.sources WHERE chunk_number = 1", storage.RestoreMerge, "a 1, a 2, b 2"},
		{"", storage.RestoreReplace, "a 1, a 2"},
	} {
		if step.change != "" {
			run(t, conn, step.change)
		}
		_, err := s.Backups().Restore(t.Context(), c, earlier.restoring(step.mode))
		must(t, err)
		wantPlaced(t, conn, step.change+" and restored", step.want)
	}
	var keys int
	must(t, conn.QueryRow(t.Context(), "SELECT count(key) FROM kg_api.ontologies").Scan(&keys))
	if keys != 1 {
		t.Errorf("%d keys", keys)
	}
}
