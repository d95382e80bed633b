package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// graphContent is everything that the graph says, without the numbers of its rows.
const graphContent = `
WITH placed AS (
    SELECT s.*, format('%s in %s at %s', left(d.document_id, 16), o.name, s.start_byte) AS at
    FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
)
SELECT line FROM (
    SELECT format('concept %s | %s | %s | %s | %s %s', c.label, c.description, (SELECT array_agg(t ORDER BY t) FROM unnest(c.search_terms) t),
        (SELECT array_agg(t ORDER BY t) FROM unnest(c.term_keys) t), e.model, md5(e.vector::text || e.signature::text || e.bands::text)) AS line
    FROM kg_api.concepts c LEFT JOIN kg_api.concept_embeddings e ON e.concept = c.id
    UNION ALL SELECT format('quote %s | %s | %s %s-%s', c.label, i.quote, s.at, i.start_byte, i.end_byte)
    FROM kg_api.instances i JOIN kg_api.concepts c ON c.id = i.concept JOIN placed s ON s.id = i.source
    UNION ALL SELECT format('edge %s | %s | %s | %s', a.label, t.name, b.label, e.confidence)
    FROM kg_api.edges e JOIN kg_api.concepts a ON a.id = e.src JOIN kg_api.concepts b ON b.id = e.dst JOIN kg_api.relationship_types t ON t.id = e.type
    UNION ALL SELECT format('evidence %s | %s | %s | %s %s %s | %s | %s', a.label, t.name, b.label, s.at, v.confidence, v.quote,
        concat_ws(' ', v.from_kind, v.from_start, v.from_end, v.to_kind, v.to_start, v.to_end), concat_ws(' ', v.before_quote, v.before_start))
    FROM kg_api.edge_evidence v JOIN kg_api.concepts a ON a.id = v.src JOIN kg_api.concepts b ON b.id = v.dst
    JOIN kg_api.relationship_types t ON t.id = v.type JOIN placed s ON s.id = v.source
    UNION ALL SELECT format('mention %s | %s %s | %s | %s | %s', c.label, s.at, m.place, m.label, m.description, m.search_terms)
    FROM kg_api.mentions m JOIN kg_api.concepts c ON c.id = m.concept JOIN placed s ON s.id = m.source
    UNION ALL SELECT format('source %s %s | %s', s.at, s.chunk_number, s.full_text) FROM placed s
    UNION ALL SELECT format('document %s %s', d.document_id, o.name) FROM kg_api.documents d JOIN kg_api.ontologies o ON o.id = d.ontology_id
    UNION ALL SELECT format('ontology %s %s', o.name, o.lifecycle_state) FROM kg_api.ontologies o
    UNION ALL SELECT format('type %s %s', t.name, t.category) FROM kg_api.relationship_types t
) lines ORDER BY line COLLATE "C"`

