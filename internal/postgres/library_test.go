package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// textChunk is a chunk with a text of its own, which shows one concept.
func textChunk(number int, text, label string) knowledge.ChunkGraph {
	g := chunkGraph(number, label)
	g.Chunk.Text = text
	g.Drafts[0].Weight = 0.5
	return g
}

func TestLibrary(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	texts := []string{
		"Ada wrote about the Analytical Engine of Babbage.",
		"The engine is analytical; see docs/zeppelin.md for café opening times.",
		"Nothing but engines run here, and they were running for years.",
	}
	for i, text := range texts {
		_, err := s.Documents().WriteChunk(t.Context(), c, textChunk(i+1, text, "thing"), byLabel{}, noCheckpoint)
		must(t, err)
	}
	store := s.Library()

	t.Run("the limit is for the last concepts", func(t *testing.T) {
		for i, label := range []string{"thing", "newer", "newest"} {
			_, err := s.Documents().WriteChunk(t.Context(), c, textChunk(10+i, "x", label), byLabel{}, noCheckpoint)
			must(t, err)
		}
		conn := connect(t, dsn)
		ids := lines(t, conn, "SELECT concept_id FROM kg_api.concepts ORDER BY id DESC")
		quotes, err := store.SourcesOfConcepts(t.Context(), ids, corpus.SourceQuery{Ontology: "o"}, 4)
		must(t, err)
		var got []string
		for _, q := range quotes {
			got = append(got, q.ConceptID)
		}
		if want := []string{ids[0], ids[1], ids[2], ids[2]}; !slices.Equal(got, want) {
			t.Errorf("the chunks of %v are of %v, want %v", ids, got, want)
		}
		run(t, conn, "DELETE FROM kg_api.sources WHERE chunk_number >= 10; DELETE FROM kg_api.concepts WHERE label LIKE 'new%'")
	})
	t.Run("lists and shows what was ingested", func(t *testing.T) {
		documents, total, err := store.ListDocuments(t.Context(), corpus.PageQuery{Limit: 10})
		must(t, err)
		if total != 1 || len(documents) != 1 || documents[0].DocumentID != docID || documents[0].SourceCount != 3 || documents[0].ConceptCount != 1 {
			t.Errorf("documents: %+v of %d", documents, total)
		}
		if _, total, _ := store.ListDocuments(t.Context(), corpus.PageQuery{Ontology: "another", Limit: 10}); total != 0 {
			t.Errorf("%d documents in an ontology that has none", total)
		}
		chunks, err := store.DocumentChunks(t.Context(), docID, "")
		must(t, err)
		for i, chunk := range chunks {
			source, err := store.Source(t.Context(), chunk.SourceID)
			must(t, err)
			if chunk.FullText != texts[i] || source.FullText != texts[i] || source.Document != "o" || source.Paragraph != i+1 {
				t.Errorf("chunk %d is %+v, %+v", i, chunk, source)
			}
		}
		concepts, err := store.DocumentConcepts(t.Context(), docID, "o")
		must(t, err)
		if len(concepts) != 1 || concepts[0].Name != "thing" || concepts[0].InstanceCount != 3 || concepts[0].SourceID != chunks[0].SourceID {
			t.Errorf("concepts: %+v", concepts)
		}
		if weight := concepts[0].Weight; weight != 1.5 {
			t.Errorf("the three chunks are about it with a weight of %v, want 1.5", weight)
		}
		body, err := store.Body(t.Context(), docID)
		if err != nil || string(body) != string(docBody) {
			t.Errorf("the document is %q, %v", body, err)
		}
	})
	t.Run("says what there is not", func(t *testing.T) {
		_, inOther := store.DocumentChunks(t.Context(), docID, "another")
		_, noSource := store.Source(t.Context(), "src_0")
		for want, err := range map[string]error{"Document not found: " + docID: inOther, "Source not found: src_0": noSource} {
			if kappa.ErrorCode(err) != kappa.CodeNotFound || kappa.ErrorMessage(err) != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	})
	t.Run("a chunk of ever new words is stored", func(t *testing.T) {
		var b strings.Builder
		for i := 0; b.Len() < 250<<10; i++ {
			b.WriteString("w" + strings.Repeat(string(rune('a'+i%26)), 3) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + string(rune('a'+i/17576%26)) + "-x" + string(rune('a'+i%26)) + " ")
		}
		_, err := s.Documents().WriteChunk(t.Context(), c, textChunk(4, "hippopotamus "+b.String(), "thing"), byLabel{}, noCheckpoint)
		must(t, err)
	})
}
