package postgres_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// graphDump has all of the graph that a merge touches, in one text.
const graphDump = `SELECT coalesce(string_agg(line, E'\n' ORDER BY line), '') FROM (
	SELECT 'edge ' || e::text AS line FROM kg_api.edges e
	UNION ALL SELECT 'evidence ' || v::text FROM kg_api.edge_evidence v
	UNION ALL SELECT 'concept ' || c::text FROM kg_api.concepts c
	UNION ALL SELECT 'type ' || t::text FROM kg_api.relationship_types t) l`

// allEvidence has the evidence of all edges without their types, as a multiset.
const allEvidence = `SELECT coalesce(string_agg(line, E'\n' ORDER BY line), '') FROM (
	SELECT concat_ws('|', v.src, v.dst, v.source, v.confidence, v.quote, v.start_byte, v.end_byte) AS line FROM kg_api.edge_evidence v
	UNION ALL SELECT concat_ws('|', v.src, v.dst, v.source, v.confidence, v.quote, v.start_byte, v.end_byte)
		FROM kg_api.merged_evidence v JOIN kg_api.vocabulary_merges m ON m.id = v.merge WHERE v.set_aside AND m.undone_at IS NULL
	UNION ALL SELECT concat_ws('|', g.src, g.dst, g.source, g.confidence, g.quote, g.start_byte, g.end_byte)
		FROM kg_api.merged_evidence v JOIN kg_api.vocabulary_merges m ON m.id = v.merge, jsonb_populate_record(NULL::kg_api.edge_evidence, v.given_way) g
		WHERE v.given_way IS NOT NULL AND m.undone_at IS NULL) l`

const customTypes = 7

// fillForMerges stores a random graph whose evidence often is of the same chunk.
func fillForMerges(t *testing.T, conn *pgx.Conn, random *rand.Rand) {
	t.Helper()
	run := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	run(`INSERT INTO kg_api.ontologies (name) VALUES ('o')`)
	run(`INSERT INTO kg_api.contents (content_hash, body) VALUES ('sha256:' || repeat('0', 64), '')`)
	run(`INSERT INTO kg_api.documents (document_id, ontology_id, filename, content_type, job_id) SELECT 'sha256:' || repeat('0', 64), id, 'f', 'text/plain', 'j' FROM kg_api.ontologies`)
	run(`INSERT INTO kg_api.sources (source_id, document, chunk_number, full_text, start_byte, end_byte, start_char, end_char, words, boundary, job_id)
		SELECT 's_' || n, d.id, n, '', 0, 0, 0, 0, 0, 'sentence', 'j' FROM kg_api.documents d, generate_series(1, 4) n`)
	run(`INSERT INTO kg_api.concepts (concept_id, label, term_keys) SELECT 'c_' || n, 'C', '{}' FROM generate_series(1, 6) n`)
	types := make([]int, customTypes+1)
	must(t, conn.QueryRow(t.Context(), `SELECT id FROM kg_api.relationship_types WHERE name = 'SUPPORTS'`).Scan(&types[customTypes]))
	for i := range customTypes {
		must(t, conn.QueryRow(t.Context(), `INSERT INTO kg_api.relationship_types (name, category) VALUES ($1, 'llm_generated') RETURNING id`, fmt.Sprintf("T%d", i)).Scan(&types[i]))
	}
	for range 150 {
		src, dst, typ, source := 1+random.IntN(6), 1+random.IntN(6), types[random.IntN(customTypes+1)], 1+random.IntN(4)
		if src == dst {
			continue
		}
		confidence := float32(random.IntN(1000)) / 999
		run(`INSERT INTO kg_api.edges (src, dst, type, confidence) VALUES ($1, $2, $3, $4)
			ON CONFLICT (src, dst, type) DO NOTHING`, src, dst, typ, confidence)
		run(`INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence, quote, start_byte, end_byte, from_kind, from_start, from_end, to_kind, to_end, before_quote, before_start)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'name', 1, 3, 'reference', 4, 'before ' || $6, $7) ON CONFLICT DO NOTHING`,
			src, dst, typ, source, confidence, fmt.Sprintf("quote %d", random.IntN(50)), random.IntN(9), 10)
	}
	run(`UPDATE kg_api.edges e SET confidence = (SELECT max(v.confidence) FROM kg_api.edge_evidence v WHERE (v.src, v.dst, v.type) = (e.src, e.dst, e.type))`)
}

