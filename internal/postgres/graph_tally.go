package postgres

import (
	"context"
)

// graphTally is how much the graph holds.
type graphTally struct {
	concepts, instances int
	relationships       int
	types               map[int32]int // relationships of each type
	edges               edgeTally
	all                 holding
	ontologies          map[int32]holding
}

// holding is how many documents and chunks there are, and of an ontology how many
// relationships it shows.
type holding struct{ documents, sources, relationships int }

// tally returns how much the graph holds, counted when something of it has changed and
// remembered until then. What a document that is still being read holds besides what it
// shows is counted with its next concept, and at the latest when the epoch rises.
func (s *GraphSnapshot) tally(ctx context.Context) (graphTally, error) {
	t, err := s.store.memory.tally.at(ctx, s, func(*graphTally, graphTouch) (graphTally, error) { return s.count(ctx) })
	return t, translate(err, "count what the graph holds")
}

// count counts what the graph holds.
func (s *GraphSnapshot) count(ctx context.Context) (graphTally, error) {
	t := graphTally{types: map[int32]int{}, ontologies: map[int32]holding{}}
	concepts, err := s.q.GraphTally(ctx)
	if err != nil {
		return t, err
	}
	t.concepts = int(concepts)
	ontologies, err := s.q.GraphTallyOntologies(ctx)
	if err != nil {
		return t, err
	}
	for _, o := range ontologies {
		t.ontologies[o.Ontology] = holding{documents: int(o.Documents), sources: int(o.Sources), relationships: int(o.Relationships)}
		t.instances += int(o.Quotes)
		t.all.documents += int(o.Documents)
		t.all.sources += int(o.Sources)
	}
	edges, err := s.q.GraphTallyEdges(ctx)
	t.edges = toEdgeTally(edges)
	for kind := range t.edges {
		t.types[kind] = t.edges.count(kind, 0)
		t.relationships += t.types[kind]
	}
	return t, err
}
