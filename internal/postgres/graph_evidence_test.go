package postgres_test

import (
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
)

// edgeNamed returns the relationship of a type between two labels.
func edgeNamed(t *testing.T, dsn, from, kind, to string) knowledge.Edge {
	t.Helper()
	e := knowledge.Edge{Type: kind, Forward: true}
	must(t, connect(t, dsn).QueryRow(t.Context(), `SELECT a.id, b.id FROM kg_api.edges e JOIN kg_api.concepts a ON a.id = e.src JOIN kg_api.concepts b ON b.id = e.dst
		JOIN kg_api.relationship_types t ON t.id = e.type WHERE a.label = $1 AND t.name = $2 AND b.label = $3`, from, kind, to).Scan(&e.From, &e.To))
	return e
}

func TestEdgeEvidence(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	for n := range 4 {
		g := chunkGraph(n+1, "lane", "job")
		g.Reader, g.Relationships[0].Confidence = "model-7 1 hash", []float64{0.5, 0.9, 0.9, 0.1}[n]
		if n == 2 { // the same sure, and both ends are named
			g.Relationships[0].Marks.To = knowledge.Mark{Kind: knowledge.MarkName, Span: corpus.Span{Start: 6, End: 9}}
		}
		if n == 3 {
			r := g.Relationships[0]
			r.Type, r.Direction, r.Confidence = "USES", knowledge.Inward, 1
			g.Relationships = append(g.Relationships, r)
		}
		g.Places = []corpus.Place{{Start: g.Chunk.Bytes.Start, Page: n + 1, Section: "Lanes"}}
		_, err := s.Documents().WriteChunk(t.Context(), c, g, byLabel{}, noCheckpoint)
		must(t, err)
	}
	partOf, uses := edgeNamed(t, dsn, "lane", "PART_OF", "job"), edgeNamed(t, dsn, "job", "USES", "lane")
	backwards := knowledge.Edge{From: partOf.To, To: partOf.From, Type: partOf.Type}
	none := knowledge.Edge{From: partOf.From, To: partOf.To, Type: "CAUSES", Forward: true}
	read := func(most, skip int, edges ...knowledge.Edge) (list [][]knowledge.EdgeEvidence) {
		t.Helper()
		must(t, s.Graph().View(t.Context(), func(v *postgres.GraphSnapshot) (err error) {
			list, err = v.EdgeEvidence(t.Context(), edges, 0, most, skip)
			return err
		}))
		return list
	}
	list := read(3, 0, none, backwards, uses)
	if len(list) != 3 || list[0] == nil || len(list[0]) != 0 || len(list[1]) != 3 || len(list[2]) != 1 {
		t.Fatalf("got %+v", list)
	}
	for i, page := range []int{3, 2, 1} { // surest, then those that name both ends, then as they were read
		if got := *list[1][i].Page; got != page {
			t.Errorf("sentence %d stands on page %d, want %d", i, got, page)
		}
	}
	v := list[1][1]
	if v.Confidence != 0.9 || v.From.Text != "lane" || v.To != (knowledge.MarkedEnd{Mark: knowledge.Mark{Kind: knowledge.MarkBefore}}) || v.Before == nil || v.Before.Quote != "lane" ||
		v.Before.Start != v.Start || v.Before.End != v.Start+4 || *v.Reader != "model-7" || *v.JobID != c.JobID || v.MadeBy != nil || *v.Section != "Lanes" || v.CreatedAt.IsZero() {
		t.Errorf("got %+v", v)
	}
	if v := list[2][0]; v.From.Kind != knowledge.MarkBefore || v.To.Text != "lane" {
		t.Errorf("a relationship that was read the other way round has its ends at %+v and %+v", v.From, v.To)
	}
	if rest := read(10, 2, partOf)[0]; len(rest) != 2 || *rest[0].Page != 1 || *rest[1].Page != 4 {
		t.Errorf("the second page has %+v", rest)
	}
	must(t, s.Graph().View(t.Context(), func(v *postgres.GraphSnapshot) error {
		own, err := v.OntologyNumber(t.Context(), "o")
		must(t, err)
		here, err := v.EdgeEvidence(t.Context(), []knowledge.Edge{partOf}, own, 3, 0)
		must(t, err)
		elsewhere, err := v.EdgeEvidence(t.Context(), []knowledge.Edge{partOf}, own+1, 3, 0)
		if len(here[0]) != 3 || len(elsewhere[0]) != 0 {
			t.Errorf("its ontology shows %d sentences, another one %d", len(here[0]), len(elsewhere[0]))
		}
		return err
	}))
	if got := read(3, 0); len(got) != 0 {
		t.Errorf("no edges have %v", got)
	}
}

// TestEdgeEvidenceOfBefore wants what an earlier version has stored to be shown as far as
// it goes: the sentence, without marks, and the time of its chunk.
func TestEdgeEvidenceOfBefore(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	register(t, s, workerA)
	c := ingestion(t, s, workerA, false)
	_, err := s.Documents().WriteChunk(t.Context(), c, chunkGraph(1, "lane", "job"), byLabel{}, noCheckpoint)
	must(t, err)
	run(t, connect(t, dsn), `UPDATE kg_api.edge_evidence SET from_kind = DEFAULT, from_start = DEFAULT, from_end = DEFAULT, to_kind = DEFAULT, to_start = DEFAULT, to_end = DEFAULT,
		before_quote = DEFAULT, before_start = DEFAULT, created_at = NULL`)
	e := edgeNamed(t, dsn, "lane", "PART_OF", "job")
	must(t, s.Graph().View(t.Context(), func(v *postgres.GraphSnapshot) error {
		list, err := v.EdgeEvidence(t.Context(), []knowledge.Edge{e}, 0, 3, 0)
		if err == nil && (len(list[0]) != 1 || list[0][0].Quote != "lane. job" || list[0][0].From != (knowledge.MarkedEnd{}) || list[0][0].Before != nil || list[0][0].CreatedAt.IsZero()) {
			t.Errorf("got %+v", list)
		}
		return err
	}))
}