// TestMergesLoseNothing merges random types of random graphs: after each merge all
// evidence is there as before, and when the merges are undone the graph is the old one,
// byte for byte.
func TestMergesLoseNothing(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s, dsn := newStore(t)
			conn := connect(t, dsn)
			random := rand.New(rand.NewPCG(seed, 19))
			fillForMerges(t, conn, random)
			read := func(sql string) (text string) {
				t.Helper()
				must(t, conn.QueryRow(t.Context(), sql).Scan(&text))
				return text
			}
			evidence, graphs, merges := read(allEvidence), []string{read(graphDump)}, []int{}
			for range customTypes - 2 {
				var m vocabulary.Merge
				var err error
				for tries := 0; ; tries++ {
					to := fmt.Sprintf("T%d", random.IntN(customTypes))
					if random.IntN(4) == 0 {
						to = "SUPPORTS"
					}
					m, err = s.Vocabulary().MergeTypes(t.Context(), vocabulary.NewMerge{Source: fmt.Sprintf("T%d", random.IntN(customTypes)), Target: to, By: "test"}, nil, nil)
					if err == nil && !slices.Contains(merges, m.ID) {
						break
					}
					if tries > 500 {
						t.Fatal(err)
					}
				}
				if got := read(allEvidence); got != evidence {
					t.Fatalf("merging %s into %s changed the evidence from\n%s\nto\n%s", m.Source, m.Target, evidence, got)
				}
				var left int
				must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM kg_api.edges e JOIN kg_api.relationship_types r ON r.id = e.type WHERE r.merged_into IS NOT NULL`).Scan(&left))
				if left > 0 {
					t.Fatalf("%d edges of merged types are left", left)
				}
				merges, graphs = append(merges, m.ID), append(graphs, read(graphDump))
			}
			for i, merge := range slices.Backward(merges) {
				if _, err := s.Vocabulary().UndoMerge(t.Context(), merge); err != nil {
					t.Fatal(err)
				}
				if got := read(graphDump); got != graphs[i] {
					t.Fatalf("after the undo of merge %d the graph differs in\n%s", merges[i], differences(graphs[i], got))
				}
			}
		})
	}
}

// differences has the lines that only one of two texts has.
func differences(want, got string) string {
	before, after := strings.Split(want, "\n"), strings.Split(got, "\n")
	var list []string
	for _, line := range before {
		if !slices.Contains(after, line) {
			list = append(list, "- "+line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			list = append(list, "+ "+line)
		}
	}
	return strings.Join(list, "\n")
}

func TestMergeRules(t *testing.T) {
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	fillForMerges(t, conn, rand.New(rand.NewPCG(9, 9)))
	v := s.Vocabulary()
	merge := func(source, target string) (vocabulary.Merge, error) {
		return v.MergeTypes(t.Context(), vocabulary.NewMerge{Source: source, Target: target, By: "test"}, nil, nil)
	}
	first, err := merge("T0", "T1")
	must(t, err)
	if again, err := merge("T0", "T1"); err != nil || again.ID != first.ID {
		t.Errorf("repeated: %+v, %v", again, err)
	}
	second, err := merge("T1", "T2")
	must(t, err)
	for name, c := range map[string]struct {
		err  func() error
		code kappa.Code
	}{
		"an unknown type":       {func() error { _, err := merge("NO", "T2"); return err }, kappa.CodeNotFound},
		"a built-in source":     {func() error { _, err := merge("SUPPORTS", "T2"); return err }, kappa.CodeConflict},
		"a source that is gone": {func() error { _, err := merge("T0", "T3"); return err }, kappa.CodeConflict},
		"a target that is gone": {func() error { _, err := merge("T3", "T0"); return err }, kappa.CodeConflict},
		"an undo out of order":  {func() error { _, err := v.UndoMerge(t.Context(), first.ID); return err }, kappa.CodeConflict},
		"an undo of nothing":    {func() error { _, err := v.UndoMerge(t.Context(), 99); return err }, kappa.CodeNotFound},
		"a preview of a gone one": {func() error {
			_, err := v.PreviewMerge(t.Context(), vocabulary.NewMerge{Source: "T0", Target: "T4"})
			return err
		}, kappa.CodeConflict},
	} {
		if err := c.err(); kappa.ErrorCode(err) != c.code {
			t.Errorf("%s gives %v, want %s", name, err, c.code)
		}
	}
	t.Run("what is read of a merged type becomes what it has become", func(t *testing.T) {
		must(t, s.Documents().EnsureVocabulary(t.Context(), []vocabulary.RelationshipType{{Name: "T0", Category: "x"}}))
		var id, want int
		must(t, conn.QueryRow(t.Context(), `SELECT kg_api.current_type(a.id), b.id FROM kg_api.relationship_types a, kg_api.relationship_types b WHERE a.name = 'T0' AND b.name = 'T2'`).Scan(&id, &want))
		if id != want {
			t.Errorf("T0 has become %d, want %d", id, want)
		}
	})
	t.Run("what was deleted since does not come back", func(t *testing.T) {
		_, err := conn.Exec(t.Context(), `DELETE FROM kg_api.concepts WHERE id = 1`)
		must(t, err)
		_, err = v.UndoMerge(t.Context(), second.ID)
		must(t, err)
		_, err = v.UndoMerge(t.Context(), first.ID)
		must(t, err)
		if _, err = v.UndoMerge(t.Context(), first.ID); kappa.ErrorCode(err) != kappa.CodeConflict {
			t.Errorf("a second undo gives %v", err)
		}
		var edges int
		must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM kg_api.edges WHERE 1 IN (src, dst)`).Scan(&edges))
		if edges != 0 {
			t.Errorf("%d edges of a deleted concept", edges)
		}
	})
	t.Run("reviews", func(t *testing.T) {
		pair := []vocabulary.Review{{Source: "T3", Target: "T4", Similarity: 0.8, Reason: "near"}}
		must(t, v.AddReviews(t.Context(), pair))
		must(t, v.RejectReview(t.Context(), "T3", "T4", "ada"))
		must(t, v.AddReviews(t.Context(), pair))
		list, err := v.Reviews(t.Context(), "")
		if err != nil || len(list) != 1 || list[0].Status != vocabulary.ReviewRejected || *list[0].DecidedBy != "ada" {
			t.Errorf("%+v, %v", list, err)
		}
		if _, err := v.AcceptReview(t.Context(), vocabulary.NewMerge{Source: "T3", Target: "T4", By: "ada"}); kappa.ErrorCode(err) != kappa.CodeNotFound {
			t.Errorf("got %v", err)
		}
		must(t, v.AddReviews(t.Context(), []vocabulary.Review{{Source: "T4", Target: "T3", Similarity: 0.8}}))
		done, err := v.AcceptReview(t.Context(), vocabulary.NewMerge{Source: "T4", Target: "T3", By: "ada"})
		if err != nil || done.Source != "T4" || done.Target != "T3" {
			t.Errorf("accepted %+v, %v", done, err)
		}
		if list, err = v.Reviews(t.Context(), vocabulary.ReviewAccepted); err != nil || len(list) != 1 || list[0].Source != "T4" {
			t.Errorf("the accepted ones are %+v, %v", list, err)
		}
	})
}

