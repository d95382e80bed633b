package projection

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kappagraph/kappa/knowledge/projection"
)

const (
	comparingShare = 40 // percent of the progress
	startDeviation = 10 // of the first coordinate of the start
	startNoise     = 1e-3
	leastKnown     = 0.5 // the share of items with a place of before from which on a layout begins there
)

// embed moves items to where t-SNE places them (van der Maaten and Hinton, "Visualizing
// Data using t-SNE", 2008), where each is drawn to as many neighbours as the perplexity
// says. Draws of pairs sort the whole of it out, and the gradient the neighbourhoods.
func embed(found neighbors, first []point, fresh bool, o Options, report Report) ([]point, error) {
	l := &layout{places: first, dimensions: o.Components, links: newLinks(found), seed: o.Seed}
	turns := turnsOfKnown
	if fresh {
		turns = turnsOfFresh
		if err := l.scatter(found, func(percent int) error { return report("placing", comparingShare+percent*20/100) }); err != nil {
			return nil, err
		}
	}
	err := l.follow(turns, func(percent int) error {
		return report("placing", comparingShare+20+percent*(99-comparingShare-20)/100)
	})
	return l.places, err
}

// layout is where the items are, and whom each is drawn to.
type layout struct {
	places     []point
	dimensions int
	links      links
	seed       uint64
}

// links are the pairs of which one is a neighbour of the other, as rows of the other ends
// of each item. Who are neighbours of each other are linked twice.
type links struct {
	first []int32 // of each row, and the end of the last one
	item  []int32
}

// row returns the other ends of an item's links.
func (l *links) row(i int) []int32 { return l.item[l.first[i]:l.first[i+1]] }

func newLinks(found neighbors) links {
	l := links{first: make([]int32, len(found)+1)}
	for i, list := range found {
		l.first[i+1] += int32(len(list))
		for _, other := range list {
			l.first[other.item+1]++
		}
	}
	for i := range found {
		l.first[i+1] += l.first[i]
	}
	l.item = make([]int32, l.first[len(found)])
	next := append([]int32(nil), l.first...)
	for i, list := range found {
		for _, other := range list {
			l.item[next[i]], l.item[next[other.item]] = other.item, int32(i)
			next[i]++
			next[other.item]++
		}
	}
	return l
}

// begin returns the first places: those of the layout before, where enough items have
// one, and an item without one amid its neighbours; or else the principal components. It
// reports whether they are those.
func begin(found neighbors, principal *mat.Dense, o Options) (places []point, fresh bool) {
	random := rand.New(rand.NewPCG(o.Seed, 0x74736e65))
	places, known := make([]point, len(found)), 0
	for i := range o.Start {
		if o.Start[i] != nil {
			known++
		}
	}
	fresh = float64(known) < leastKnown*float64(len(found)) || known == 0
	scale := 0.0
	if fresh {
		scale = spreadOf(principal)
	}
	for i := range places {
		for k := range o.Components {
			switch {
			case fresh:
				places[i][k] = float32(principal.At(i, k) * scale)
			case o.Start[i] != nil:
				places[i][k] = float32(o.Start[i][k])
			default:
				places[i][k] = amid(found[i], o.Start, k)
			}
			places[i][k] += startNoise * float32(random.NormFloat64()) // parts items with the same embedding
		}
	}
	return places, fresh
}

// spreadOf returns the factor that gives the first coordinate its deviation.
func spreadOf(principal *mat.Dense) float64 {
	rows, _ := principal.Dims()
	square := 0.0
	for i := range rows {
		square += principal.At(i, 0) * principal.At(i, 0)
	}
	if square == 0 {
		return 1
	}
	return startDeviation / math.Sqrt(square/float64(rows))
}

// amid returns a coordinate of the mean of the neighbours that have a place.
func amid(list []neighbor, start [][]float64, k int) float32 {
	sum, count := 0.0, 0.0
	for _, other := range list {
		if place := start[other.item]; place != nil {
			sum += place[k]
			count++
		}
	}
	return float32(sum / max(1, count))
}

// neighborsOf returns how many neighbours of each item count.
func neighborsOf(o Options, items int) int {
	return max(1, min(items-1, int(math.Round(projection.EffectivePerplexity(o.Perplexity, items)))))
}
