package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/storage"
)

// curated is a graph that is curated by hand, and what its tests ask of it.
type curated struct {
	*postgres.DB
	t    *testing.T
	conn *pgx.Conn
	docs int

	matcher knowledge.Matcher
}

func newCurated(t *testing.T) *curated {
	t.Helper()
	s, dsn := newStore(t)
	register(t, s, workerA)
	return &curated{DB: s, t: t, conn: connect(t, dsn), matcher: byLabel{}}
}

// anew empties the graph for the next subtest, which takes less than another database.
func (g *curated) anew(t *testing.T) *curated {
	t.Helper()
	emptyGraph(t, g.DB, g.conn)
	run(t, g.conn, `TRUNCATE kg_api.concept_merges, kg_api.vocabulary_merges, kg_api.concept_blocks CASCADE; UPDATE kg_api.embedding_space SET model = NULL, dimensions = NULL`)
	return &curated{DB: g.DB, t: t, conn: g.conn, matcher: byLabel{}}
}

// said is a relationship that a chunk states.
type said struct {
	from, kind, to string
	confidence     float64
}

// document ingests a document of one chunk into an ontology, which names the concepts of
// the relationships and states these, each in a sentence.
func (g *curated) document(ontology string, states ...said) drawnDocument {
	g.t.Helper()
	g.docs++
	text := fmt.Sprintf("Document %d.", g.docs)
	for _, s := range states {
		text += " " + s.from + " " + s.kind + " " + s.to + "."
	}
	d := drawnDocument{body: []byte(text), ontology: ontology}
	c := chunkGraph(1)
	c.Document.ID, c.Document.Ontology = corpus.ContentHash(d.body), ontology
	c.Chunk.Text, c.Chunk.Bytes = text, corpus.Span{End: len(text)}
	c.Chunk.StartChar, c.Chunk.EndChar = 0, len(text)
	named := map[string]bool{}
	for _, s := range states {
		for _, label := range []string{s.from, s.to} {
			if named[label] {
				continue
			}
			named[label] = true
			c.Drafts = append(c.Drafts, knowledge.ConceptDraft{ExtractedConcept: knowledge.ExtractedConcept{Key: label, Label: label}, Embedding: vector(label)})
			c.Instances = append(c.Instances, knowledge.ExtractedInstance{Concept: label, Quote: label, Span: spanOf(text, label)})
		}
		quote := s.from + " " + s.kind + " " + s.to
		c.Relationships = append(c.Relationships, knowledge.ExtractedRelationship{
			From: s.from, To: s.to, Type: s.kind, Direction: knowledge.Outward, Confidence: s.confidence, Quote: quote, Span: spanOf(text, quote),
			Marks: knowledge.Marks{From: knowledge.Mark{Kind: knowledge.MarkName, Span: corpus.Span{End: 1}}, To: knowledge.Mark{Kind: knowledge.MarkReference, Span: corpus.Span{Start: 1, End: 2}}},
		})
	}
	d.chunks = []knowledge.ChunkGraph{c}
	ingestMatched(g.t, g.DB, g.conn, d, g.matcher)
	return d
}

func spanOf(text, part string) corpus.Span {
	at := strings.Index(text, part)
	return corpus.Span{Start: at, End: at + len(part)}
}

// id returns the id of the newest concept with a label.
func (g *curated) id(label string) (id string) {
	g.t.Helper()
	must(g.t, g.conn.QueryRow(g.t.Context(), `SELECT concept_id FROM kg_api.concepts WHERE label = $1 ORDER BY id DESC LIMIT 1`, label).Scan(&id))
	return id
}

func (g *curated) merge(keep, merge string) int {
	g.t.Helper()
	m, err := g.Notes().MergeConcepts(g.t.Context(), knowledge.NewConceptMerge{Keep: g.id(keep), Merge: g.id(merge), By: "test"})
	must(g.t, err)
	return m.ID
}

func (g *curated) unmerge(id int) {
	g.t.Helper()
	_, err := g.Notes().UnmergeConcepts(g.t.Context(), id, false, "test")
	must(g.t, err)
}

