package serve

import (
	"context"
	"path/filepath"

	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/graph/follow"
	"github.com/kappagraph/kappa/internal/graph/signatures"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/retrieval"
	"github.com/kappagraph/kappa/internal/retrieval/vectors"
	"github.com/kappagraph/kappa/knowledge"
)

// graphPart answers questions to the graph, with the copies in memory that it reads.
type graphPart struct {
	questions   *graph.Graph
	settings    *graph.Settings
	memory      *follow.Follower     // relationships
	index       *signatures.Follower // concepts, for searches
	passages    *retrieval.Follower  // passages, for questions
	meanings    *vectors.Follower    // embeddings of passages, for questions
	threshold   *graph.Threshold     // of searches
	connections int                  // to the database
}

// wireGraph connects it.
func (s *server) wireGraph(context.Context) error {
	g, store := &s.graph, s.db.Graph()
	g.connections = s.settings.Pools.Graph
	g.index = signatures.NewFollower(signatures.Config{
		Store: store, ModelNow: s.models.embeddingModel, Memory: s.settings.SearchMemory, Heard: s.heard, Log: s.log,
	})
	g.passages = retrieval.NewFollower(retrieval.Config{
		Store: passageTables{store, s.db.Passages(), s.db.Library()}, Dir: filepath.Join(s.settings.DataDir, "passages"), DefinedKey: answers.DefinedKey, Heard: s.heard, Log: s.log,
	})
	g.meanings = vectors.NewFollower(vectors.Config{
		Store: s.db.PassageEmbeddings(), Embedder: s.models.embedder, Memory: s.settings.SearchMemory, Heard: s.heard, Log: s.log,
	})
	g.threshold = graph.NewThreshold(store)
	g.memory = follow.New(follow.Config{Store: store, Limit: s.settings.GraphMemory, Heard: s.heard, Log: s.log})
	g.settings = graph.NewSettings(store.Settings, g.connections, s.log)
	g.questions = graph.New(graph.Config{
		Settings: g.settings.Now, Connections: g.connections,
		View: viewer(store), Memory: g.memory.View, Await: g.memory.Await, Embedder: s.models.embedder, Log: s.log,
		Search: graph.Search{Threshold: g.threshold, Index: g.freshIndex, Show: store.ShownConcepts, Narrow: store.NarrowedConcepts},
	})
	return nil
}

// passageTables are what the index of passages follows.
type passageTables struct {
	postgres.GraphStore
	postgres.PassageStore
	postgres.LibraryStore
}

// changed wakes the copies in memory.
func (g *graphPart) changed() {
	g.memory.Wake()
	g.index.Wake()
	g.passages.Wake()
	g.meanings.Wake()
}

// freshIndex returns the index that searches read, with all that is known to have changed.
func (g *graphPart) freshIndex(ctx context.Context, model string) *signatures.Index {
	g.index.Fresh(ctx)
	return g.index.Index(model)
}

// status is what this server keeps of the graph in memory, and how far the
// database is ahead of it.
func (g *graphPart) status(ctx context.Context) knowledge.GraphStatus {
	return g.withSearch(g.memory.Status(ctx))
}

// figures is status without asking the database.
func (g *graphPart) figures() knowledge.GraphStatus { return g.withSearch(g.memory.Figures()) }

func (g *graphPart) withSearch(status knowledge.GraphStatus) knowledge.GraphStatus {
	index := g.index.Status()
	status.Search = &index
	passages := g.passages.Status()
	passages.Vectors = g.meanings.Status()
	status.Passages = &passages
	status.WorkersAllowed, status.WorkersMost = g.settings.Now().MaxWorkers, graph.MostWorkers(g.connections)
	return status
}
