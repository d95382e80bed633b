package graph_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

const (
	analysesAtOnce = 24
	ownTurns       = 8 // analyses that run at once on the default pool

	defaultConnections = 20 // of a server that nobody has set, see KG_POOL_GRAPH
)

// slowly marks the context of an analysis whose view lasts until it is let go.
type slowly struct{}

// TestAnalysesLeaveThePool asks 24 slow analyses at once on a real database with the default
// pools. Eight of them hold a connection each; people search and write meanwhile, and none of
// them waits for a connection.
func TestAnalysesLeaveThePool(t *testing.T) {
	g := newRealGraphOn(t, postgres.Config{}, graph.Config{Connections: defaultConnections})
	g.addConcepts(t, strings.Fields("reading listening writing hearing speaking"))
	g.exec(t, `SELECT setval(pg_get_serial_sequence('kg_api.concepts', 'id'), 100)`)
	openAll(t, g.db)
	held, letGo := make(chan struct{}, 3*analysesAtOnce), make(chan struct{})
	asked := graph.New(graph.Config{Connections: defaultConnections, Embedder: spelling{}, View: func(ctx context.Context, read func(s graph.Snapshot) error) error {
		return g.db.Graph().View(ctx, func(s *postgres.GraphSnapshot) error {
			if ctx.Value(slowly{}) != nil {
				select {
				case <-letGo: // it has been held before
				default:
					held <- struct{}{}
					<-letGo
				}
			}
			return read(s)
		})
	}})
	var analyses sync.WaitGroup
	for range analysesAtOnce {
		q := questions.NewPolarityQuery("c_1", "c_2")
		q.TimeoutSeconds = 300
		analyses.Go(func() {
			if _, err := asked.Polarity(context.WithValue(t.Context(), slowly{}, true), q, func(work.Progress) error { return nil }); err != nil {
				t.Errorf("an analysis: %v", err)
			}
		})
	}
	for range ownTurns {
		<-held
	}
	before := graphPool(t, g.db)
	var people sync.WaitGroup
	for i := range 5 { // as many at once as have room beside the analyses
		people.Go(func() {
			for n := range 10 {
				if _, err := asked.Search(t.Context(), questions.SearchQuery{Query: "reading", Limit: 5, MinSimilarity: new(0.5)}); err != nil {
					t.Errorf("a search: %v", err)
				}
				if n < 4 {
					if _, err := g.db.Notes().WriteNote(t.Context(), note(t, i, n), nobody{}, func() error { return nil }); err != nil {
						t.Errorf("a write: %v", err)
					}
				}
			}
		})
	}
	people.Wait()
	after := graphPool(t, g.db)
	if after.Waits-before.Waits != 0 || after.GivenUp != 0 || before.Acquired != ownTurns || len(held) != 0 {
		t.Errorf("%d analyses held a connection, %d more began; people waited %d times for a connection, and gave up %d times", before.Acquired, len(held), after.Waits-before.Waits, after.GivenUp)
	}
	close(letGo)
	analyses.Wait()
}

// graphPool is how busy the connections are that search and write the graph.
func graphPool(t *testing.T, db *postgres.DB) work.PoolFigures {
	t.Helper()
	for _, p := range db.PoolFigures() {
		if p.Name == "graph" {
			if p.Max != defaultConnections {
				t.Fatalf("the pool has %d connections, want the default of %d", p.Max, defaultConnections)
			}
			return p
		}
	}
	t.Fatal("there is no pool of the graph")
	return work.PoolFigures{}
}

// openAll has the pool open all its connections.
func openAll(t *testing.T, db *postgres.DB) {
	t.Helper()
	var open, views sync.WaitGroup
	open.Add(defaultConnections)
	for range defaultConnections {
		views.Go(func() {
			if err := db.Graph().View(t.Context(), func(*postgres.GraphSnapshot) error {
				open.Done()
				open.Wait()
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	views.Wait()
}

// note is what a person writes: a text of one concept.
func note(t *testing.T, person, n int) knowledge.NoteGraph {
	label := fmt.Sprintf("note %d of %d", n, person)
	embeddings, err := spelling{}.Embed(t.Context(), []string{label})
	if err != nil {
		t.Error(err)
	}
	out := knowledge.NoteGraph{Note: knowledge.Note{Ontology: "odd", UserID: access.SystemUserID, Provenance: knowledge.CreatedByHuman}, Body: []byte(label)}
	span := corpus.Span{End: len(label)}
	out.Graph = knowledge.ChunkGraph{
		Document:  corpus.Document{ID: corpus.ContentHash(out.Body), Ontology: "odd", Filename: "note", ContentType: corpus.ContentPlain},
		Chunk:     corpus.Chunk{Number: 1, Text: label, Bytes: span, EndChar: span.End, Words: 4, Boundary: corpus.BoundaryEnd},
		Model:     spelling{}.Model().Name,
		Drafts:    []knowledge.ConceptDraft{{ExtractedConcept: knowledge.ExtractedConcept{Key: label, Label: label}, Embedding: embeddings[0]}},
		Instances: []knowledge.ExtractedInstance{{Concept: label, Quote: label, Span: span}},
	}
	return out
}

// nobody matches no concept with another one.
type nobody struct{}

func (nobody) LeastSimilarity() float64 { return 2 }

func (nobody) Certain(knowledge.ConceptDraft, []knowledge.Candidate) bool { return false }

func (nobody) Match(drafts []knowledge.ConceptDraft, _ [][]knowledge.Candidate) []knowledge.ConceptMatch {
	matches := make([]knowledge.ConceptMatch, len(drafts))
	for i := range matches {
		matches[i].Draft = i
	}
	return matches
}