func (g *curated) mergeTypes(source, target string) int {
	g.t.Helper()
	m, err := g.Vocabulary().MergeTypes(g.t.Context(), vocabulary.NewMerge{Source: source, Target: target, By: "test"}, nil, nil)
	must(g.t, err)
	return m.ID
}

func (g *curated) unmergeTypes(id int) {
	g.t.Helper()
	_, err := g.Vocabulary().UndoMerge(g.t.Context(), id)
	must(g.t, err)
}

func (g *curated) split(label string, labels ...string) error {
	_, err := g.Notes().SplitConcept(g.t.Context(), knowledge.NewConceptSplit{ConceptID: g.id(label), Labels: labels, By: "test"}, "test", embedVector)
	return err
}

func embedVector(_ context.Context, text string) (models.Embedding, error) { return vector(text), nil }

// edges are the relationships by the labels of their ends, with how much shows them.
func (g *curated) edges() []string {
	g.t.Helper()
	return lines(g.t, g.conn, `SELECT line FROM (SELECT format('%s %s %s %s, %s shown', a.label, t.name, b.label, e.confidence,
			(SELECT count(*) FROM kg_api.edge_evidence v WHERE (v.src, v.dst, v.type) = (e.src, e.dst, e.type))) AS line
		FROM kg_api.edges e JOIN kg_api.concepts a ON a.id = e.src JOIN kg_api.concepts b ON b.id = e.dst JOIN kg_api.relationship_types t ON t.id = e.type) l
		ORDER BY line COLLATE "C"`)
}

func (g *curated) wantEdges(after string, want ...string) {
	g.t.Helper()
	if got := g.edges(); !slices.Equal(got, want) {
		g.t.Errorf("after %s the relationships are\n%q\nwant\n%q", after, got, want)
	}
}

// TestTypesThatWereMergedSince: what is undone, parted or restored after a merge of types
// is of the type that they have become.
func TestTypesThatWereMergedSince(t *testing.T) {
	one := newCurated(t)
	t.Run("unmerge", func(t *testing.T) {
		g := one.anew(t)
		g.document("o", said{"lease", "FENCES", "worker", 0.5}, said{"lease", "GUARDS", "worker", 0.75}, said{"token", "GUARDS", "lane", 1})
		id := g.merge("token", "lease")
		g.mergeTypes("FENCES", "GUARDS")
		g.unmerge(id)
		g.wantEdges("unmerge", "lease GUARDS worker 0.75, 1 shown", "token GUARDS lane 1, 1 shown")
	})
	t.Run("split", func(t *testing.T) {
		g := one.anew(t)
		g.document("o", said{"token", "GUARDS", "lane", 1})
		g.document("p", said{"lease", "FENCES", "worker", 0.5})
		g.merge("token", "lease")
		g.mergeTypes("FENCES", "GUARDS")
		must(t, g.split("token", "lease"))
		g.wantEdges("split", "lease GUARDS worker 0.5, 1 shown", "token GUARDS lane 1, 1 shown")
	})
	t.Run("restore", func(t *testing.T) {
		g := one.anew(t)
		g.document("o", said{"lease", "FENCES", "worker", 0.5}, said{"lease", "GUARDS", "worker", 0.25})
		a := backUp(t, g.DB, "")
		g.mergeTypes("FENCES", "GUARDS")
		for _, mode := range []string{storage.RestoreMerge, storage.RestoreMerge} {
			_, err := g.Backups().Restore(t.Context(), restoreClaim(t, g.DB), a.restoring(mode))
			must(t, err)
			g.wantEdges("a restore", "lease GUARDS worker 0.5, 1 shown")
		}
	})
	t.Run("undoing the merge of types after a split", func(t *testing.T) {
		g := one.anew(t)
		g.document("o", said{"token", "GUARDS", "lane", 1})
		g.document("p", said{"lease", "FENCES", "worker", 0.5})
		g.merge("token", "lease")
		id := g.mergeTypes("FENCES", "GUARDS")
		must(t, g.split("token", "lease"))
		g.unmergeTypes(id)
		g.wantEdges("the undo", "lease GUARDS worker 0.5, 1 shown", "token GUARDS lane 1, 1 shown")
	})
	t.Run("the old name of a type finds a relationship", func(t *testing.T) {
		g := one.anew(t)
		g.document("o", said{"lease", "FENCES", "worker", 0.5})
		g.mergeTypes("FENCES", "PART_OF")
		_, err := g.Notes().EditEdge(t.Context(), knowledge.WrittenEdge{FromID: g.id("lease"), ToID: g.id("worker"), Type: "FENCES", Confidence: 1})
		must(t, err)
		g.wantEdges("an edit", "lease PART_OF worker 1, 1 shown")
	})
}

