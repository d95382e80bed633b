package network

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
)

const (
	mostLevels = 20
	mostPasses = 20    // over the places of one level
	leastGain  = 1e-12 // of a move
)

// Communities returns the concepts that belong together, the largest community first,
// and the modularity: how much more they are related with each other than chance would
// have it, -0.5 to 1. Directions do not count, confidences do. A higher resolution than
// 1 gives more and smaller communities.
//
// It is the Louvain method (Blondel et al. 2008), with an order of visits that is drawn
// from a fixed seed. It returns the error of ctx when that ends first.
func (n *Network) Communities(ctx context.Context, resolution float64) (groups [][]int, modularity float64, err error) {
	level := n.bothWays()
	member := make([]int32, len(n.numbers)) // place → community
	for i := range member {
		member[i] = int32(i)
	}
	order := rand.New(rand.NewPCG(1, 2))
	for range mostLevels {
		p := newPartition(level, resolution)
		moved, err := p.settle(ctx, order)
		if err != nil {
			return nil, 0, err
		}
		if !moved {
			break
		}
		count := p.renumber()
		for i, c := range member {
			member[i] = p.community[c]
		}
		level = p.contract(count)
	}
	return n.grouped(member), modularityOf(n.bothWays(), member, resolution), nil
}

// grouped returns the concepts by community.
func (n *Network) grouped(member []int32) [][]int {
	byCommunity := map[int32][]int{}
	for place, c := range member {
		byCommunity[c] = append(byCommunity[c], n.numbers[place])
	}
	groups := make([][]int, 0, len(byCommunity))
	for _, g := range byCommunity {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b []int) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a[0], b[0])) })
	return groups
}

// modularityOf compares the weight within communities with what chance would have.
func modularityOf(a adjacency, member []int32, resolution float64) float64 {
	within, total := 0.0, 0.0
	degrees := map[int32]float64{}
	for place := range member {
		ends, weights := a.of(place)
		for i, end := range ends {
			total += weights[i]
			degrees[member[place]] += weights[i]
			if member[place] == member[end] {
				within += weights[i]
			}
		}
	}
	if total == 0 {
		return 0
	}
	communities := make([]int32, 0, len(degrees))
	for c := range degrees {
		communities = append(communities, c)
	}
	slices.Sort(communities) // sums of floats depend on their order
	q := within / total
	for _, c := range communities {
		q -= resolution * degrees[c] / total * degrees[c] / total
	}
	return q
}