func content(t failer, conn *pgx.Conn) string {
	rows, err := conn.Query(context.Background(), graphContent)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// failer is what tests and property tests have in common.
type failer interface{ Fatal(args ...any) }

// drawnDocument is a document of a few chunks that name things of a small vocabulary, each
// spelled, described and called in ways of its own.
type drawnDocument struct {
	body     []byte
	ontology string
	chunks   []knowledge.ChunkGraph
	path     string // where it came from; "" is nowhere
	replace  corpus.Replace
	whole    bool // it is written at once
}

func drawDocument(r *rapid.T, name string, sizes *rapid.Generator[int]) drawnDocument {
	d := drawnDocument{body: []byte("document " + name), ontology: rapid.SampledFrom([]string{"o", "p"}).Draw(r, "ontology of "+name)}
	things := []string{"claim token", "fence", "lease", "worker lane"}
	id := corpus.ContentHash(d.body)
	for n := range sizes.Draw(r, "chunks of "+name) {
		g := chunkGraph(n + 1)
		g.Document.ID, g.Document.Ontology = id, d.ontology
		g.Chunk.Text = fmt.Sprintf("text %d of %s", n, name)
		picked := rapid.SliceOfNDistinct(rapid.SampledFrom(things), 2, len(things), rapid.ID).Draw(r, "concepts")
		slices.Sort(picked) // so that documents relate the same ones
		for i, thing := range picked {
			label := rapid.SampledFrom([]string{thing, strings.ToUpper(thing), " " + strings.ToUpper(thing[:1]) + thing[1:]}).Draw(r, "spelling")
			concept := knowledge.ExtractedConcept{Key: thing, Label: strings.TrimSpace(label), SearchTerms: []string{}}
			concept.Description = rapid.SampledFrom([]string{"", "a " + thing + " of " + name, "the " + thing}).Draw(r, "description")
			for _, term := range []string{thing + "s", "some " + thing, name + " " + thing} {
				if rapid.Bool().Draw(r, "term") {
					concept.SearchTerms = append(concept.SearchTerms, term)
				}
			}
			g.Drafts = append(g.Drafts, knowledge.ConceptDraft{ExtractedConcept: concept, Embedding: vector(concept.EmbeddingText())})
			quote := fmt.Sprintf("%s in chunk %d of %s", label, n, name)
			g.Instances = append(g.Instances, knowledge.ExtractedInstance{Concept: thing, Quote: quote, Span: corpus.Span{Start: n, End: n + len(quote)}})
			if i > 0 && rapid.IntRange(0, 3).Draw(r, "related") > 0 {
				g.Relationships = append(g.Relationships, knowledge.ExtractedRelationship{
					From: picked[i-1], To: thing, Type: rapid.SampledFrom([]string{"PART_OF", "PART_OF", "FENCES", "HOLDS_" + strings.ToUpper(name)}).Draw(r, "type"),
					Confidence: float64(rapid.IntRange(1, 4).Draw(r, "confidence")) / 4, Quote: quote,
					Marks: knowledge.Marks{From: knowledge.Mark{Kind: knowledge.MarkBefore}, To: knowledge.Mark{Kind: knowledge.MarkName, Span: corpus.Span{Start: n % 2, End: 3 + n%2}}, Before: name, BeforeSpan: corpus.Span{Start: n, End: n + len(name)}},
				})
			}
		}
		d.chunks = append(d.chunks, g)
	}
	return d
}

// source returns where the document came from.
func (d drawnDocument) source() *string {
	if d.path == "" {
		return nil
	}
	return &d.path
}

// ingestDrawn writes a document, and completes its job.
func ingestDrawn(t *testing.T, s *postgres.DB, conn *pgx.Conn, d drawnDocument) string {
	t.Helper()
	return ingestMatched(t, s, conn, d, byLabel{})
}

// ingestMatched is ingestDrawn with a matcher.
func ingestMatched(t *testing.T, s *postgres.DB, conn *pgx.Conn, d drawnDocument, m knowledge.Matcher) string {
	t.Helper()
	answer, err := s.Ingestions().SubmitIngestion(t.Context(), work.Submission{
		Body: d.body, ContentType: corpus.ContentPlain, ContentHash: corpus.ContentHash(d.body), Ontology: d.ontology, Filename: "test.txt",
		Force: true, ProcessingMode: work.ModeSerial, Replace: d.replace, Origin: corpus.Origin{SourcePath: d.source()}, UserID: access.SystemUserID,
	}, ingestionJob(access.SystemUserID))
	must(t, err)
	must(t, s.Ingestions().Analyzed(t.Context(), work.AnalysisClaim{JobID: answer.JobID}, corpus.Analysis{Warnings: []string{}}, true))
	c := claim(t, s, workerA, 1)[0]
	document := d.chunks[0].Document
	document.SourcePath, document.Replaces, document.SubmittedAt = d.source(), d.replace, time.Now()
	if d.whole {
		version := knowledge.DocumentVersion{Document: document, Chunks: d.chunks, Matcher: func() knowledge.Matcher { return m }, Embedded: knowledge.NewEmbeddings{Model: "test"}}
		_, err := writeVersion(t, s, c, version)
		must(t, err)
	} else {
		for _, g := range d.chunks {
			g.Document.SourcePath = d.source()
			_, err := s.Documents().WriteChunk(t.Context(), c, g, m, noCheckpoint)
			must(t, err)
		}
		_, err = finish(t, s, c, corpus.Finishing{Document: document})
		must(t, err)
	}
	_, err = conn.Exec(t.Context(), "UPDATE kg_api.jobs SET status = 'completed', completed_at = now() WHERE job_id = $1", c.JobID)
	must(t, err)
	return c.JobID
}

// emptyGraph removes everything but what every installation has.
func emptyGraph(t *testing.T, s *postgres.DB, conn *pgx.Conn) {
	t.Helper()
	_, err := conn.Exec(t.Context(), "TRUNCATE kg_api.jobs, kg_api.job_events, kg_api.documents, kg_api.ontologies, kg_api.concepts, kg_api.relationship_types, kg_api.contents CASCADE")
	must(t, err)
	must(t, s.Documents().EnsureVocabulary(t.Context(), vocabulary.BuiltinTypes()))
}

// finishDocument ends a document that replaces nothing, with embeddings of what it lacks.
func finishDocument(t *testing.T, s *postgres.DB, c work.Claim, documentID, ontology string) error {
	t.Helper()
	_, err := finish(t, s, c, corpus.Finishing{Document: corpus.Document{ID: documentID, Ontology: ontology}})
	return err
}

// finish ends a document, with embeddings of what it lacks.
func finish(t *testing.T, s *postgres.DB, c work.Claim, f corpus.Finishing) ([]string, error) {
	t.Helper()
	embedded := knowledge.NewEmbeddings{Model: "test", ByText: map[string]models.Embedding{}}
	for {
		replaced, missing, err := s.Documents().FinishDocument(t.Context(), c, f, embedded)
		if err != nil || len(missing) == 0 {
			return replaced, err
		}
		for _, text := range missing {
			embedded.ByText[text] = vector(text)
		}
	}
}

// writeVersion writes a document at once, with embeddings of what it lacks.
func writeVersion(t *testing.T, s *postgres.DB, c work.Claim, v knowledge.DocumentVersion) ([]string, error) {
	t.Helper()
	v.Embedded.ByText = map[string]models.Embedding{}
	for {
		replaced, missing, err := s.Documents().WriteVersion(t.Context(), c, v, func([]corpus.Counts) work.Checkpoint { return noCheckpoint(corpus.Counts{}) })
		if err != nil || len(missing) == 0 {
			return replaced, err
		}
		for _, text := range missing {
			v.Embedded.ByText[text] = vector(text)
		}
	}
}

// remove takes a document out, with embeddings of what it lacks.
func remove(t *testing.T, s *postgres.DB, r corpus.Removal) corpus.Removed {
	t.Helper()
	embedded := knowledge.NewEmbeddings{Model: "test", ByText: map[string]models.Embedding{}}
	for {
		removed, missing, err := s.Documents().RemoveDocument(t.Context(), r, embedded)
		must(t, err)
		if len(missing) == 0 {
			return removed
		}
		for _, text := range missing {
			embedded.ByText[text] = vector(text)
		}
	}
}

// TestRemovalLaw checks the law of removal: to ingest A and B, in any order, and to
// remove A, leaves what ingesting B alone leaves.
func TestRemovalLaw(t *testing.T) {
	t.Parallel()
	checkRemovalLaw(t, 2)
}

func TestRemovalLaw_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkRemovalLaw(t, 100)
}

