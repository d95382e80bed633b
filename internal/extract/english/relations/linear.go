package relations

import (
	"math"
	"slices"
)

// linear is a linear model: of what has certain features it says how probable each class is
// (softmax of the sums of weights).
type linear struct {
	Classes []string
	Counts  []int     // of the examples of each class
	Bias    []float32 // of each class
	Scale   float32   // of one step of a weight
	// Weights are, by feature, those that are not 0.
	Weights map[uint32][]weight
}

// weight is what a feature says for a class, in steps.
type weight struct {
	Class uint8
	Steps int8
}

// score writes the probability of each class to out, which has the length of Classes.
func (l *linear) score(f features, out []float64) {
	for i, b := range l.Bias {
		out[i] = float64(b)
	}
	for _, h := range f {
		for _, w := range l.Weights[h] {
			out[w.Class] += float64(w.Steps) * float64(l.Scale)
		}
	}
	softmax(out)
}

// softmax turns sums of weights into probabilities.
func softmax(out []float64) {
	most := slices.Max(out)
	sum := 0.0
	for i, v := range out {
		out[i] = math.Exp(v - most)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
}

// best returns the place of the highest number.
func best(list []float64) int {
	at := 0
	for i, v := range list {
		if v > list[at] {
			at = i
		}
	}
	return at
}
