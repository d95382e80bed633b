package postgres

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// TestConceptRanksFollow changes the graph at random, and compares what is remembered of it
// after each change with what the tables say.
func TestConceptRanksFollow(t *testing.T) {
	g := newRandomGraph(t, 30, 20)
	random := rand.New(rand.NewPCG(7, 7))
	changes := []string{
		`INSERT INTO kg_api.instances (concept, source, quote, start_byte, end_byte) SELECT c.id, $1, 'new ' || random(), 0, 1 FROM kg_api.concepts c WHERE c.id % 5 = $1 % 5`,
		`DELETE FROM kg_api.instances WHERE id % 7 = $1 % 7`,
		`DELETE FROM kg_api.concepts WHERE id = $1`,
		`UPDATE kg_api.instances SET source = $1 WHERE id % 11 = $1 % 11`,
		`UPDATE kg_api.documents SET ontology_id = ontology_id + (SELECT CASE WHEN min(x.ontology_id) = 1 THEN 1 ELSE 0 END FROM kg_api.documents x WHERE x.id = $1 % 4 + 1) WHERE id = $1 % 4 + 1
			AND NOT EXISTS (SELECT FROM kg_api.documents y WHERE y.document_id = documents.document_id AND y.ontology_id = documents.ontology_id + 1)`,
		`UPDATE kg_api.sources SET document = $1 % 4 + 1 WHERE id = $1`,
		`INSERT INTO kg_api.edges (src, dst, type, confidence) SELECT a.id, b.id, t.id, 0.5 FROM kg_api.concepts a, kg_api.concepts b, kg_api.relationship_types t
			WHERE a.id % 6 = $1 % 6 AND b.id = a.id + 1 AND t.name = 'CAUSES' ON CONFLICT DO NOTHING`,
		`DELETE FROM kg_api.edges WHERE dst % 3 = $1 % 3`,
		`SELECT kg_api.reload_graph() WHERE $1::int > 0`,
	}
	for n := range 60 {
		change := changes[random.IntN(len(changes))]
		g.exec(t, change, 1+random.IntN(fixtureSources))
		for _, ontology := range []string{"", "apples", "zebras"} {
			g.checkRanks(t, ontology, fmt.Sprintf("change %d, %s", n, change))
		}
		g.checkTally(t, change)
		if t.Failed() {
			return
		}
	}
}

func (g *randomGraph) checkRanks(t *testing.T, ontology, after string) {
	t.Helper()
	list, total, err := g.now.ConceptsByEvidence(t.Context(), questions.ConceptFilter{Ontology: ontology, Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range list {
		got = append(got, fmt.Sprint(c.ID, c.Sources, c.Quotes))
	}
	want := g.texts(t, `SELECT array_agg(format('%s %s %s', x.concept, x.sources, x.quotes) ORDER BY x.sources DESC, x.quotes DESC, x.concept)
		FROM (SELECT i.concept, count(DISTINCT i.source) AS sources, count(*) AS quotes
			FROM kg_api.instances i JOIN kg_api.sources s ON s.id = i.source JOIN kg_api.documents d ON d.id = s.document JOIN kg_api.ontologies o ON o.id = d.ontology_id
			WHERE $1 IN ('', o.name) GROUP BY i.concept) x`, ontology)
	if !slices.Equal(got, want) || total != len(want) {
		t.Errorf("ontology %q after %s: %v of %d, the tables say %v", ontology, after, got, total, want)
	}
}

func (g *randomGraph) checkTally(t *testing.T, after string) {
	t.Helper()
	stats, err := g.now.GraphStats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, c := range stats.Relationships.ByType {
		types = append(types, fmt.Sprint(c.Type, " ", c.Count))
	}
	want := g.texts(t, `SELECT array_agg(format('%s %s', x.name, x.edges) ORDER BY x.edges DESC, x.name)
		FROM (SELECT t.name, count(*) AS edges FROM kg_api.edges e JOIN kg_api.relationship_types t ON t.id = e.type GROUP BY t.name) x WHERE $1 = ''`, "")
	n := stats.Nodes
	nodes := g.texts(t, `SELECT ARRAY[(SELECT count(*) FROM kg_api.concepts), (SELECT count(*) FROM kg_api.instances), (SELECT count(*) FROM kg_api.sources),
		(SELECT count(*) FROM kg_api.documents)]::text[] WHERE $1 = ''`, "")
	if got := []string{fmt.Sprint(n.Concepts), fmt.Sprint(n.Instances), fmt.Sprint(n.Sources), fmt.Sprint(n.Documents)}; !slices.Equal(types, want) || !slices.Equal(got, nodes) {
		t.Errorf("after %s: %v and %v, the tables say %v and %v", after, types, got, want, nodes)
	}
}

func (g *randomGraph) texts(t *testing.T, sql string, args ...any) (texts []string) {
	t.Helper()
	if err := g.pool.QueryRow(t.Context(), sql, args...).Scan(&texts); err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestKeptIsComputedOnce has many ask at once for what nobody has computed yet.
func TestKeptIsComputedOnce(t *testing.T) {
	d := newDB(t)
	kept := newKept[int]()
	var mu sync.Mutex
	computed := 0
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			err := d.Graph().View(t.Context(), func(s *GraphSnapshot) error {
				_, err := kept.at(t.Context(), s, func(*int, graphTouch) (int, error) {
					mu.Lock()
					defer mu.Unlock()
					computed++
					return computed, nil
				})
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if computed != 1 {
		t.Errorf("computed %d times", computed)
	}
}

// TestRerank compares a ranking that follows changes with one that is made anew.
func TestRerank(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		ranks := map[int32]conceptRank{}
		draw := func(c int32) conceptRank {
			return conceptRank{concept: c, sources: random.Int32N(4), quotes: random.Int32N(4)}
		}
		for c := range random.Int32N(20) {
			ranks[c] = draw(c)
		}
		before := sortedRanks(ranks)
		var touched []int32
		var changed []conceptRank
		for range random.IntN(8) {
			c := random.Int32N(25)
			if slices.Contains(touched, c) {
				continue
			}
			touched = append(touched, c)
			delete(ranks, c)
			if random.IntN(3) > 0 {
				ranks[c] = draw(c)
				changed = append(changed, ranks[c])
			}
		}
		if got, want := rerank(before, touched, changed), sortedRanks(ranks); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func sortedRanks(ranks map[int32]conceptRank) []conceptRank {
	list := make([]conceptRank, 0, len(ranks))
	for _, r := range ranks {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b conceptRank) int {
		return cmp.Or(cmp.Compare(b.sources, a.sources), cmp.Compare(b.quotes, a.quotes), cmp.Compare(a.concept, b.concept))
	})
	return list
}
