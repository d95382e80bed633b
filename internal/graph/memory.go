package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// inMemory is the graph in memory, as of one moment. Without a View it knows
// nothing, and the tables are read.
type inMemory struct {
	*adjacency.View

	hidesWeak bool    // RELATED_TO below vocabulary.LeastRelated is not followed
	floor     float32 // confidence of what is followed; 0 = any
	heading   questions.Heading
}

// follow returns the edges of some types, or of all without any, that are followed.
func (m inMemory) follow(types []string) adjacency.TypeSet {
	followed := m.Types(types).AtLeast(m.floor)
	if m.heading.Out() != m.heading.In() {
		followed = followed.OneWay(m.heading.Out(), vocabulary.TypeRelatedTo, m.View)
	}
	if !m.hidesWeak {
		return followed
	}
	return followed.From(vocabulary.TypeRelatedTo, vocabulary.LeastRelated, m.View)
}

// knows reports whether all of some concepts are there.
func (m inMemory) knows(concepts []int) bool {
	return m.View != nil && !slices.ContainsFunc(concepts, func(c int) bool { return m.ID(int32(c)) == "" })
}

// locate returns the numbers of concepts, and the view that knows them: v itself,
// or v without memory when one of the concepts has not reached that yet. It
// returns a CodeNotFound Error for a concept that there is not.
func (v view) locate(ctx context.Context, ids ...string) (view, []int, error) {
	numbers := make([]int, len(ids))
	for i, id := range ids {
		if v.memory.View != nil {
			number, known := v.memory.Number(id)
			if numbers[i] = int(number); known {
				continue
			}
			v.memory = inMemory{}
			return v.locate(ctx, ids...)
		}
		number, err := v.ConceptNumber(ctx, id)
		if err != nil {
			return v, nil, err
		}
		numbers[i] = number
	}
	return v, numbers, nil
}

// knowing returns v, without memory when one of some concepts has not reached
// that yet.
func (v view) knowing(concepts ...int) view {
	if !v.memory.knows(concepts) {
		v.memory = inMemory{}
	}
	return v
}

// epoch returns the epoch of the graph that v reads relationships from, which is what
// every answer says: nothing in it is older. What else is in it, such as labels, comes
// from the tables and may be newer, never older.
func (v view) epoch(ctx context.Context) (int64, error) {
	if v.memory.View != nil {
		return v.memory.Epoch(), nil
	}
	return v.GraphEpoch(ctx)
}

// since returns v without memory when that is older than an epoch. It returns a
// CodeInvalid Error for an epoch that the tables have not reached either.
func (v view) since(ctx context.Context, least int64) (view, error) {
	if v.memory.View != nil && v.memory.Epoch() >= least {
		return v, nil
	}
	v.memory = inMemory{}
	now, err := v.GraphEpoch(ctx)
	if err == nil && now < least {
		err = kappa.Invalid(kappa.FieldError{
			In: "body", Name: "min_epoch", Rule: fmt.Sprintf("must be at most the epoch of the graph, %d, got %d", now, least),
		})
	}
	return v, err
}

// edgesBetween answers q: From of each edge is one of q.From.
func (v view) edgesBetween(ctx context.Context, q questions.BetweenQuery) ([]knowledge.Edge, error) {
	if v.memory.View == nil {
		return v.EdgesBetween(ctx, q)
	}
	only := v.memory.follow(q.Types)
	var to bits
	for _, c := range q.To {
		to.add(c)
	}
	var edges []knowledge.Edge
	for i, c := range q.From {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for n := range v.memory.Around(c) {
			if to.has(n.Concept) && only.Follows(n) {
				edges = append(edges, knowledge.Edge{
					From: int(c), To: int(n.Concept), Type: v.memory.TypeName(n.Type),
					Confidence: knowledge.FromReal(n.Confidence), Forward: n.Forward,
				})
			}
		}
	}
	return edges, nil
}

// nhop is view.nhop in memory. After the deadline it returns the hops that it has
// taken.
func (m inMemory) nhop(ctx context.Context, q nhopQuery) (ball, error) {
	seeds := make([]int32, len(q.seeds))
	for i, s := range q.seeds {
		seeds[i] = int32(s)
	}
	found, err := m.Ball(ctx, adjacency.BallQuery{Seeds: seeds, Hops: q.hops, Types: m.follow(typeNames(q.types)), Most: q.most})
	b := ball{concepts: make([]int, len(found.Concepts)), ends: found.Ends, Completeness: questions.Completeness{Complete: true}}
	for i, c := range found.Concepts {
		b.concepts[i] = int(c)
	}
	b.asked = append(b.asked, len(distinct(q.seeds)))
	b.asked = append(b.asked, b.perHop()...)
	b.asked = b.asked[:max(1, len(found.Ends))] // nobody asks about the last hop
	if found.Cut {
		b.sayCut()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		b.Complete, b.partial, b.TimedOut, err = false, true, true, nil
		b.Missing = "the deadline came before the last hops; ask for fewer hops or types"
	}
	return b, err
}

// edgesAround returns relationships like Snapshot.EdgesAround. When there are no
// more than most, it returns them by their ends.
func (m inMemory) edgesAround(ctx context.Context, concepts []int, types []string, most int) ([]knowledge.Edge, error) {
	only := m.follow(types)
	s := strongestFirst{most: most}
	for i, c := range concepts {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for n := range m.Around(int32(c)) {
			if only.Follows(n) {
				s.add(found{c, n, m.TypeName(n.Type) == vocabulary.TypeRelatedTo})
			}
		}
	}
	list := s.first()
	edges := make([]knowledge.Edge, len(list))
	for i, f := range list {
		edges[i] = knowledge.Edge{
			From: f.near, To: int(f.Concept), Type: m.TypeName(f.Type),
			Confidence: knowledge.FromReal(f.Confidence), Forward: f.Forward,
		}
	}
	return edges, nil
}
