package postgres_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge"
)

// evidenceOfAll is each quote of concepts and of relationships once, whosever it is.
const evidenceOfAll = `
SELECT line FROM (
    SELECT DISTINCT format('quote %s | %s %s-%s', i.quote, i.source, i.start_byte, i.end_byte) AS line FROM kg_api.instances i
    UNION ALL SELECT format('mention %s %s | %s', m.source, m.place, m.label) FROM kg_api.mentions m
) lines ORDER BY line COLLATE "C"`

func lines(t *testing.T, conn *pgx.Conn, query string) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), query)
	must(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	return list
}

// TestMergeLaw checks the law of merging: no quote is lost, and undoing is exact.
func TestMergeLaw(t *testing.T) {
	t.Parallel()
	checkMergeLaw(t, 2)
}

func TestMergeLaw_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkMergeLaw(t, 100)
}

func checkMergeLaw(t *testing.T, rounds int) {
	t.Helper()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	for range rounds {
		seed := rand.IntN(1 << 30)
		var a, b drawnDocument
		var pick [2]int
		_ = rapid.Custom(func(r *rapid.T) int {
			a, b = drawDocument(r, "a", rapid.IntRange(1, 3)), drawDocument(r, "b", rapid.IntRange(1, 3))
			pick = [2]int{rapid.IntRange(0, 50).Draw(r, "kept"), rapid.IntRange(0, 50).Draw(r, "merged")}
			return 0
		}).Example(seed)
		emptyGraph(t, s, conn)
		ingestDrawn(t, s, conn, b)
		ingestDrawn(t, s, conn, a)
		was, evidence := content(t, conn), lines(t, conn, evidenceOfAll)
		ids := lines(t, conn, `SELECT concept_id FROM kg_api.concepts ORDER BY id`)
		keep := ids[pick[0]%len(ids)]
		merge := ids[(pick[0]+1+pick[1]%(len(ids)-1))%len(ids)]
		made, err := s.Notes().MergeConcepts(t.Context(), knowledge.NewConceptMerge{Keep: keep, Merge: merge, Reason: "the same", By: "test"})
		must(t, err)
		if got := lines(t, conn, evidenceOfAll); !slices.Equal(got, evidence) {
			t.Fatalf("seed %d: merging changed the evidence from\n%q\nto\n%q", seed, evidence, got)
		}
		var dangling int
		must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM kg_api.edges e WHERE e.confidence <>
			(SELECT max(v.confidence) FROM kg_api.edge_evidence v WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type)`).Scan(&dangling))
		if n := len(lines(t, conn, `SELECT concept_id FROM kg_api.concepts`)); n != len(ids)-1 || dangling != 0 {
			t.Fatalf("seed %d: %d of %d concepts are left, %d edges with a confidence that nothing shows", seed, n, len(ids), dangling)
		}
		undone, err := s.Notes().UnmergeConcepts(t.Context(), made.ID, false, "test")
		must(t, err)
		if undone.UndoneAt == nil || undone.Merged != merge {
			t.Errorf("undone %+v", undone)
		}
		if got := content(t, conn); got != was {
			t.Fatalf("seed %d: after merging %s into %s and undoing that:\n%s\nwant\n%s", seed, merge, keep, differing(got, was), differing(was, got))
		}
		// A document that goes in between takes what is its own from both.
		again, err := s.Notes().MergeConcepts(t.Context(), knowledge.NewConceptMerge{Keep: keep, Merge: merge, By: "test"})
		must(t, err)
		remove(t, s, corpus.Removal{DocumentID: corpus.ContentHash(a.body), Ontology: a.ontology})
		_, err = s.Notes().UnmergeConcepts(t.Context(), again.ID, false, "test")
		if err != nil && kappa.ErrorCode(err) != kappa.CodeConflict {
			t.Fatalf("seed %d: undoing after a removal: %v", seed, err)
		}
		must(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM kg_api.concepts c WHERE NOT EXISTS (SELECT 1 FROM kg_api.instances i WHERE i.concept = c.id)`).Scan(&dangling))
		if dangling != 0 {
			t.Fatalf("seed %d: %d concepts are left that nothing shows", seed, dangling)
		}
	}
}

