package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/storage"
)

// TestCurationStaysSound curates graphs in random orders: after each act every rule of the
// graph holds, whether the act was taken or refused.
func TestCurationStaysSound(t *testing.T) {
	t.Parallel()
	checkCuration(t, 2, 14)
}

func TestCurationStaysSound_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	checkCuration(t, 30, 40)
}

func checkCuration(t *testing.T, rounds, acts int) {
	t.Helper()
	g := newCurated(t)
	for range rounds {
		seed := rand.IntN(1 << 30)
		drawn := rapid.Custom(func(r *rapid.T) []drawnAct {
			return rapid.SliceOfN(rapid.Custom(drawAct), acts, acts).Draw(r, "acts")
		}).Example(seed)
		g := g.anew(t)
		g.matcher = byOwnName{}
		c := &curating{curated: g}
		for i, a := range drawn {
			what := fmt.Sprintf("act %d of seed %d: %s", i, seed, acted[a.kind%len(acted)].name)
			err := acted[a.kind%len(acted)].do(c, a)
			if code := kappa.ErrorCode(err); err != nil && code == kappa.CodeInternal {
				t.Fatalf("%s: %v", what, err)
			}
			g.sound(what)
		}
	}
}

// drawnAct is an act with numbers by which it chooses what it is about.
type drawnAct struct{ kind, a, b, c int }

func drawAct(r *rapid.T) drawnAct {
	n := rapid.IntRange(0, 1000)
	return drawnAct{n.Draw(r, "kind"), n.Draw(r, "a"), n.Draw(r, "b"), n.Draw(r, "c")}
}

// curating is a graph, and what was done with it.
type curating struct {
	*curated
	documents []drawnDocument
	merges    []int
	types     []int
	archive   *archive
}

var (
	curatedThings = []string{"lease", "token", "worker", "lane", "fence"}
	curatedKinds  = []string{"GUARDS", "FENCES", "SEEN_WITH", "RELATED_TO", "PART_OF"}
)

// pick returns one of a list, and false when it is empty.
func pick[T any](list []T, n int) (one T, ok bool) {
	if len(list) == 0 {
		return one, false
	}
	return list[n%len(list)], true
}

// concept returns the id of a concept of the graph.
func (c *curating) concept(n int) string {
	id, _ := pick(lines(c.t, c.conn, `SELECT concept_id FROM kg_api.concepts ORDER BY id`), n)
	return id
}

// edge returns a relationship of the graph.
func (c *curating) edge(n int) (e knowledge.WrittenEdge) {
	rows, err := c.conn.Query(c.t.Context(), `SELECT a.concept_id, b.concept_id, t.name FROM kg_api.edges e JOIN kg_api.concepts a ON a.id = e.src
		JOIN kg_api.concepts b ON b.id = e.dst JOIN kg_api.relationship_types t ON t.id = e.type ORDER BY 1, 2, 3 OFFSET $1 LIMIT 1`, n%5)
	must(c.t, err)
	defer rows.Close()
	for rows.Next() {
		must(c.t, rows.Scan(&e.FromID, &e.ToID, &e.Type))
	}
	return e
}