func checkRemovalLaw(t *testing.T, rounds int) {
	t.Helper()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	for range rounds {
		seed := rand.IntN(1 << 30)
		sizes := rapid.IntRange(1, 3)
		var a, b drawnDocument
		var last bool
		drawn := rapid.Custom(func(r *rapid.T) int {
			a, b = drawDocument(r, "a", sizes), drawDocument(r, "b", sizes)
			last = rapid.Bool().Draw(r, "a is ingested last")
			return 0
		})
		_ = drawn.Example(seed)
		emptyGraph(t, s, conn)
		ingestDrawn(t, s, conn, b)
		want := content(t, conn)
		emptyGraph(t, s, conn)
		if last {
			ingestDrawn(t, s, conn, b)
		}
		job := ingestDrawn(t, s, conn, a)
		if !last {
			ingestDrawn(t, s, conn, b)
		}
		whole := content(t, conn)
		counted := remove(t, s, corpus.Removal{DocumentID: corpus.ContentHash(a.body), Ontology: a.ontology, By: job, DryRun: true})
		if now := content(t, conn); now != whole || counted.Deleted {
			t.Fatalf("a dry run of %+v has changed:\n%s", counted, differing(whole, now))
		}
		removed := remove(t, s, corpus.Removal{DocumentID: corpus.ContentHash(a.body), Ontology: a.ontology, By: job})
		if counted.SourcesDeleted != removed.SourcesDeleted || counted.ConceptsDeleted != removed.ConceptsDeleted || counted.RelationshipsDeleted != removed.RelationshipsDeleted || counted.OntologyDeleted != removed.OntologyDeleted {
			t.Fatalf("a dry run counted %+v, and %+v went", counted, removed)
		}
		if removed.SourcesDeleted != len(a.chunks) {
			t.Fatalf("removed %+v of %d chunks", removed, len(a.chunks))
		}
		if got := content(t, conn); got != want {
			t.Fatalf("seed %d, a was last: %t; after the removal of a:\n%s\nwant, as with b alone:\n%s\na: %+v\nb: %+v", seed, last, differing(got, want), differing(want, got), a, b)
		}
		remove(t, s, corpus.Removal{DocumentID: corpus.ContentHash(b.body)})
		var left int
		must(t, conn.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM kg_api.concepts) + (SELECT count(*) FROM kg_api.documents) +
			(SELECT count(*) FROM kg_api.edges) + (SELECT count(*) FROM kg_api.ontologies) + (SELECT count(*) FROM kg_api.relationship_types WHERE NOT is_builtin)`).Scan(&left))
		if left != 0 {
			t.Fatalf("%d rows are left without any document", left)
		}
	}
}

// differing returns the lines of one text that another has not.
func differing(text, other string) string {
	has := map[string]bool{}
	for line := range strings.SplitSeq(other, "\n") {
		has[line] = true
	}
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if !has[line] {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func TestRemovalRefused(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	write := func(n int) error {
		_, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(n, "lease"), byLabel{}, noCheckpoint)
		return err
	}
	must(t, write(1))
	before := corpus.Removal{DocumentID: docID}
	for name, r := range map[string]struct {
		removal corpus.Removal
		code    kappa.Code
	}{
		"while a job reads it":             {before, kappa.CodeConflict},
		"an unknown document":              {corpus.Removal{DocumentID: corpus.ContentHash([]byte("x"))}, kappa.CodeNotFound},
		"of another ontology":              {corpus.Removal{DocumentID: docID, Ontology: "another"}, kappa.CodeNotFound},
		"the undo of a job that wrote not": {corpus.Removal{DocumentID: docID, Ontology: "o", By: "job_000000000000"}, kappa.CodeConflict},
		"the undo of a job without a rest": {corpus.Removal{DocumentID: docID, Ontology: "another", By: c.JobID}, kappa.CodeConflict},
	} {
		if _, _, err := s.Documents().RemoveDocument(t.Context(), r.removal, knowledge.NewEmbeddings{}); kappa.ErrorCode(err) != r.code {
			t.Errorf("%s: %v, want %s", name, err, r.code)
		}
	}
	_, err := s.Jobs().Cancel(t.Context(), c.JobID)
	must(t, err)
}
