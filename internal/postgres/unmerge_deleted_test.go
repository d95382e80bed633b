package postgres_test

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// TestUnmergeLeavesDeleted undoes a merge of concepts after a relationship was deleted by
// hand that it had moved: that one does not come back, and the others do.
func TestUnmergeLeavesDeleted(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	d := twoChunks("paper", "a")
	d.chunks[0], d.chunks[1] = chunkGraph(1, "lease", "fence", "hub"), chunkGraph(2, "hub", "lane")
	for i := range d.chunks {
		d.chunks[i].Document.ID, d.chunks[i].Document.Ontology = corpus.ContentHash(d.body), "a"
	}
	ingestDrawn(t, s, conn, d)
	concept := func(label string) (id string) {
		must(t, conn.QueryRow(t.Context(), "SELECT concept_id FROM kg_api.concepts WHERE label = $1", label).Scan(&id))
		return id
	}
	merge, err := s.Notes().MergeConcepts(t.Context(), knowledge.NewConceptMerge{Keep: concept("lane"), Merge: concept("fence"), Reason: "r", By: "x"})
	must(t, err)
	_, err = s.Notes().RemoveEdge(t.Context(), knowledge.WrittenEdge{FromID: concept("lease"), ToID: concept("lane"), Type: "PART_OF"}, false)
	must(t, err)
	_, err = s.Notes().UnmergeConcepts(t.Context(), merge.ID, false, "x")
	must(t, err)
	var got string
	must(t, conn.QueryRow(t.Context(), `SELECT string_agg(a.label || '-' || b.label, ' ' ORDER BY a.label, b.label) FROM kg_api.edges e
		JOIN kg_api.concepts a ON a.id = e.src JOIN kg_api.concepts b ON b.id = e.dst`).Scan(&got))
	if want := "fence-hub hub-lane"; got != want {
		t.Errorf("the relationships are %q, want %q", got, want)
	}
}

// TestNamesAndLanes writes a chunk while claims hold whatever locks they hold: the numbers
// of names and of lanes are of their own classes.
func TestNamesAndLanes(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	probe := connect(t, dsn)
	tx, err := connect(t, dsn).Begin(t.Context())
	must(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	_, err = tx.Exec(t.Context(), "LOCK TABLE kg_api.concepts IN SHARE MODE") // the chunk waits here, and holds its names
	must(t, err)
	written := make(chan error, 1)
	go func() {
		_, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(1, "lease", "fence"), exactly{}, noCheckpoint)
		written <- err
	}()
	var lanes, names int
	for names < 2 && lanes == 0 { // it takes them one after the other
		must(t, probe.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE classid = 100000003), count(*) FILTER (WHERE classid = 100000005) FROM pg_locks
			WHERE locktype = 'advisory' AND objsubid = 2 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&lanes, &names))
	}
	must(t, tx.Rollback(t.Context()))
	must(t, <-written)
	if lanes != 0 || names != 2 {
		t.Errorf("a chunk holds %d locks of lanes and %d of names, want 0 and 2", lanes, names)
	}
}

// exactly takes no concept for another one, and asks for nothing that is near.
type exactly struct{ byLabel }

func (exactly) LeastSimilarity() float64 { return 2 }