// acted are the acts, the ones that add first: a graph grows before it is taken apart.
var acted = []struct {
	name string
	do   func(c *curating, a drawnAct) error
}{
	{"ingest", ingestAct},
	{"ingest", ingestAct},
	{"ingest", ingestAct},
	{"merge concepts", func(c *curating, a drawnAct) error {
		keep, merge := c.concept(a.a), c.concept(a.b)
		if keep == merge {
			return nil
		}
		m, err := c.Notes().MergeConcepts(c.t.Context(), knowledge.NewConceptMerge{Keep: keep, Merge: merge, By: "test"})
		if err == nil {
			c.merges = append(c.merges, m.ID)
		}
		return err
	}},
	{"unmerge", func(c *curating, a drawnAct) error {
		id, _ := pick(c.merges, a.a)
		_, err := c.Notes().UnmergeConcepts(c.t.Context(), id, a.b%3 == 0, "test")
		return err
	}},
	{"split", func(c *curating, a drawnAct) error {
		label, _ := pick(lines(c.t, c.conn, `SELECT DISTINCT label FROM kg_api.mentions ORDER BY label`), a.b)
		_, err := c.Notes().SplitConcept(c.t.Context(), knowledge.NewConceptSplit{ConceptID: c.concept(a.a), Labels: []string{label}, By: "test"}, "test", embedVector)
		return err
	}},
	{"merge types", func(c *curating, a drawnAct) error {
		source, _ := pick(curatedKinds, a.a)
		target, _ := pick(curatedKinds, a.b)
		m, err := c.Vocabulary().MergeTypes(c.t.Context(), vocabulary.NewMerge{Source: source, Target: target, By: "test"}, nil, nil)
		if err == nil {
			c.types = append(c.types, m.ID)
		}
		return err
	}},
	{"undo a merge of types", func(c *curating, a drawnAct) error {
		id, _ := pick(c.types, a.a)
		_, err := c.Vocabulary().UndoMerge(c.t.Context(), id)
		return err
	}},
	{"delete a document", func(c *curating, a drawnAct) error {
		d, ok := pick(c.documents, a.a)
		var n int
		must(c.t, c.conn.QueryRow(c.t.Context(), `SELECT count(*) FROM kg_api.documents WHERE document_id = $1`, corpus.ContentHash(d.body)).Scan(&n))
		if ok && n > 0 {
			remove(c.t, c.DB, corpus.Removal{DocumentID: corpus.ContentHash(d.body)})
		}
		return nil
	}},
	{"delete a concept", func(c *curating, a drawnAct) error {
		_, err := c.Notes().RemoveConcept(c.t.Context(), c.concept(a.a), false)
		return err
	}},
	{"delete a relationship", func(c *curating, a drawnAct) error {
		_, err := c.Notes().RemoveEdge(c.t.Context(), c.edge(a.a), false)
		return err
	}},
	{"edit a concept", func(c *curating, a drawnAct) error {
		was, err := c.Notes().WrittenConcept(c.t.Context(), c.concept(a.a))
		if err != nil {
			return err
		}
		is := knowledge.ExtractedConcept{Label: fmt.Sprintf("%s %d", curatedThings[a.b%len(curatedThings)], a.c%3), Description: was.Label}
		_, err = c.Notes().EditConcept(c.t.Context(), was.ConceptID, was.Content(), is, "test", vector(is.EmbeddingText()))
		return err
	}},
	{"edit a relationship", func(c *curating, a drawnAct) error {
		e := c.edge(a.a)
		e.Confidence = float64(a.b%5) / 4
		_, err := c.Notes().EditEdge(c.t.Context(), e)
		return err
	}},
	{"back up", func(c *curating, _ drawnAct) error {
		made := backUp(c.t, c.DB, "")
		c.archive = &made
		return nil
	}},
	{"restore", func(c *curating, a drawnAct) error {
		if c.archive == nil {
			return nil
		}
		mode := []string{storage.RestoreMerge, storage.RestoreReplace}[a.a%2]
		claim := restoreClaim(c.t, c.DB)
		_, err := c.Backups().Restore(c.t.Context(), claim, c.archive.restoring(mode))
		run(c.t, c.conn, `UPDATE kg_api.jobs SET status = 'completed', completed_at = now() WHERE job_id = '`+claim.JobID+`'`)
		return err
	}},
	{"re-embed", func(c *curating, _ drawnAct) error {
		e := c.Embeddings()
		for _, model := range []string{"other", "test"} { // and back: what is drawn is of that one
			must(c.t, e.ChangeSpace(c.t.Context(), model))
			batch, _, err := e.Outdated(c.t.Context(), model, 1000)
			must(c.t, err)
			var embeddings []models.Embedding
			for _, b := range batch {
				embeddings = append(embeddings, vector(b.Text))
			}
			must(c.t, e.Replace(c.t.Context(), model, batch, embeddings))
			must(c.t, e.FinishSpace(c.t.Context(), model))
			c.sound("re-embedding with " + model)
		}
		return nil
	}},
}

func ingestAct(c *curating, a drawnAct) error {
	if d, ok := pick(c.documents, a.c); ok && a.b%4 == 0 { // the same one again
		ingestMatched(c.t, c.DB, c.conn, d, c.matcher)
		return nil
	}
	thing := func(n int) string { return curatedThings[n%len(curatedThings)] }
	kind := func(n int) string { return curatedKinds[n%len(curatedKinds)] }
	var states []said
	for i := range 1 + a.a%3 {
		from, to := thing(a.a+i*a.b), thing(a.a+i*a.b+1+a.c%4)
		states = append(states, said{from, kind(a.b + i*a.c), to, float64(1+(a.a+i)%4) / 4})
	}
	ontology := []string{"o", "p"}[a.c%2]
	c.documents = append(c.documents, c.document(ontology, states...))
	return nil
}