// TestWhatIsGoneStaysGone: undoing a merge does not bring back a relationship that somebody
// has deleted since.
func TestWhatIsGoneStaysGone(t *testing.T) {
	t.Parallel()
	one := newCurated(t)
	for name, c := range map[string]struct{ merge func(g *curated) func() }{
		"a merge of concepts": {func(g *curated) func() { id := g.merge("token", "lease"); return func() { g.unmerge(id) } }},
		"a merge of types":    {func(g *curated) func() { id := g.mergeTypes("FENCES", "GUARDS"); return func() { g.unmergeTypes(id) } }},
	} {
		t.Run(name, func(t *testing.T) {
			g := one.anew(t)
			g.document("o", said{"lease", "FENCES", "worker", 0.5}, said{"token", "GUARDS", "lane", 1})
			undo := c.merge(g)
			for _, e := range []knowledge.WrittenEdge{{FromID: "token", Type: "FENCES"}, {FromID: "lease", Type: "GUARDS"}} {
				var n int
				must(t, g.conn.QueryRow(t.Context(), `SELECT count(*) FROM kg_api.concepts WHERE label = $1`, e.FromID).Scan(&n))
				if n == 0 {
					continue
				}
				_, err := g.Notes().RemoveEdge(t.Context(), knowledge.WrittenEdge{FromID: g.id(e.FromID), ToID: g.id("worker"), Type: e.Type}, false)
				if err != nil && kappa.ErrorCode(err) != kappa.CodeNotFound {
					t.Fatal(err)
				}
			}
			undo()
			g.wantEdges("the undo", "token GUARDS lane 1, 1 shown")
		})
	}
}

// outOfOrder counts the relationships that read the same in both directions and are stored
// the other way round.
const outOfOrder = `SELECT count(*) FROM kg_api.edges e JOIN kg_api.relationship_types t ON t.id = e.type WHERE t.name = 'RELATED_TO' AND e.src > e.dst`

