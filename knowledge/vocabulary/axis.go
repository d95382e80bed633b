package vocabulary

import (
	"math"

	"github.com/kappagraph/kappa/corpus/models"
)

// opposedTypes are the pairs of relationship types that say the opposite: the first
// supports its target, the second speaks against it.
var opposedTypes = [][2]string{
	{"SUPPORTS", "CONTRADICTS"},
	{"VALIDATES", "REFUTES"},
	{"CONFIRMS", "DISPROVES"},
	{"REINFORCES", "OPPOSES"},
	{"ENABLES", "PREVENTS"},
}

// Axis is the direction from disagreement to agreement in the space of the
// embeddings of one model. Its length is 1, or 0 when no pair of opposed types is
// known.
type Axis []float64

// GroundingAxis returns the normalised mean of the differences between opposed types, of
// the pairs for which both have an embedding of the same length.
func GroundingAxis(types map[string]models.Embedding) Axis {
	var axis Axis
	for _, pair := range opposedTypes {
		towards, against := types[pair[0]], types[pair[1]]
		if len(towards) == 0 || len(towards) != len(against) || (axis != nil && len(axis) != len(towards)) {
			continue
		}
		if axis == nil {
			axis = make(Axis, len(towards))
		}
		for i := range axis {
			axis[i] += float64(towards[i]) - float64(against[i])
		}
	}
	length := 0.0
	for _, x := range axis {
		length += x * x
	}
	if length = math.Sqrt(length); length == 0 {
		return nil
	}
	for i := range axis {
		axis[i] /= length
	}
	return axis
}

// Projection returns how far e points along the axis, -1 to 1 for an embedding of
// length 1: what an edge of that type adds to the grounding of its target. It is 0
// without an axis.
func (a Axis) Projection(e models.Embedding) float64 {
	if len(a) != len(e) {
		return 0
	}
	sum := 0.0
	for i := range a {
		sum += a[i] * float64(e[i])
	}
	return min(1, max(-1, sum))
}