// TestMergedTypesOutliveTheirDocuments removes the last document that shows a type which
// was merged, or into which one was: the document goes, and what the merge was stays known.
func TestMergedTypesOutliveTheirDocuments(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	written := func(number int, kind string) drawnDocument {
		d := drawnDocument{body: fmt.Appendf(nil, "document %d", number), ontology: "o"}
		g := chunkGraph(1, "lease", "worker")
		g.Document.ID = corpus.ContentHash(d.body)
		g.Relationships[0].Type = kind
		d.chunks = []knowledge.ChunkGraph{g}
		return d
	}
	a, b := written(1, "FENCES"), written(2, "GUARDS")
	ingestDrawn(t, s, conn, a)
	ingestDrawn(t, s, conn, b)
	merge, err := s.Vocabulary().MergeTypes(t.Context(), vocabulary.NewMerge{Source: "FENCES", Target: "GUARDS", By: "ada"}, nil, nil)
	must(t, err)
	for _, d := range []drawnDocument{b, a} {
		if removed := remove(t, s, corpus.Removal{DocumentID: corpus.ContentHash(d.body), Ontology: "o"}); !removed.Deleted {
			t.Errorf("removed %+v", removed)
		}
	}
	ingestDrawn(t, s, conn, a)
	_, err = s.Vocabulary().UndoMerge(t.Context(), merge.ID)
	must(t, err)
	ingestDrawn(t, s, conn, a)
	remove(t, s, corpus.Removal{DocumentID: corpus.ContentHash(a.body), Ontology: "o"})
	if list, err := s.Vocabulary().Merges(t.Context(), 0, 10); err != nil || len(list) != 1 || list[0].Source != "FENCES" {
		t.Errorf("the merges are %+v, %v", list, err)
	}
}

