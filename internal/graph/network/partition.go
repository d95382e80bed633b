package network

import (
	"context"
	"math/rand/v2"
)

// partition sorts the places of one level into communities. A place of a higher level
// is a community of the one below; what it was related with itself is an edge of the
// place with itself.
type partition struct {
	level      adjacency
	resolution float64

	community []int32   // of each place
	degree    []float64 // the weight at each place
	total     []float64 // the weight at each community
	whole     float64   // the weight at all places

	// For one place at a time: the weight that joins it with each community.
	joined  []float64
	touched []int32
}

func newPartition(level adjacency, resolution float64) *partition {
	places := len(level.rows) - 1
	p := &partition{
		level: level, resolution: resolution,
		community: make([]int32, places), degree: make([]float64, places), total: make([]float64, places), joined: make([]float64, places),
	}
	for place := range places {
		p.community[place] = int32(place)
		_, weights := level.of(place)
		for _, w := range weights {
			p.degree[place] += w
		}
		p.total[place] = p.degree[place]
		p.whole += p.degree[place]
	}
	return p
}

// settle moves places to the communities where they gain most, until none moves. It
// reports whether any did.
func (p *partition) settle(ctx context.Context, order *rand.Rand) (moved bool, err error) {
	if p.whole == 0 {
		return false, nil
	}
	places := order.Perm(len(p.community))
	for range mostPasses {
		moves := 0
		for i, place := range places {
			if i%4096 == 0 && ctx.Err() != nil {
				return false, ctx.Err()
			}
			if p.move(place) {
				moves++
			}
		}
		if moves == 0 {
			break
		}
		moved = true
	}
	return moved, nil
}

// move puts a place into the community where the modularity gains most: of equal ones
// its own, and then the one that it meets first.
func (p *partition) move(place int) bool {
	ends, weights := p.level.of(place)
	p.touched = p.touched[:0]
	for i, end := range ends {
		if int(end) == place {
			continue
		}
		c := p.community[end]
		if p.joined[c] == 0 {
			p.touched = append(p.touched, c)
		}
		p.joined[c] += weights[i]
	}
	own := p.community[place]
	p.total[own] -= p.degree[place]
	gain := func(c int32) float64 {
		return p.joined[c] - p.resolution*p.total[c]*p.degree[place]/p.whole
	}
	best, most := own, gain(own)
	for _, c := range p.touched {
		if g := gain(c); g > most+leastGain*p.whole {
			best, most = c, g
		}
	}
	for _, c := range p.touched {
		p.joined[c] = 0
	}
	p.total[best] += p.degree[place]
	p.community[place] = best
	return best != own
}

// renumber numbers the communities that are left from 0 on, and returns how many they
// are.
func (p *partition) renumber() int {
	number := make([]int32, len(p.community))
	count := 0
	for place, c := range p.community {
		if number[c] == 0 {
			count++
			number[c] = int32(count)
		}
		p.community[place] = number[c] - 1
	}
	return count
}

// contract makes a place of each community.
func (p *partition) contract(count int) adjacency {
	links := make([]link, 0, len(p.level.ends))
	for place := range p.community {
		ends, weights := p.level.of(place)
		for i, end := range ends {
			links = append(links, link{p.community[place], p.community[end], weights[i]})
		}
	}
	return newAdjacency(count, links)
}
