package relations

import (
	"math"
	"math/rand/v2"
	"slices"
)

// example is a thing whose class is known.
type example struct {
	features features
	class    int
}

// How the models learn: each weight with its own rate, and 0 until there is reason enough for
// another value (FTRL-Proximal: McMahan and others, Ad Click Prediction: a View from the Trenches,
// 2013, whose names the parameters have).
const (
	rounds    = 12
	alpha     = 0.3
	beta      = 1.0
	lambda1   = 0.8 // what the gradients of a weight must exceed
	lambda2   = 0.02
	leastSeen = 2 // of a feature, in the examples; what is rarer is left out
	mostSteps = 127
	// firstMeant is the round from which the weights are those of: what is kept is their mean.
	firstMeant = 4
)

// learn returns the model that explains the examples. The same examples give the same model.
func learn(classes []string, examples []example, dropped float32) *linear {
	seen := map[uint32]int{}
	for _, e := range examples {
		for _, h := range e.features {
			seen[h]++
		}
	}
	l := learner{classes: len(classes), place: map[uint32]int{}, bias: make([]float64, len(classes)), biasSquares: make([]float64, len(classes)), dropped: dropped}
	l.counts = make([]int, len(classes))
	for _, e := range examples {
		l.counts[e.class]++
	}
	for _, e := range examples { // in their order, not the map's
		for _, h := range e.features {
			if _, ok := l.place[h]; !ok && seen[h] >= leastSeen {
				l.place[h] = len(l.place)
			}
		}
	}
	l.weights = make([]float32, len(l.place)*l.classes)
	l.squares, l.sums = make([]float32, len(l.weights)), make([]float32, len(l.weights))
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	l.chance = rand.New(rand.NewPCG(1, 2))
	mean := make([]float32, len(l.weights))
	for round := range rounds {
		l.chance.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			l.step(examples[i])
		}
		if round < firstMeant {
			continue
		}
		for i, w := range l.weights {
			mean[i] += w / (rounds - firstMeant)
		}
	}
	l.weights = mean
	return l.model(classes)
}

// learner is a model while it learns. The numbers of a feature stand together, one for each class.
type learner struct {
	classes           int
	counts            []int          // of the examples of each class
	place             map[uint32]int // of a feature
	weights           []float32
	squares, sums     []float32 // of the gradients of each weight: n and z
	bias, biasSquares []float64
	chance            *rand.Rand
	dropped           float32 // share of an example's features that it is shown without, each time
	at                []int
}

// step moves the weights towards one example.
func (l *learner) step(e example) {
	l.at = l.at[:0]
	out := slices.Clone(l.bias)
	for _, h := range e.features {
		p, ok := l.place[h]
		if !ok || l.chance.Float32() < l.dropped {
			continue
		}
		l.at = append(l.at, p*l.classes)
		for c, w := range l.weights[p*l.classes : (p+1)*l.classes] {
			out[c] += float64(w)
		}
	}
	softmax(out)
	for c := range out {
		g := out[c]
		if c == e.class {
			g--
		}
		if math.Abs(g) < 1e-4 {
			continue
		}
		l.biasSquares[c] += g * g
		l.bias[c] -= 0.05 * g / math.Sqrt(l.biasSquares[c]+1e-6)
		for _, p := range l.at {
			l.move(p+c, g)
		}
	}
}

// move changes weight i by its gradient.
func (l *learner) move(i int, g float64) {
	n := float64(l.squares[i])
	root := math.Sqrt(n + g*g)
	z := float64(l.sums[i]) + g - (root-math.Sqrt(n))/alpha*float64(l.weights[i])
	l.squares[i], l.sums[i] = float32(n+g*g), float32(z)
	w := 0.0
	if math.Abs(z) > lambda1 {
		w = -(z - math.Copysign(lambda1, z)) / ((beta+root)/alpha + lambda2)
	}
	l.weights[i] = float32(w)
}

// model returns what was learned, in steps.
func (l *learner) model(classes []string) *linear {
	var most float32
	for _, w := range l.weights {
		most = max(most, max(w, -w))
	}
	out := &linear{Classes: classes, Counts: l.counts, Scale: max(most, 1e-6) / mostSteps, Weights: map[uint32][]weight{}}
	for _, b := range l.bias {
		out.Bias = append(out.Bias, float32(b))
	}
	for h, p := range l.place {
		var kept []weight
		for c, w := range l.weights[p*l.classes : (p+1)*l.classes] {
			if steps := int8(math.Round(float64(w / out.Scale))); steps != 0 {
				kept = append(kept, weight{Class: uint8(c), Steps: steps})
			}
		}
		if kept != nil {
			out.Weights[h] = kept
		}
	}
	return out
}