// TestSymmetricEnds: whoever stores it, two concepts have one relationship of a type that
// reads the same in both directions, and its evidence is in one place.
func TestSymmetricEnds(t *testing.T) {
	one := newCurated(t)
	check := func(g *curated, after string, want ...string) {
		g.t.Helper()
		var n int
		must(g.t, g.conn.QueryRow(g.t.Context(), outOfOrder).Scan(&n))
		if n != 0 {
			g.t.Errorf("after %s %d relationships are the other way round", after, n)
		}
		g.wantEdges(after, want...)
	}
	t.Run("merge of concepts, and its undo", func(t *testing.T) {
		g := one.anew(t)
		g.document("o", said{"alpha", "RELATED_TO", "beta", 0.5}, said{"beta", "RELATED_TO", "gamma", 0.75})
		was := content(t, g.conn)
		id := g.merge("gamma", "alpha") // alpha comes before beta, gamma after it
		check(g, "a merge", "beta RELATED_TO gamma 0.75, 1 shown")
		g.unmerge(id)
		if is := content(t, g.conn); is != was {
			t.Errorf("the undo leaves\n%s\nwant\n%s", differing(is, was), differing(was, is))
		}
	})
	t.Run("merge of types, and its undo", func(t *testing.T) {
		g := one.anew(t)
		g.document("o", said{"alpha", "SEEN_WITH", "beta", 0.5}, said{"beta", "SEEN_WITH", "alpha", 0.75})
		g.document("o", said{"alpha", "RELATED_TO", "beta", 0.25})
		was := content(t, g.conn)
		id := g.mergeTypes("SEEN_WITH", "RELATED_TO")
		check(g, "a merge", "alpha RELATED_TO beta 0.75, 2 shown")
		third := g.document("o", said{"beta", "SEEN_WITH", "alpha", 1})
		check(g, "a chunk", "alpha RELATED_TO beta 1, 3 shown")
		remove(t, g.DB, corpus.Removal{DocumentID: corpus.ContentHash(third.body), Ontology: "o"})
		g.unmergeTypes(id)
		if is := content(t, g.conn); is != was {
			t.Errorf("the undo leaves\n%s\nwant\n%s", differing(is, was), differing(was, is))
		}
	})
	t.Run("split", func(t *testing.T) {
		g := one.anew(t)
		g.document("o", said{"alpha", "RELATED_TO", "beta", 0.5})
		g.document("o", said{"gamma", "RELATED_TO", "beta", 0.75})
		g.merge("alpha", "gamma")
		must(t, g.split("alpha", "gamma"))
		check(g, "a split", "alpha RELATED_TO beta 0.5, 1 shown", "beta RELATED_TO gamma 0.75, 1 shown")
	})
	t.Run("a relationship by hand, by either end", func(t *testing.T) {
		g := one.anew(t)
		g.document("o", said{"alpha", "PART_OF", "beta", 0.5})
		note := knowledge.Note{Ontology: "o", UserID: access.SystemUserID, Provenance: "human", Edges: []knowledge.NewEdge{{Type: "RELATED_TO"}}}
		n := knowledge.NoteGraph{Note: note, Known: map[string]string{"a": g.id("alpha"), "b": g.id("beta")}, Body: []byte("a note")}
		n.Graph = chunkGraph(1)
		n.Graph.Document.ID = corpus.ContentHash(n.Body)
		n.Graph.Relationships = []knowledge.ExtractedRelationship{{From: "b", To: "a", Type: "RELATED_TO", Direction: knowledge.Outward, Confidence: 0.5, Quote: "b RELATED_TO a"}}
		_, err := g.Notes().WriteNote(t.Context(), n, byLabel{}, func() error { return nil })
		must(t, err)
		e := knowledge.WrittenEdge{FromID: g.id("beta"), ToID: g.id("alpha"), Type: "RELATED_TO", Confidence: 0.75}
		_, err = g.Notes().EditEdge(t.Context(), e)
		must(t, err)
		check(g, "an edit", "alpha PART_OF beta 0.5, 1 shown", "alpha RELATED_TO beta 0.75, 1 shown")
		_, err = g.Notes().RemoveEdge(t.Context(), e, false)
		must(t, err)
	})
	t.Run("restore where the concepts have other numbers", func(t *testing.T) {
		g, other := one.anew(t), newCurated(t)
		g.document("o", said{"alpha", "RELATED_TO", "beta", 0.5})
		a := backUp(t, g.DB, "")
		at := slices.IndexFunc(a.rows, func(r storage.BackupRow) bool { return r.Table == "concepts" })
		a.rows[at], a.rows[at+1] = a.rows[at+1], a.rows[at]
		_, err := other.Backups().Restore(t.Context(), restoreClaim(t, other.DB), a.restoring(storage.RestoreMerge))
		must(t, err)
		check(other, "a restore", "beta RELATED_TO alpha 0.5, 1 shown")
		if marks := lines(t, other.conn, `SELECT from_kind || ' ' || to_kind FROM kg_api.edge_evidence`); marks[0] != "reference name" {
			t.Errorf("the marks are %q: they belong to the ends", marks)
		}
	})
	t.Run("nothing else is taken", func(t *testing.T) {
		g := one.anew(t)
		g.document("o", said{"alpha", "RELATED_TO", "beta", 0.5})
		for _, sql := range []string{
			`INSERT INTO kg_api.edges (src, dst, type, confidence) SELECT dst, src, type, 1 FROM kg_api.edges`,
			`UPDATE kg_api.edges SET src = dst, dst = src`,
		} {
			if _, err := g.conn.Exec(t.Context(), sql); err == nil {
				t.Errorf("%s was taken", sql)
			}
		}
	})
	t.Run("the program and the database know the same types", func(t *testing.T) {
		g := one.anew(t)
		for _, name := range lines(t, g.conn, `SELECT name FROM kg_api.relationship_types WHERE is_symmetric`) {
			if !vocabulary.SymmetricType(name) {
				t.Errorf("%s is symmetric to the database", name)
			}
		}
		for _, b := range vocabulary.BuiltinTypes() {
			var is bool
			must(t, g.conn.QueryRow(t.Context(), `SELECT is_symmetric FROM kg_api.relationship_types WHERE name = $1`, b.Name).Scan(&is))
			if is != vocabulary.SymmetricType(b.Name) {
				t.Errorf("%s: the database says %v", b.Name, is)
			}
		}
	})
}

