package serve

import (
	"context"

	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/graph/signatures"
	"github.com/kappagraph/kappa/knowledge"
)

// search is what searches need besides the graph.
type search struct {
	index     *signatures.Follower
	threshold *graph.Threshold
}

// wireSearch connects the index that searches read, and their threshold.
func (s *server) wireSearch() graph.Search {
	store := s.db.Graph()
	s.search = search{
		index: signatures.NewFollower(signatures.Config{
			Store: store, ModelNow: s.embeddingModel, Memory: s.settings.SearchMemory, Heard: s.heard, Log: s.log,
		}),
		threshold: graph.NewThreshold(store),
	}
	return graph.Search{Threshold: s.search.threshold, Index: s.freshIndex, Show: store.ShownConcepts, Narrow: store.NarrowedConcepts}
}

// freshIndex returns the index that searches read, with all that is known to have changed.
func (s *server) freshIndex(ctx context.Context, model string) *signatures.Index {
	s.search.index.Fresh(ctx)
	return s.search.index.Index(model)
}

// graphStatus is what this server keeps of the graph in memory, and how far the
// database is ahead of it.
func (s *server) graphStatus(ctx context.Context) knowledge.GraphStatus {
	return s.withSearch(s.follower.Status(ctx))
}

// graphFigures is graphStatus without asking the database.
func (s *server) graphFigures() knowledge.GraphStatus { return s.withSearch(s.follower.Figures()) }

func (s *server) withSearch(status knowledge.GraphStatus) knowledge.GraphStatus {
	index := s.search.index.Status()
	status.Search = &index
	status.WorkersAllowed, status.WorkersMost = s.graphSettings.Now().MaxWorkers, graph.MostWorkers(s.settings.Pools.Graph)
	return status
}
