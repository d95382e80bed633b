package postgres

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// naiveEdges selects relationships by reading all evidence: of an ontology, of a type, of two
// ends, and of a least confidence, none of them for ” and 0.
const naiveEdges = `SELECT format('%s %s %s %s', e.src, e.dst, e.type, e.confidence) FROM (
		SELECT v.src, v.dst, v.type, max(v.confidence) AS confidence FROM kg_api.edge_evidence v
		JOIN kg_api.sources s ON s.id = v.source JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
		WHERE $1::text = '' OR o.name = $1 GROUP BY v.src, v.dst, v.type) e
	JOIN kg_api.relationship_types t ON t.id = e.type
	WHERE ($2::text = '' OR t.name = $2) AND ($3::int = 0 OR e.src = $3) AND ($4::int = 0 OR e.dst = $4) AND e.confidence >= $5::real
	ORDER BY e.src, e.dst, e.type`

// TestEdgeListAgreesWithANaiveOne lists relationships in all ways, while evidence comes and
// goes, before and after what has changed is folded into what is kept.
func TestEdgeListAgreesWithANaiveOne(t *testing.T) {
	g := newRandomGraph(t, 12, 80)
	random := rand.New(rand.NewPCG(36, 12))
	g.exec(t, `INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence) SELECT e.src, e.dst, e.type, 1 + (e.src * 7 + e.dst) % $1::int, e.confidence FROM kg_api.edges e`, fixtureSources)
	for step := range 60 {
		seed := random.IntN(1 << 20)
		switch random.IntN(4) {
		case 0:
			g.exec(t, `INSERT INTO kg_api.edge_evidence (src, dst, type, source, confidence) SELECT e.src, e.dst, e.type, 1 + $1::int % $2::int, e.confidence
				FROM kg_api.edges e ORDER BY md5(e.src || '-' || e.dst || '-' || $1::int) LIMIT 5 ON CONFLICT DO NOTHING`, seed, fixtureSources)
		case 1:
			g.exec(t, `DELETE FROM kg_api.edge_evidence WHERE (src, dst, type, source) IN (SELECT v.src, v.dst, v.type, v.source FROM kg_api.edge_evidence v
				ORDER BY md5(v.src || '-' || v.dst || '-' || v.source || $1::int) LIMIT 4)`, seed)
		case 2:
			if _, err := (RetentionStore{g.store.base}).FoldOntologyCounts(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		g.exec(t, `DELETE FROM kg_api.edges e WHERE NOT EXISTS (SELECT FROM kg_api.edge_evidence v WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type)`)
		g.exec(t, `UPDATE kg_api.edges e SET confidence = (SELECT max(v.confidence) FROM kg_api.edge_evidence v WHERE v.src = e.src AND v.dst = e.dst AND v.type = e.type)`)
		g.exec(t, `UPDATE kg_api.graph_epoch SET epoch = epoch + 1`)
		f := questions.EdgeFilter{
			Ontology: []string{"", "apples", "zebras", "bare", "none"}[random.IntN(5)], Type: []string{"", "CAUSES", "PART_OF", "NONE"}[random.IntN(4)],
			MinConfidence: []float64{0, 0, 0.5, 0.95}[random.IntN(4)], Limit: 1 + random.IntN(30), Offset: random.IntN(3),
		}
		from, to := []int{0, 0, 1 + random.IntN(12)}[random.IntN(3)], []int{0, 0, 1 + random.IntN(12)}[random.IntN(3)]
		var want []string
		rows, err := g.pool.Query(t.Context(), naiveEdges, f.Ontology, f.Type, from, to, f.MinConfidence)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			want = append(want, line)
		}
		g.compareEdges(t, step, f, from, to, want)
	}
}

// compareEdges lists relationships, and reports what is not as wanted.
func (g *randomGraph) compareEdges(t *testing.T, step int, f questions.EdgeFilter, from, to int, want []string) {
	t.Helper()
	list, total, err := g.now.ListEdges(t.Context(), f, from, to)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range list {
		got = append(got, fmt.Sprintf("%d %d %d %v", e.From, e.To, e.Place.Keys[2], e.Confidence))
	}
	start := min(f.Offset, len(want))
	if !slices.Equal(got, want[start:min(start+f.Limit, len(want))]) || total != len(want) {
		t.Fatalf("step %d, %+v from %d to %d: %d of them, %q\nwant %d, %q", step, f, from, to, total, got, len(want), want[start:])
	}
}
