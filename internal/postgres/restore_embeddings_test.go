package postgres_test

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/storage"
)

// TestRestoreOfAnotherModel restores archives whose concepts were embedded by another model
// than that of the graph, or by two, since they were made before it was changed or meanwhile:
// all of it comes back, and the graph is said to be embedded in part until that is done anew.
func TestRestoreOfAnotherModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		half     bool // the archive is made when some concepts are embedded anew
		mode     string
		outdated int64 // concepts
	}{
		"an older one, into an empty place": {false, storage.RestoreReplace, 3},
		"an older one, beside what is new":  {false, storage.RestoreMerge, 1},
		"one of both, into an empty place":  {true, storage.RestoreReplace, 2},
		"one of both, beside what is new":   {true, storage.RestoreMerge, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newCurated(t)
			run(t, g.conn, "UPDATE kg_api.embedding_space SET model = 'test'")
			g.document("o", said{"token", "GUARDS", "lane", 1}, said{"lease", "FENCES", "lane", 0.5})
			e := g.Embeddings()
			anew := func(most int) {
				t.Helper()
				batch, _, err := e.Outdated(t.Context(), "new", most)
				must(t, err)
				embeddings := make([]models.Embedding, len(batch))
				for i, b := range batch {
					embeddings[i] = vector(b.Text)
				}
				must(t, e.Replace(t.Context(), "new", batch, embeddings))
				must(t, e.FinishSpace(t.Context(), "new"))
			}
			var made archive
			if !c.half {
				made = backUp(t, g.DB, "")
			}
			must(t, e.ChangeSpace(t.Context(), "new"))
			anew(1)
			if c.half {
				made = backUp(t, g.DB, "")
			}
			anew(10)
			want := lines(t, g.conn, "SELECT label FROM kg_api.concepts ORDER BY label")
			_, err := g.Notes().RemoveConcept(t.Context(), g.id("lease"), false)
			must(t, err)
			stats, err := g.Backups().Restore(t.Context(), restoreClaim(t, g.DB), made.restoring(c.mode))
			must(t, err)
			if got := lines(t, g.conn, "SELECT label FROM kg_api.concepts ORDER BY label"); !slices.Equal(got, want) || stats.Outdated != c.outdated {
				t.Errorf("the concepts are %q, want %q; %d are outdated, want %d", got, want, stats.Outdated, c.outdated)
			}
			space, err := e.Space(t.Context())
			must(t, err)
			if space.GraphModel != "new" || !space.Reembedding {
				t.Errorf("the graph is said to be %+v", space)
			}
			anew(10)
			if space, err = e.Space(t.Context()); err != nil || space.Reembedding {
				t.Errorf("embedded anew it is %+v, %v", space, err)
			}
			g.sound("embedding anew")
			if _, err := g.conn.Exec(t.Context(), "UPDATE kg_api.concept_embeddings SET model = 'test'"); err == nil {
				t.Error("embeddings of another model are taken again")
			}
			if _, err := g.conn.Exec(t.Context(), "INSERT INTO kg_api.concept_embeddings SELECT concept + 100, 'test', vector, signature, bands FROM kg_api.concept_embeddings"); err == nil {
				t.Error("embeddings of another model are added again")
			}
		})
	}
}

// TestRestoreOfTheSamePassages restores an archive of a chunk whose passages another version
// has cut otherwise since: each sentence stands once, and no embedding is of another text.
func TestRestoreOfTheSamePassages(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"other numbers":  "UPDATE kg_api.passages SET number = number + 10",
		"other headings": "UPDATE kg_api.passages SET section = 'Elsewhere'",
		"fewer":          "DELETE FROM kg_api.passages WHERE number % 2 = 1",
		"none":           "DELETE FROM kg_api.passages",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			register(t, s, workerA)
			conn := connect(t, dsn)
			g := withPassages(chunkGraph(1, "worker lane", "claim token"))
			for _, p := range g.Passages {
				g.Meanings = append(g.Meanings, vector(p.EmbeddingText()))
			}
			d := drawnDocument{body: docBody, ontology: "o"}
			d.chunks = append(d.chunks, g)
			ingestDrawn(t, s, conn, d)
			made := backUp(t, s, "")
			run(t, conn, change)
			run(t, conn, "DELETE FROM kg_api.passage_embeddings")
			before := lines(t, conn, "SELECT number || section || body FROM kg_api.passages ORDER BY number")
			if name == "none" {
				before = []string{"10Top > Belowworker lane. ", "11Top > Belowclaim token"}
			}
			_, err := s.Backups().Restore(t.Context(), restoreClaim(t, s), made.restoring(storage.RestoreMerge))
			must(t, err)
			if got := lines(t, conn, "SELECT number || section || body FROM kg_api.passages ORDER BY number"); !slices.Equal(got, before) {
				t.Errorf("the passages are %q, want %q", got, before)
			}
			keys, _ := passageKeys(t, s)
			shown, err := s.Passages().Passages(t.Context(), idsOf(keys))
			must(t, err)
			vectors, err := s.PassageEmbeddings().PassageVectors(t.Context(), "test", idsOf(keys))
			must(t, err)
			for _, p := range shown {
				if v := vectors[p.ID]; v != nil && !slices.Equal(v, vector(p.EmbeddingText())) {
					t.Errorf("%q has the embedding of another text", p.EmbeddingText())
				}
			}
		})
	}
}
