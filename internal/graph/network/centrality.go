package network

import (
	"cmp"
	"context"
	"math"
	"slices"
)

const (
	damping       = 0.85 // how likely a walk follows a relationship instead of starting anew
	precision     = 1e-9 // of the sum of all changes of a round
	mostRounds    = 200
	rankedDecimal = 1e12 // so that the order does not depend on the last bits of a sum
)

// Central is a concept and how much in the centre it is.
type Central struct {
	Concept int
	Rank    float64 // PageRank: all add up to 1
	In, Out int     // concepts that point to it, and to which it points
}

// Centrality returns all concepts, those with the highest PageRank first and then by
// number. A relationship counts by its confidence. It returns the error of ctx when
// that ends first.
func (n *Network) Centrality(ctx context.Context) ([]Central, error) {
	ranks, err := n.pageRank(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Central, len(n.numbers))
	for place, c := range n.numbers {
		in, _ := n.in.of(place)
		out, _ := n.out.of(place)
		list[place] = Central{Concept: c, Rank: math.Round(ranks[place]*rankedDecimal) / rankedDecimal, In: len(in), Out: len(out)}
	}
	slices.SortFunc(list, func(a, b Central) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.Concept, b.Concept))
	})
	return list, nil
}

// pageRank returns the share of time that a random walk spends at each place. From a
// place that leads nowhere it starts anew.
func (n *Network) pageRank(ctx context.Context) ([]float64, error) {
	places := len(n.numbers)
	if places == 0 {
		return nil, nil
	}
	leaving := make([]float64, places) // the sum of the weights that lead away
	for place := range places {
		_, weights := n.out.of(place)
		for _, w := range weights {
			leaving[place] += w
		}
	}
	now, next := make([]float64, places), make([]float64, places)
	for i := range now {
		now[i] = 1 / float64(places)
	}
	for range mostRounds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if n.round(now, next, leaving) < precision {
			return next, nil
		}
		now, next = next, now
	}
	return now, nil
}

// round takes one step of all walks at once, and returns by how much the ranks change.
func (n *Network) round(now, next, leaving []float64) (change float64) {
	stuck := 0.0
	for place, w := range leaving {
		if w == 0 {
			stuck += now[place]
		}
	}
	anew := (1 - damping + damping*stuck) / float64(len(now))
	for place := range next {
		sum := 0.0
		ends, weights := n.in.of(place)
		for i, from := range ends {
			if leaving[from] > 0 {
				sum += now[from] * weights[i] / leaving[from]
			}
		}
		next[place] = anew + damping*sum
		change += math.Abs(next[place] - now[place])
	}
	return change
}
