package postgres_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/await"
	"github.com/kappagraph/kappa/knowledge"
)

// TestReembeddingLeavesEdits: a concept that somebody edits while the model reads its old
// text keeps the embedding of the new one, and is embedded again where it has none.
func TestReembeddingLeavesEdits(t *testing.T) {
	t.Parallel()
	one := newCurated(t)
	for name, c := range map[string]struct {
		model string // that the edit is embedded with
		left  int    // to embed afterwards
	}{"with the new model": {"new", 0}, "with the old one": {"test", 1}} {
		t.Run(name, func(t *testing.T) {
			g := one.anew(t)
			g.document("o", said{"lease", "GUARDS", "worker", 0.5})
			e := g.Embeddings()
			batch, _, err := e.Outdated(t.Context(), "new", 10)
			must(t, err)
			was, err := g.Notes().WrittenConcept(t.Context(), g.id("lease"))
			must(t, err)
			_, err = g.Notes().EditConcept(t.Context(), was.ConceptID, was.Content(), knowledge.ExtractedConcept{Label: "fence"}, c.model, vector("fence"))
			must(t, err)
			embeddings := make([]models.Embedding, len(batch))
			for i, b := range batch {
				embeddings[i] = vector(b.Text)
			}
			must(t, e.Replace(t.Context(), "new", batch, embeddings))
			var found models.Embedding
			must(t, g.conn.QueryRow(t.Context(), `SELECT e.vector FROM kg_api.concept_embeddings e JOIN kg_api.concepts c ON c.id = e.concept WHERE c.label = 'fence'`).Scan(&found))
			if found.Cosine(vector("fence")) < 0.999 {
				t.Errorf("the embedding of the edited concept is that of its old text")
			}
			if left, _, err := e.Outdated(t.Context(), "new", 10); err != nil || len(left) != c.left {
				t.Errorf("%d concepts are left to embed, want %d, err %v", len(left), c.left, err)
			}
		})
	}
}

// TestSplitsAtOnce parts two labels off a concept at the same time, the same one and two:
// each ends as if it had come alone, and what is made has the embedding of what it is.
func TestSplitsAtOnce(t *testing.T) {
	t.Parallel()
	one := newCurated(t)
	for name, labels := range map[string][2]string{"the same label": {"lease", "lease"}, "two labels": {"lease", "fence"}, "what names it": {"token", "lease"}} {
		t.Run(name, func(t *testing.T) {
			g := one.anew(t)
			for range 3 {
				g.document("o", said{"token", "GUARDS", "lane", 0.5})
				g.document("o", said{"lease", "GUARDS", "worker", 0.5})
				g.merge("token", "lease")
				g.document("o", said{"fence", "GUARDS", "worker", 0.5})
				g.merge("token", "fence")
				id := g.id("token")
				var both sync.WaitGroup
				both.Add(2)
				errs := make([]error, 2)
				together(2, func(i int) {
					met := sync.OnceFunc(func() {
						both.Done()
						both.Wait() // the other one has read what it parts as well
					})
					meet := func(_ context.Context, text string) (models.Embedding, error) {
						met()
						return vector(text), nil
					}
					_, errs[i] = g.Notes().SplitConcept(context.Background(), knowledge.NewConceptSplit{ConceptID: id, Labels: labels[i : i+1], By: "test"}, "test", meet)
				})
				for _, err := range errs {
					if code := kappa.ErrorCode(err); code == kappa.CodeInternal {
						t.Errorf("a split beside another one: %v", err)
					}
				}
				wantOwnEmbeddings(g)
				run(t, g.conn, `TRUNCATE kg_api.concepts CASCADE`)
			}
		})
	}
}

// wantOwnEmbeddings checks that each concept has the embedding of its own text.
func wantOwnEmbeddings(g *curated) {
	g.t.Helper()
	rows, err := g.conn.Query(g.t.Context(), `SELECT c.label, c.description, c.search_terms, e.vector FROM kg_api.concepts c JOIN kg_api.concept_embeddings e ON e.concept = c.id`)
	must(g.t, err)
	defer rows.Close()
	for rows.Next() {
		var c knowledge.ExtractedConcept
		var e models.Embedding
		must(g.t, rows.Scan(&c.Label, &c.Description, &c.SearchTerms, &e))
		if e.Cosine(vector(c.Label)) < 0.3 {
			g.t.Errorf("%s has the embedding of another concept", c.Label)
		}
	}
	must(g.t, rows.Err())
}

// TestChunkOfAnotherJob has a job write a chunk that another job writes while the first one
// waits for the lock of the graph: it holds the graph alone when it takes out what the other
// one read, so that nobody links a concept that goes.
func TestChunkOfAnotherJob(t *testing.T) {
	g := newCurated(t)
	c := ingestion(t, g.DB, workerA, false)
	other := ingestionOf(t, g.DB, workerA, []byte("another document"), false)
	_, err := g.Documents().WriteChunk(t.Context(), c, chunkGraph(1, "lease"), byLabel{}, noCheckpoint)
	must(t, err)

	tx, err := g.conn.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), `SELECT pg_advisory_xact_lock(100000002)`)
	must(t, err)
	again, beside := held{entered: make(chan struct{}, 1), release: make(chan struct{})}, held{entered: make(chan struct{}, 1), release: make(chan struct{})}
	ended := make(chan error, 2)
	go func() {
		chunk := chunkGraph(1, "token")
		_, err := g.Documents().WriteChunk(context.Background(), c, chunk, again, noCheckpoint)
		ended <- err
	}()
	waiting := func(tx pgx.Tx) (n int) {
		must(t, tx.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE d.datname = current_database() AND NOT l.granted AND l.locktype = 'advisory'`).Scan(&n))
		return n
	}
	await.That(t, "the chunk waits for the lock", func() bool { return waiting(tx) > 0 })
	_, err = tx.Exec(t.Context(), `UPDATE kg_api.sources SET job_id = 'another job'`)
	must(t, err)
	must(t, tx.Commit(t.Context()))
	<-again.entered
	go func() {
		_, err := g.Documents().WriteChunk(context.Background(), other, named("another document", "o", 1, "lease"), beside, noCheckpoint)
		ended <- err
	}()
	tx, err = g.conn.Begin(t.Context())
	must(t, err)
	await.That(t, "the other one shares the graph with the one that takes its concept out, or waits for it", func() bool {
		return len(beside.entered) > 0 || waiting(tx) > 0
	})
	must(t, tx.Rollback(t.Context()))
	close(again.release)
	must(t, <-ended)
	close(beside.release)
	must(t, <-ended)
	if got := lines(t, g.conn, `SELECT c.label FROM kg_api.concepts c JOIN kg_api.instances i ON i.concept = c.id ORDER BY c.label`); !slices.Equal(got, []string{"lease", "token"}) {
		t.Errorf("the quotes are of %q", got)
	}
}
