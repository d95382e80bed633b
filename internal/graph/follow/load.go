package follow

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/knowledge"
)

// sink gives what is loaded to a Builder.
type sink struct{ *adjacency.Builder }

func (s sink) AddType(t knowledge.GraphType) error {
	s.Builder.AddType(adjacency.Type(t))
	return nil
}

func (s sink) AddConcept(c knowledge.GraphConcept) error {
	return s.Builder.AddConcept(adjacency.Concept(c))
}

func (s sink) AddEdge(e knowledge.GraphEdge) error { return s.Builder.AddEdge(adjacency.Edge(e)) }

// load loads the whole graph, and what has changed meanwhile.
func (f *Follower) load(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loadLimit)
	defer cancel()
	began := time.Now()
	builder := adjacency.NewBuilder(f.cfg.Limit)
	mark, err := f.cfg.Store.LoadGraph(ctx, sink{builder})
	if err != nil {
		return err
	}
	graph, err := builder.Build(ctx, mark.Epoch)
	if err != nil {
		return err
	}
	r := &reading{graph: graph, mark: mark}
	changes, err := f.catchUp(ctx, r)
	if err != nil {
		return err
	}
	took := time.Since(began)
	f.took(r, func(s *knowledge.GraphStatus) {
		s.Loads++
		s.LoadSeconds = took.Seconds()
		count(s, changes)
	})
	stats := graph.View().Stats()
	f.cfg.Log.InfoContext(ctx, "graph in memory", "concepts", stats.Concepts, "edges", stats.Edges, "bytes", stats.Bytes, "epoch", stats.Epoch, "seconds", took.Seconds())
	return nil
}

// count adds changes that were applied.
func count(s *knowledge.GraphStatus, c knowledge.GraphChanges) {
	s.Changes += int64(len(c.Changes))
	s.Transactions += int64(c.Transactions)
}
