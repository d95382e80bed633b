package graph

import (
	"math"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	leastMagnitude  = 1e-8 // of an axis that has a direction
	strongMagnitude = 0.8  // above it the poles are far apart
	neutralBelow    = 0.3  // a position between -0.3 and 0.3 is on neither side
)

// axis is the line from the negative pole to the positive one.
type axis struct {
	positive, negative models.Embedding
	unit               []float64 // its direction, of length 1
	magnitude          float64   // the distance of the poles
}

// newAxis returns the axis between two embeddings. It reports false when they are too
// similar for one, or of different lengths.
func newAxis(positive, negative models.Embedding) (axis, bool) {
	if len(positive) != len(negative) {
		return axis{}, false
	}
	a := axis{positive: positive, negative: negative, unit: make([]float64, len(positive))}
	for i := range a.unit {
		a.unit[i] = float64(positive[i]) - float64(negative[i])
		a.magnitude += a.unit[i] * a.unit[i]
	}
	a.magnitude = math.Sqrt(a.magnitude)
	if a.magnitude < leastMagnitude {
		return axis{}, false
	}
	for i := range a.unit {
		a.unit[i] /= a.magnitude
	}
	return a, true
}

// quality is the word for the distance of the poles.
func (a axis) quality() string {
	if a.magnitude > strongMagnitude {
		return questions.AxisStrong
	}
	return questions.AxisWeak
}

// fits reports whether e can be projected: it is as long as the poles, and its numbers
// are finite.
func (a axis) fits(e models.Embedding) bool { return len(e) == len(a.unit) && finite(e) }

// project returns where an embedding that fits stands.
func (a axis) project(e models.Embedding) questions.PolarityProjection {
	along := 0.0
	for i, u := range a.unit {
		along += (float64(e[i]) - float64(a.negative[i])) * u
	}
	away := 0.0
	for i, u := range a.unit {
		rest := float64(e[i]) - float64(a.negative[i]) - along*u
		away += rest * rest
	}
	position := 2*along/a.magnitude - 1
	return questions.PolarityProjection{
		Position: position, AxisDistance: math.Sqrt(away), Direction: side(position),
		Alignment: questions.PolarityAlignment{Positive: e.Cosine(a.positive), Negative: e.Cosine(a.negative)},
	}
}

// side is the word for the side of the axis on which a position is.
func side(position float64) string {
	switch {
	case position > neutralBelow:
		return questions.SidePositive
	case position < -neutralBelow:
		return questions.SideNegative
	}
	return questions.SideNeutral
}

// finite reports whether e has numbers, and none of them is infinite or none at all.
func finite(e models.Embedding) bool {
	for _, x := range e {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return false
		}
	}
	return len(e) > 0
}
