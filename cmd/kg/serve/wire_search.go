package serve

import (
	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/graph/signatures"
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
			Store: store, Model: s.models.embedder.Model().Name, Memory: s.settings.SearchMemory, Log: s.log,
		}),
		threshold: graph.NewThreshold(store),
	}
	return graph.Search{Threshold: s.search.threshold, Index: s.search.index.Index, Show: store.ShownConcepts}
}