// byNameOrMeaning takes concepts for the same that bear one name, or whose embeddings are
// the same.
type byNameOrMeaning struct{ byName }

func (byNameOrMeaning) LeastSimilarity() float64                                   { return 0.9 }
func (byNameOrMeaning) Certain(knowledge.ConceptDraft, []knowledge.Candidate) bool { return false }

func (m byNameOrMeaning) Match(drafts []knowledge.ConceptDraft, candidates [][]knowledge.Candidate) []knowledge.ConceptMatch {
	matches := m.byName.Match(drafts, candidates)
	for i, d := range drafts {
		for j := range i {
			if matches[i].Known == 0 && matches[i].Draft == i && d.Embedding.Cosine(drafts[j].Embedding) > 0.9 {
				matches[i] = matches[j]
			}
		}
		for _, c := range candidates[i] {
			if matches[i].Known == 0 && d.Embedding.Cosine(c.Embedding) > 0.9 {
				matches[i] = knowledge.ConceptMatch{Known: c.ID, By: knowledge.MatchedByEmbedding, Score: d.Embedding.Cosine(c.Embedding)}
			}
		}
	}
	return matches
}

// alike is a chunk whose concepts have one embedding.
func alike(number int, labels ...string) knowledge.ChunkGraph {
	g := chunkGraph(number, labels...)
	for i := range g.Drafts {
		g.Drafts[i].Embedding = vector("all alike")
	}
	g.Relationships = nil
	return g
}

// TestSplitAndBlock: what matching has made one is parted by label, and never made one
// again, in the same chunk or in another one.
func TestSplitAndBlock(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	c := ingestion(t, s, workerA, false)
	write := func(g knowledge.ChunkGraph) {
		t.Helper()
		_, err := s.Documents().WriteChunk(t.Context(), c, g, byNameOrMeaning{}, noCheckpoint)
		must(t, err)
	}
	concepts := func() []string { return lines(t, conn, `SELECT label FROM kg_api.concepts ORDER BY id`) }
	write(alike(1, "Mercury the planet", "Hermes"))
	write(alike(2, "Hermes"))
	if got := concepts(); len(got) != 1 {
		t.Fatalf("matching made %q of two names that are alike", got)
	}
	id := lines(t, conn, `SELECT concept_id FROM kg_api.concepts`)[0]
	mentions, err := s.Notes().ConceptMentions(t.Context(), id, 10)
	must(t, err)
	if len(mentions) != 3 || mentions[0].MatchedBy != nil || mentions[2].MatchedBy == nil || *mentions[2].MatchedBy != knowledge.MatchedByEmbedding || *mentions[2].Score < 0.99 {
		t.Errorf("the mentions are %+v", mentions)
	}
	before := lines(t, conn, evidenceOfAll)
	split := knowledge.NewConceptSplit{ConceptID: id, Labels: []string{" hermes"}, Block: true, By: "test"}
	embed := func(_ context.Context, text string) (models.Embedding, error) { return vector(text), nil }
	made, err := s.Notes().SplitConcept(t.Context(), split, "test", embed)
	must(t, err)
	if made.KeptLabel != "Mercury the planet" || made.NewLabel != "Hermes" || made.Mentions != 2 || !made.Blocked {
		t.Errorf("the split is %+v", made)
	}
	if got := lines(t, conn, evidenceOfAll); !slices.Equal(got, before) {
		t.Errorf("splitting changed the evidence from %q to %q", before, got)
	}
	quotes := lines(t, conn, `SELECT c.label || ': ' || i.quote FROM kg_api.instances i JOIN kg_api.concepts c ON c.id = i.concept ORDER BY i.id`)
	if want := []string{"Mercury the planet: Mercury the planet", "Hermes: Hermes", "Hermes: Hermes"}; !slices.Equal(quotes, want) {
		t.Errorf("the quotes are %q, want %q", quotes, want)
	}
	write(alike(3, "Hermes", "Mercury the planet"))
	write(alike(4, "Mercury the planet"))
	if got := concepts(); len(got) != 2 {
		t.Errorf("matching made %q of what was parted", got)
	}
	for label, code := range map[string]kappa.Code{"Hermes": kappa.CodeInvalid, "nothing": kappa.CodeInvalid} {
		if _, err := s.Notes().SplitConcept(t.Context(), knowledge.NewConceptSplit{ConceptID: made.New, Labels: []string{label}}, "test", embed); kappa.ErrorCode(err) != code {
			t.Errorf("parting %q off: %v", label, err)
		}
	}
	blocked, err := s.Notes().BlockedNames(t.Context(), 10)
	must(t, err)
	if len(blocked) != 1 || blocked[0].A != "hermes" || blocked[0].B != "mercury the planet" {
		t.Fatalf("blocked are %+v", blocked)
	}
	must(t, s.Notes().UnblockNames(t.Context(), blocked[0]))
	if err := s.Notes().UnblockNames(t.Context(), blocked[0]); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("unblocking what is not blocked: %v", err)
	}
}

