package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/storage"
)

// storedDocument ingests the words of some lines, a chunk each, at their true offsets.
func storedDocument(t *testing.T, s *postgres.DB, texts ...string) []byte {
	t.Helper()
	body := []byte(strings.Join(texts, "\n"))
	c := ingestionOf(t, s, workerA, body, false)
	start := 0
	for i, text := range texts {
		g := chunkGraph(i+1, strings.Split(text, ". ")...)
		g.Document.ID = corpus.ContentHash(body)
		move := start - g.Chunk.Bytes.Start
		at := func(span *corpus.Span) { span.Start, span.End = span.Start+move, span.End+move }
		chars := len([]rune(string(body[:start])))
		g.Chunk.StartChar, g.Chunk.EndChar = chars, chars+len([]rune(text))
		at(&g.Chunk.Bytes)
		for j := range g.Instances {
			n := strings.Index(text, g.Instances[j].Quote)
			g.Instances[j].Span = corpus.Span{Start: start + n, End: start + n + len(g.Instances[j].Quote)}
		}
		for j := range g.Relationships {
			at(&g.Relationships[j].Span)
			at(&g.Relationships[j].Marks.BeforeSpan)
		}
		_, err := s.Documents().WriteChunk(t.Context(), c, withPassages(g), byLabel{}, noCheckpoint)
		must(t, err)
		start += len(text) + 1
	}
	must(t, finishDocument(t, s, c, corpus.ContentHash(body), "o"))
	return body
}

// checkAll checks all parts, and returns what is wrong, a line each.
func checkAll(t *testing.T, s *postgres.DB) string {
	t.Helper()
	var found []string
	for _, part := range storage.Parts() {
		for after, steps := "", 0; ; steps++ {
			step, err := s.Integrity().CheckStored(t.Context(), part, after)
			must(t, err)
			for _, f := range step.Faults {
				if f.Part != part || f.Object == "" || f.Repair == "" {
					t.Errorf("%s: an incomplete fault %+v", part, f)
				}
				found = append(found, part+": "+f.Problem)
			}
			if after = step.Next; after == "" {
				break
			}
			if steps > 100 {
				t.Fatalf("the check of %s does not end", part)
			}
		}
	}
	return strings.Join(found, "\n")
}

// TestCheckStored damages what is stored, one thing at a time: each is found, and nothing is
// found before.
func TestCheckStored(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	storedDocument(t, s, "lease. worker Straße", "claim token. Grüße. fence")
	if found := checkAll(t, s); found != "" {
		t.Fatalf("nothing is damaged, and found is\n%s", found)
	}
	conn := connect(t, dsn)
	for _, c := range []struct{ name, damage, want string }{
		{"a document", "UPDATE kg_api.contents SET body = body || 'x'", "documents: the bytes of the document have the hash sha256:"},
		{"a chunk's text", "UPDATE kg_api.sources SET full_text = replace(full_text, 'lease', 'leash')", "not what the document has at its offsets"},
		{"a chunk's offsets", "UPDATE kg_api.sources SET end_char = end_char + 1 WHERE chunk_number = 2", "characters, and its offsets say"},
		{"a chunk that is gone", "DELETE FROM kg_api.sources WHERE chunk_number = 1", "chunks: the chunk before it is not there"},
		{"a passage", "UPDATE kg_api.passages SET body = translate(body, 'aeiou', 'eioua') WHERE number = 20", "passages: passage 20 is not what stands at the bytes "},
		{"where a passage stands", "UPDATE kg_api.passages SET start_byte = start_byte + 1, end_byte = end_byte + 1 WHERE number = 20", "passages: passage 20 is not what stands at the bytes "},
		{"a quote", "UPDATE kg_api.instances SET quote = 'Mercury' WHERE quote = 'fence'", "quotes: a quote of the concept fence_"},
		{"where a quote stands", "UPDATE kg_api.instances SET start_byte = start_byte - 1, end_byte = end_byte - 1 WHERE quote = 'Grüße'", "quotes: a quote of the concept "},
		{"a sentence", "UPDATE kg_api.edge_evidence SET start_byte = start_byte + 1, end_byte = end_byte + 1", "statements: the sentence of "},
		{"the sentence before", "UPDATE kg_api.edge_evidence SET before_quote = 'Mercury'", "statements: the sentence of "},
		{"an embedding", "DELETE FROM kg_api.concept_embeddings WHERE concept = (SELECT min(concept) FROM kg_api.concept_embeddings)", "embeddings: the concept has no embedding"},
		{"a stale embedding", "INSERT INTO kg_api.source_embeddings (source, model, piece, start_char, end_char, text_md5, vector) SELECT id, 'test', 0, 0, 1, md5('x')::uuid, '{1}' FROM kg_api.sources", "was made of another text"},
		{"a file", `WITH a AS (INSERT INTO kg_api.artifacts (artifact_type, representation, graph_epoch, payload) VALUES ('report', 'cli', 0, '{}') RETURNING id),
			f AS (INSERT INTO kg_api.artifact_files (artifact_id, content_type, bytes) SELECT id, 'text/plain', 3 FROM a RETURNING id)
			INSERT INTO kg_api.artifact_pieces (file_id, n, body) SELECT id, 0, 'xy' FROM f`, "artifacts: its file has 2 bytes in 1 pieces, and should have 3 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			undo := backupTables(t, conn)
			exec(t, conn, c.damage)
			if found := checkAll(t, s); !strings.Contains(found, c.want) {
				t.Errorf("found %q, want %q", found, c.want)
			}
			undo()
			if found := checkAll(t, s); found != "" {
				t.Errorf("it was undone, and found is\n%s", found)
			}
		})
	}
}

