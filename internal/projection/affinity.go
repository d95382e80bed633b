package projection

import (
	"context"
	"math"
)

const (
	neighborsPerPerplexity = 3 // further ones have next to no weight
	bisections             = 64
	nearPerplexity         = 1e-5 // how far the logarithm of a perplexity may be off
)

// affinities are the joint probabilities of pairs, as rows of the pairs that have one.
type affinities struct {
	first   []int // of each row, and the end of the last one
	item    []int32
	weights []float64
}

// row returns the others of an item, and the probabilities.
func (a *affinities) row(i int) ([]int32, []float64) {
	from, to := a.first[i], a.first[i+1]
	return a.item[from:to], a.weights[from:to]
}

// newAffinities returns the joint probabilities of neighbours, of which each item has as
// many as the perplexity asks for. They add up to 1.
func newAffinities(ctx context.Context, found [][]neighbor, perplexity float64) (*affinities, error) {
	n := len(found)
	weights := make([]map[int32]float64, n)
	for i := range weights {
		weights[i] = make(map[int32]float64, 2*len(found[i]))
	}
	for i, others := range found {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for k, p := range conditional(others, perplexity) {
			j := others[k].item
			weights[i][int32(j)] += p / float64(2*n)
			weights[j][int32(i)] += p / float64(2*n)
		}
	}
	return flatten(ctx, weights)
}

// flatten returns the rows in the order of the items, so that sums are the same each
// time.
func flatten(ctx context.Context, weights []map[int32]float64) (*affinities, error) {
	a := &affinities{first: make([]int, 1, len(weights)+1)}
	for i, row := range weights {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		from := len(a.item)
		for j := range row {
			a.item = append(a.item, j)
		}
		sortItems(a.item[from:])
		for _, j := range a.item[from:] {
			a.weights = append(a.weights, row[j])
		}
		a.first = append(a.first, len(a.item))
	}
	return a, nil
}

// conditional returns the probabilities of an item's neighbours: those of a Gaussian of
// the width at which they have the perplexity.
func conditional(others []neighbor, perplexity float64) []float64 {
	p := make([]float64, len(others))
	wanted := math.Log(perplexity)
	precision, least, most := 1.0, 0.0, math.Inf(1)
	if mean := meanDistance(others); mean > 0 {
		precision = 1 / mean
	}
	for range bisections {
		entropy := gaussian(p, others, precision)
		switch off := entropy - wanted; {
		case math.Abs(off) < nearPerplexity:
			return p
		case off > 0:
			least = precision
			if precision *= 2; !math.IsInf(most, 1) {
				precision = (least + most) / 2
			}
		default:
			most = precision
			precision = (least + most) / 2
		}
	}
	return p
}

// gaussian fills in the probabilities, and returns the logarithm of their perplexity.
func gaussian(p []float64, others []neighbor, precision float64) (entropy float64) {
	var sum, weighted float64
	for k, o := range others {
		distance := o.distance - others[0].distance // the nearest one never underflows
		p[k] = math.Exp(-precision * distance)
		sum += p[k]
		weighted += p[k] * distance
	}
	for k := range p {
		p[k] /= sum
	}
	return math.Log(sum) + precision*weighted/sum
}

func meanDistance(others []neighbor) float64 {
	var sum float64
	for _, o := range others {
		sum += o.distance
	}
	return sum / float64(max(1, len(others)))
}
