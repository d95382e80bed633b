package postgres_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres"
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

	t.Run("finds a word that became no concept", func(t *testing.T) {
		for query, want := range map[string]string{
			"analytical engine":     "1:phrase 2:all 3:some", // as a phrase, as words, one of them
			"Zeppelin":              "2:phrase",              // within a path
			"CAFÉ":                  "2:phrase",
			"run":                   "3:phrase",
			"runs":                  "3:stems",
			"the":                   "1:phrase 2:phrase",
			"balloon":               "",
			"engine's babbage":      "1:stems 2:some 3:some",
			"' & | ! <-> :* \\ ( )": "",
		} {
			if got := found(t, store, corpus.SourceQuery{Query: query, Ontology: "o"}); got != want {
				t.Errorf("%q found %q, want %q", query, got, want)
			}
		}
	})
	t.Run("only where it is asked for", func(t *testing.T) {
		for _, q := range []corpus.SourceQuery{
			{Query: "engine", Ontology: "another"}, {Query: "engine", DocumentIDs: []string{corpus.ContentHash([]byte("another"))}},
		} {
			if got := found(t, store, q); got != "" {
				t.Errorf("%+v found %q", q, got)
			}
		}
		if got := found(t, store, corpus.SourceQuery{Query: "babbage", DocumentIDs: []string{docID}}); got != "1:phrase" {
			t.Errorf("in its document: %q", got)
		}
	})
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
	t.Run("a chunk of ever new words is stored and found", func(t *testing.T) {
		var b strings.Builder
		for i := 0; b.Len() < 250<<10; i++ {
			b.WriteString("w" + strings.Repeat(string(rune('a'+i%26)), 3) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + string(rune('a'+i/17576%26)) + "-x" + string(rune('a'+i%26)) + " ")
		}
		_, err := s.Documents().WriteChunk(t.Context(), c, textChunk(4, "hippopotamus "+b.String(), "thing"), byLabel{}, noCheckpoint)
		must(t, err)
		if got := found(t, store, corpus.SourceQuery{Query: "hippopotamus"}); got != "4:phrase" {
			t.Errorf("found %q", got)
		}
	})
}

// found returns which chunks a query finds and how, by number.
func found(t *testing.T, store postgres.LibraryStore, q corpus.SourceQuery) string {
	t.Helper()
	matches, err := store.SourcesByWords(t.Context(), q, 10)
	must(t, err)
	ids := make([]int, len(matches))
	for i, m := range matches {
		ids[i] = m.Source
	}
	shown, err := store.ShownSources(t.Context(), ids)
	must(t, err)
	documents, err := store.DocumentsOfSources(t.Context(), ids)
	must(t, err)
	words := make([]string, 0, len(matches))
	for _, m := range matches {
		if d, s := documents[m.Source], shown[m.Source]; d.DocumentID != s.DocumentID || d.Filename != s.Filename || d.Ontology != s.Ontology || d.ContentType != s.ContentType || d.FullText != "" {
			t.Errorf("chunk %d stands in %+v, and is shown with %+v", m.Source, d, s)
		}
		kind := [...]string{"some", "stems", "all", "phrase"}[m.Match]
		words = append(words, string(rune('0'+shown[m.Source].Paragraph))+":"+kind)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// TestKnownWords looks up words that stand in a text, in its name, as an alias, and nowhere.
func TestKnownWords(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	chunk := textChunk(1, "Ada ran the engine; see docs/zeppelin.md.", "machine")
	chunk.Drafts[0].SearchTerms = []string{"Gizmo"}
	_, err := s.Documents().WriteChunk(t.Context(), c, chunk, byLabel{}, noCheckpoint)
	must(t, err)

	known := []string{"ADA", "engines", "zeppelin", "the", "test.txt", "gizmo", "Machines"}
	unknown := []string{"kafka", "gizmo2", "' & | ! <-> :* \\ ( )", "run"} // "ran" has a stem of its own
	got, err := s.Library().KnownWords(t.Context(), slices.Concat(known, unknown), "o")
	must(t, err)
	for _, w := range known {
		if !got[w] {
			t.Errorf("%q is not known", w)
		}
	}
	for _, w := range unknown {
		if got[w] {
			t.Errorf("%q is known", w)
		}
	}
	elsewhere, err := s.Library().KnownWords(t.Context(), known, "another")
	must(t, err)
	if len(elsewhere) > 0 {
		t.Errorf("in another ontology %v are known", elsewhere)
	}
}