// backupTables returns what brings back what a test may damage.
func backupTables(t *testing.T, conn execer) func() {
	t.Helper()
	tables := []string{"contents", "sources", "instances", "edge_evidence", "concept_embeddings", "source_embeddings", "passages"}
	for _, table := range tables {
		exec(t, conn, fmt.Sprintf("DROP TABLE IF EXISTS public.%[1]s; CREATE TABLE public.%[1]s AS TABLE kg_api.%[1]s", table))
	}
	return func() {
		t.Helper()
		exec(t, conn, `DELETE FROM kg_api.artifacts; DELETE FROM kg_api.source_embeddings;
			UPDATE kg_api.contents c SET body = b.body FROM public.contents b WHERE b.content_hash = c.content_hash;
			INSERT INTO kg_api.sources (id, source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
				OVERRIDING SYSTEM VALUE SELECT id, source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id FROM public.sources
				ON CONFLICT (id) DO UPDATE SET full_text = excluded.full_text, end_char = excluded.end_char;
			DELETE FROM kg_api.passages; INSERT INTO kg_api.passages OVERRIDING SYSTEM VALUE SELECT * FROM public.passages;
			DELETE FROM kg_api.instances; INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte) SELECT concept, source, quote, start_byte, end_byte FROM public.instances;
			DELETE FROM kg_api.edge_evidence; INSERT INTO kg_api.edge_evidence SELECT * FROM public.edge_evidence;
			INSERT INTO kg_api.concept_embeddings (concept, model, vector, signature, bands) SELECT concept, model, vector, signature, bands FROM public.concept_embeddings ON CONFLICT DO NOTHING`)
	}
}

// TestStorageKinds has every table of the schema in a kind, but for those that keep the server
// itself running.
func TestStorageKinds(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	use, err := s.Storage().StorageUse(t.Context())
	must(t, err)
	if use.Bytes < 1<<20 || use.ByCategory["relationships"].Bytes == 0 {
		t.Errorf("the database has %d bytes, and relationships %d", use.Bytes, use.ByCategory["relationships"].Bytes)
	}
	allowed := " blocked_workers clients counter_measurements graph_epoch graph_settings leader providers schema_floor schema_migrations search_settings server_proofs submissions worker_lanes workers "
	for _, k := range use.Kinds {
		for _, table := range k.Tables {
			if k.Kind == "other" && !strings.Contains(allowed, " "+table.Name+" ") {
				t.Errorf("the table %s has no kind in storage.go", table.Name)
			}
		}
	}
}
