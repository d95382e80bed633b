package projection

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kappagraph/kappa"
)

// How the gradient is followed: the settings of the published algorithm, with the
// learning rate of Belkina and others, "Automated optimized parameters for t-SNE" (2019),
// and a start from the principal components, which keeps what is far apart in place
// (Kobak and Berens, "The art of using t-SNE for single-cell transcriptomics", 2019).
const (
	exaggeratedTurns = 250
	turns            = 750
	exaggeration     = 12.0
	earlyMomentum    = 0.5
	lateMomentum     = 0.8
	leastRate        = 50.0
	leastGain        = 0.01
	startDeviation   = 1e-4
	startNoise       = 1e-6 // parts items with the same embedding
)

// embed moves items from their principal components to where t-SNE places them.
func embed(ctx context.Context, x, start *mat.Dense, o Options, report Report) (*mat.Dense, error) {
	n, _ := x.Dims()
	perplexity := kappa.EffectivePerplexity(o.Perplexity, n)
	found, err := nearest(ctx, x, min(n-1, int(neighborsPerPerplexity*perplexity)), func(done, all int) error {
		return report("comparing", 1+kappa.PercentDone(done, all)*14/100)
	})
	if err != nil {
		return nil, err
	}
	p, err := newAffinities(ctx, found, perplexity)
	if err != nil {
		return nil, err
	}
	d := newDescent(p, begin(start, o.Seed))
	for turn := range turns {
		if err := report("placing", 15+kappa.PercentDone(turn, turns)*84/100); err != nil {
			return nil, err
		}
		if err := d.step(ctx, turn); err != nil {
			return nil, err
		}
	}
	return d.y, nil
}

// begin returns the first places: the principal components, very near to each other.
func begin(start *mat.Dense, seed uint64) *mat.Dense {
	y := mat.DenseCopyOf(start)
	n, width := y.Dims()
	first := mat.Col(nil, 0, y)
	deviation := floats.Norm(first, 2) / math.Sqrt(float64(n))
	if deviation == 0 {
		deviation = 1
	}
	random := rand.New(rand.NewPCG(seed, 0x74736e65))
	for i := range n {
		for k := range width {
			y.Set(i, k, y.At(i, k)/deviation*startDeviation+random.NormFloat64()*startNoise)
		}
	}
	return y
}

// descent follows the gradient.
type descent struct {
	p               *affinities
	y               *mat.Dense // the places
	velocity, gains *mat.Dense
	repulse         *repulsion
	rate            float64
}

func newDescent(p *affinities, y *mat.Dense) *descent {
	n, width := y.Dims()
	gains := mat.NewDense(n, width, nil)
	for i := range n {
		for k := range width {
			gains.Set(i, k, 1)
		}
	}
	return &descent{
		p: p, y: y, velocity: mat.NewDense(n, width, nil), gains: gains, repulse: newRepulsion(n, width),
		rate: max(leastRate, float64(n)/exaggeration/4),
	}
}

// step moves every item once.
func (d *descent) step(ctx context.Context, turn int) error {
	forces, total, err := d.repulse.forces(ctx, d.y)
	if err != nil {
		return err
	}
	scale, momentum := 1.0, lateMomentum
	if turn < exaggeratedTurns {
		scale, momentum = exaggeration, earlyMomentum
	}
	n, _ := d.y.Dims()
	inParallel(n, func(i int) {
		gradient := forces.RawRowView(i) // becomes the gradient
		floats.Scale(-4/total, gradient)
		d.attract(i, 4*scale, gradient)
	})
	inParallel(n, func(i int) { d.move(i, momentum, forces.RawRowView(i)) })
	center(d.y)
	return nil
}

// attract adds what draws item i to those that it belongs to.
func (d *descent) attract(i int, scale float64, gradient []float64) {
	var difference [kappa.MaxProjectionComponents]float64
	place := d.y.RawRowView(i)
	others, weights := d.p.row(i)
	for k, j := range others {
		square := 0.0
		for c, at := range d.y.RawRowView(int(j)) {
			difference[c] = place[c] - at
			square += difference[c] * difference[c]
		}
		pull := scale * weights[k] / (1 + square)
		for c := range gradient {
			gradient[c] += pull * difference[c]
		}
	}
}

// move moves item i against the gradient.
func (d *descent) move(i int, momentum float64, gradient []float64) {
	place, velocity, gains := d.y.RawRowView(i), d.velocity.RawRowView(i), d.gains.RawRowView(i)
	for c, g := range gradient {
		if (g > 0) != (velocity[c] > 0) {
			gains[c] += 0.2
		} else {
			gains[c] = max(leastGain, gains[c]*0.8)
		}
		velocity[c] = momentum*velocity[c] - d.rate*gains[c]*g
		place[c] += velocity[c]
	}
}

func sortItems(items []int32) { slices.Sort(items) }
