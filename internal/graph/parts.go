package graph

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	mostParts     = 64        // ontologies that are kept
	mostPartBytes = 256 << 20 // of all of them
)

// parts keeps what ontologies say of the graph, as questions within one of them walk it: its
// concepts, and the relationships that were read in its documents between them, each as sure
// as those documents are. A part is read from the tables when it is first asked for at an
// epoch, once however many ask, unless nothing since the last one has changed what the ontology
// says. Questions without an ontology cost nothing here.
type parts struct {
	mu   sync.Mutex
	kept map[int]*keptPart // by the number of the ontology
	uses uint64
}

// keptPart is what one ontology says of the graph, as of one epoch.
type keptPart struct {
	view atomic.Pointer[adjacency.View] // nil until it is read
	turn chan struct{}                  // whose reads it holds the one place
	mark questions.PartMark             // of view; its reader has the turn
	used uint64                         // when it was last asked for, in uses
}

// at returns what an ontology says, as of the moment of a snapshot.
func (p *parts) at(ctx context.Context, s Snapshot, ontology int) (*adjacency.View, error) {
	epoch, err := s.GraphEpoch(ctx)
	if err != nil {
		return nil, err
	}
	one := p.find(ontology)
	if v := one.view.Load(); v != nil && v.Epoch() == epoch {
		return v, nil
	}
	select {
	case one.turn <- struct{}{}:
		defer func() { <-one.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	known := one.view.Load()
	if known != nil && known.Epoch() == epoch {
		return known, nil
	}
	var since int64
	if known != nil {
		since = known.Epoch()
	}
	mark, err := s.PartMark(ctx, ontology, since)
	if err != nil {
		return nil, err
	}
	var v *adjacency.View
	if known != nil && since < epoch && !mark.Changed && mark.Holds == one.mark.Holds {
		v = known.At(epoch)
	} else if v, err = readPart(ctx, s, ontology, epoch); err != nil {
		return nil, err
	}
	if known == nil || since < epoch {
		one.mark = mark
		one.view.Store(v)
		p.tidy(one)
	}
	return v, nil
}

// find returns the place of an ontology.
func (p *parts) find(ontology int) *keptPart {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kept == nil {
		p.kept = map[int]*keptPart{}
	}
	one, known := p.kept[ontology]
	if !known {
		one = &keptPart{turn: make(chan struct{}, 1)}
		p.kept[ontology] = one
	}
	p.uses++
	one.used = p.uses
	return one
}

// tidy forgets those that were not asked for for the longest time while there are too many,
// but not the given one. Who is reading one goes on with what it has.
func (p *parts) tidy(last *keptPart) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		var bytes int64
		oldest, place := last, 0
		for ontology, one := range p.kept {
			if v := one.view.Load(); v != nil {
				bytes += v.Stats().Bytes
			}
			if one.used < oldest.used {
				oldest, place = one, ontology
			}
		}
		if oldest == last || len(p.kept) <= mostParts && bytes <= mostPartBytes {
			return
		}
		delete(p.kept, place)
	}
}

// readPart reads what an ontology says from the tables.
func readPart(ctx context.Context, s Snapshot, ontology int, epoch int64) (*adjacency.View, error) {
	to := partSink{Builder: adjacency.NewBuilder(0), concepts: &bits{}}
	if err := s.Part(ctx, ontology, to); err != nil {
		return nil, err
	}
	graph, err := to.Build(ctx, epoch)
	if err != nil {
		return nil, err
	}
	return graph.View(), nil
}

// partSink takes the concepts of an ontology and the relationships between them: one that
// leads to a concept that only others show would name it.
type partSink struct {
	*adjacency.Builder

	concepts *bits
}

func (s partSink) AddType(t knowledge.GraphType) error {
	s.Builder.AddType(adjacency.Type(t))
	return nil
}

func (s partSink) AddConcept(c knowledge.GraphConcept) error {
	s.concepts.add(c.Number)
	return s.Builder.AddConcept(adjacency.Concept(c))
}

func (s partSink) AddEdge(e knowledge.GraphEdge) error {
	if !s.concepts.has(e.Src) || !s.concepts.has(e.Dst) {
		return nil
	}
	return s.Builder.AddEdge(adjacency.Edge(e))
}