// TestUnmergeBlocks: undoing a merge with block keeps the two apart from then on.
func TestUnmergeBlocks(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	conn := connect(t, dsn)
	c := ingestion(t, s, workerA, false)
	write := func(g knowledge.ChunkGraph) {
		t.Helper()
		_, err := s.Documents().WriteChunk(t.Context(), c, g, byNameOrMeaning{}, noCheckpoint)
		must(t, err)
	}
	write(chunkGraph(1, "fence", "lease", "worker"))
	ids := lines(t, conn, `SELECT concept_id FROM kg_api.concepts ORDER BY id`)
	first, err := s.Notes().MergeConcepts(t.Context(), knowledge.NewConceptMerge{Keep: ids[0], Merge: ids[1], By: "test", Score: new(0.9)})
	must(t, err)
	second, err := s.Notes().MergeConcepts(t.Context(), knowledge.NewConceptMerge{Keep: ids[2], Merge: ids[0], By: "test"})
	must(t, err)
	undo := func(m knowledge.ConceptMerge, want kappa.Code) {
		t.Helper()
		if _, err := s.Notes().UnmergeConcepts(t.Context(), m.ID, true, "test"); kappa.ErrorCode(err) != want {
			t.Errorf("undoing merge %d: %v", m.ID, err)
		}
	}
	undo(first, kappa.CodeConflict)
	_, err = s.Notes().UnmergeConcepts(t.Context(), second.ID, true, "test")
	must(t, err)
	undo(second, kappa.CodeConflict)
	undo(knowledge.ConceptMerge{ID: 999}, kappa.CodeNotFound)
	_, err = s.Notes().UnmergeConcepts(t.Context(), first.ID, true, "test")
	must(t, err)
	for n, label := range []string{"fence", "lease"} {
		g := chunkGraph(n+2, label)
		g.Drafts[0].Embedding = vector(map[string]string{"fence": "lease", "lease": "fence"}[label]) // as the other one's
		write(g)
	}
	if got := lines(t, conn, `SELECT label FROM kg_api.concepts ORDER BY id`); !slices.Equal(got, []string{"fence", "lease", "worker"}) {
		t.Errorf("the concepts are %q", got)
	}
	list, err := s.Notes().ConceptMerges(t.Context(), ids[0], 10)
	must(t, err)
	if len(list) != 2 || list[1].Score == nil || *list[1].Score != 0.9 || list[0].UndoneAt == nil {
		t.Errorf("the merges of %s are %+v", ids[0], list)
	}
	if _, err := s.Notes().MergeConcepts(t.Context(), knowledge.NewConceptMerge{Keep: ids[0], Merge: "no_1", By: "test"}); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("merging what is not there: %v", err)
	}
}