// TestConfidenceIsThatOfTheBestEvidence: of two pieces of evidence in one chunk the surer
// stays when two relationships become one, and the other comes back.
func TestConfidenceIsThatOfTheBestEvidence(t *testing.T) {
	t.Parallel()
	one := newCurated(t)
	for name, sure := range map[string][2]float64{"what is merged is surer": {0.5, 0.75}, "what stays is surer": {0.75, 0.5}} {
		t.Run(name+", concepts", func(t *testing.T) {
			g := one.anew(t)
			g.document("o", said{"token", "GUARDS", "worker", sure[0]}, said{"lease", "GUARDS", "worker", sure[1]})
			was := content(t, g.conn)
			id := g.merge("token", "lease")
			g.wantEdges("a merge", "token GUARDS worker 0.75, 1 shown")
			wantSettled(t, g.conn)
			g.unmerge(id)
			if is := content(t, g.conn); is != was {
				t.Errorf("the undo leaves\n%s\nwant\n%s", differing(is, was), differing(was, is))
			}
		})
		t.Run(name+", types", func(t *testing.T) {
			g := one.anew(t)
			g.document("o", said{"token", "GUARDS", "worker", sure[0]}, said{"token", "FENCES", "worker", sure[1]})
			was := content(t, g.conn)
			id := g.mergeTypes("FENCES", "GUARDS")
			g.wantEdges("a merge", "token GUARDS worker 0.75, 1 shown")
			wantSettled(t, g.conn)
			g.unmergeTypes(id)
			if is := content(t, g.conn); is != was {
				t.Errorf("the undo leaves\n%s\nwant\n%s", differing(is, was), differing(was, is))
			}
		})
	}
	t.Run("a chunk that is read again, surer", func(t *testing.T) {
		g := one.anew(t)
		c := ingestion(t, g.DB, workerA, false)
		for _, confidence := range []float64{0.5, 0.75, 0.25} {
			chunk := chunkGraph(1, "lease", "worker")
			chunk.Relationships[0].Confidence = confidence
			_, err := g.Documents().WriteChunk(t.Context(), c, chunk, byLabel{}, noCheckpoint)
			must(t, err)
		}
		g.wantEdges("three readings", "lease PART_OF worker 0.75, 1 shown")
		wantSettled(t, g.conn)
	})
	t.Run("a restore of what is less sure", func(t *testing.T) {
		g := one.anew(t)
		g.document("o", said{"token", "GUARDS", "worker", 0.75})
		a := backUp(t, g.DB, "")
		_, err := g.Notes().EditEdge(t.Context(), knowledge.WrittenEdge{FromID: g.id("token"), ToID: g.id("worker"), Type: "GUARDS", Confidence: 0.5})
		must(t, err)
		_, err = g.Backups().Restore(t.Context(), restoreClaim(t, g.DB), a.restoring(storage.RestoreMerge))
		must(t, err)
		wantSettled(t, g.conn)
	})
}