// TestVocabularyActsAreRecorded changes the vocabulary by hand: who did what is recorded,
// and what fails changes nothing.
func TestVocabularyActsAreRecorded(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	ctx, v := asActor(t), s.Vocabulary()
	run(t, connect(t, dsn), `INSERT INTO kg_api.relationship_types (name, category) VALUES ('FENCES', 'llm_generated'), ('GUARDS', 'llm_generated')`)
	was, err := v.VocabularySettings(ctx)
	must(t, err)
	errStop := errors.New("stop")
	if _, err := v.ChangeVocabularySettings(ctx, func(s *vocabulary.Settings) error {
		s.Max++
		return errStop
	}); !errors.Is(err, errStop) {
		t.Errorf("a change that fails: %v", err)
	}
	is, err := v.ChangeVocabularySettings(ctx, func(s *vocabulary.Settings) error {
		s.Min++
		return nil
	})
	must(t, err)
	was.UpdatedAt, was.UpdatedBy = is.UpdatedAt, is.UpdatedBy
	if was.Min++; is != was || is.UpdatedAt == nil {
		t.Errorf("the settings are %+v, want %+v", is, was)
	}
	must(t, v.AddReviews(ctx, []vocabulary.Review{{Source: "FENCES", Target: "GUARDS", Similarity: 0.8}}))
	must(t, v.RejectReview(ctx, "FENCES", "GUARDS", "admin"))
	merge, err := v.MergeTypes(ctx, vocabulary.NewMerge{Source: "FENCES", Target: "GUARDS", By: "admin"}, nil, nil)
	must(t, err)
	_, err = v.UndoMerge(ctx, merge.ID)
	must(t, err)
	entries, err := s.Audit().Entries(ctx, access.AuditFilter{Limit: 10})
	must(t, err)
	var got []string
	for _, e := range slices.Backward(entries) {
		got = append(got, e.Username+" "+e.Action+" "+e.ObjectID)
	}
	if want := []string{"admin settings.update vocabulary", "admin vocabulary.review FENCES", "admin vocabulary.merge FENCES", "admin vocabulary.unmerge FENCES"}; !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
}
