package network

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/knowledge"
)

// Network is some concepts and the relationships among them, in rows: the neighbours
// of the concept at place i are ends[rows[i]:rows[i+1]].
type Network struct {
	numbers []int // the concepts, ascending
	out     adjacency
	in      adjacency
}

// adjacency are the relationships in one direction, or in both.
type adjacency struct {
	rows    []int
	ends    []int32
	weights []float64
}

// of returns the neighbours of a place, and their weights.
func (a adjacency) of(place int) ([]int32, []float64) {
	from, to := a.rows[place], a.rows[place+1]
	return a.ends[from:to], a.weights[from:to]
}

// New returns the network of relationships as they point: From to To.
// Several between the same two concepts are one with the sum of their confidences,
// and those whose end is no concept of the list are left out.
func New(concepts []int, edges []knowledge.Edge) *Network {
	n := &Network{numbers: slices.Clone(concepts)}
	slices.Sort(n.numbers)
	n.numbers = slices.Compact(n.numbers)
	place := make(map[int]int32, len(n.numbers))
	for i, c := range n.numbers {
		place[c] = int32(i)
	}
	list := make([]link, 0, len(edges))
	for _, e := range edges {
		from, known := place[e.From]
		to, alsoKnown := place[e.To]
		if known && alsoKnown && from != to {
			list = append(list, link{from, to, e.Confidence})
		}
	}
	n.out = newAdjacency(len(n.numbers), list)
	for i, l := range list {
		list[i] = link{l.to, l.from, l.weight}
	}
	n.in = newAdjacency(len(n.numbers), list)
	return n
}

// Concepts returns how many concepts n has.
func (n *Network) Concepts() int { return len(n.numbers) }

// Relationships returns how many pairs of concepts a relationship joins, each way.
func (n *Network) Relationships() int { return len(n.out.ends) }

// link is a relationship between two places.
type link struct {
	from, to int32
	weight   float64
}

// newAdjacency sorts links, joins those with the same ends, and lays them out in rows.
func newAdjacency(places int, links []link) adjacency {
	slices.SortFunc(links, func(a, b link) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.weight, b.weight))
	})
	a := adjacency{rows: make([]int, places+1), ends: make([]int32, 0, len(links)), weights: make([]float64, 0, len(links))}
	for i, l := range links {
		if i > 0 && links[i-1].from == l.from && links[i-1].to == l.to {
			a.weights[len(a.weights)-1] += l.weight
			continue
		}
		a.ends, a.weights = append(a.ends, l.to), append(a.weights, l.weight)
		a.rows[l.from+1]++
	}
	for i := range places {
		a.rows[i+1] += a.rows[i]
	}
	return a
}

// bothWays returns the relationships without their directions.
func (n *Network) bothWays() adjacency {
	links := make([]link, 0, 2*len(n.out.ends))
	for place := range n.numbers {
		ends, weights := n.out.of(place)
		for i, end := range ends {
			links = append(links, link{int32(place), end, weights[i]}, link{end, int32(place), weights[i]})
		}
	}
	return newAdjacency(len(n.numbers), links)
}