// wantSettled checks that each relationship is as sure as the best that shows it.
func wantSettled(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	if wrong := lines(t, conn, `SELECT format('%s, and the best of its evidence has %s', e.confidence, b.best) FROM kg_api.edges e
		CROSS JOIN LATERAL (SELECT max(v.confidence) AS best FROM kg_api.edge_evidence v WHERE (v.src, v.dst, v.type) = (e.src, e.dst, e.type)) b
		WHERE e.confidence IS DISTINCT FROM b.best`); len(wrong) > 0 {
		t.Errorf("relationships have a confidence of %q", wrong)
	}
}

// TestRestoredConceptKeepsItsLabel: who edits the concept that stayed has not spoken of the
// one that comes back.
func TestRestoredConceptKeepsItsLabel(t *testing.T) {
	g := newCurated(t)
	first := g.document("o", said{"lease", "GUARDS", "worker", 0.5})
	g.document("o", said{"lease", "GUARDS", "lane", 0.5})
	g.document("o", said{"token", "GUARDS", "lane", 0.5})
	id := g.merge("token", "lease")
	was, err := g.Notes().WrittenConcept(t.Context(), g.id("token"))
	must(t, err)
	_, err = g.Notes().EditConcept(t.Context(), g.id("token"), was.Content(), knowledge.ExtractedConcept{Label: "fence"}, "test", vector("fence"))
	must(t, err)
	g.unmerge(id)
	remove(t, g.DB, corpus.Removal{DocumentID: corpus.ContentHash(first.body), Ontology: "o"}) // makes its concepts anew
	if got := lines(t, g.conn, `SELECT label FROM kg_api.concepts ORDER BY label`); !slices.Equal(got, []string{"fence", "lane", "lease"}) {
		t.Errorf("the concepts are %q", got)
	}
}

// TestUnmergeAfterRestore: a restore brought back what a merge had taken, with one of the
// documents that show it.
func TestUnmergeAfterRestore(t *testing.T) {
	t.Parallel()
	g := newCurated(t)
	g.matcher = byOwnName{}
	gone := g.document("o", said{"token", "GUARDS", "lane", 0.5})
	g.document("o", said{"worker", "GUARDS", "lane", 0.5})
	made := backUp(t, g.DB, "")
	id := g.merge("token", "lane")
	remove(t, g.DB, corpus.Removal{DocumentID: corpus.ContentHash(gone.body)})
	_, err := g.Backups().Restore(t.Context(), restoreClaim(t, g.DB), made.restoring(storage.RestoreMerge))
	must(t, err)
	before := g.edges()
	if _, err = g.Notes().UnmergeConcepts(t.Context(), id, false, "test"); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("the undo gives %v", err)
	}
	g.wantEdges("an undo that is refused", before...)
}

// TestUnmergeAfterSplit: what was split off since stays where it is, and each of the three
// has a quote.
func TestUnmergeAfterSplit(t *testing.T) {
	one := newCurated(t)
	for name, kept := range map[string]bool{"the other one has something left": true, "nothing is left to give back": false} {
		t.Run(name, func(t *testing.T) {
			g := one.anew(t)
			g.document("o", said{"token", "GUARDS", "lane", 0.5})
			g.document("o", said{"lease", "GUARDS", "worker", 0.5})
			if kept {
				d := g.document("o", said{"lease", "GUARDS", "worker", 0.75})
				run(t, g.conn, `UPDATE kg_api.mentions m SET label = 'the lease' FROM kg_api.sources s JOIN kg_api.documents d ON d.id = s.document
					WHERE s.id = m.source AND m.label = 'lease' AND d.document_id = '`+corpus.ContentHash(d.body)+`'`)
			}
			id := g.merge("token", "lease")
			must(t, g.split("token", "lease"))
			_, err := g.Notes().UnmergeConcepts(t.Context(), id, false, "test")
			if want := map[bool]kappa.Code{true: "", false: kappa.CodeConflict}[kept]; kappa.ErrorCode(err) != want {
				t.Errorf("the undo gives %v", err)
			}
			if bare := lines(t, g.conn, `SELECT label FROM kg_api.concepts c WHERE NOT EXISTS (SELECT FROM kg_api.instances i WHERE i.concept = c.id)`); len(bare) > 0 {
				t.Errorf("no quote shows %q", bare)
			}
		})
	}
}
