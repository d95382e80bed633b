package graph

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// The bounds of the words for a correlation.
const (
	strongCorrelation   = 0.7
	moderateCorrelation = 0.4
	leastCorrelated     = 3     // values that make a correlation
	leastSpread         = 1e-12 // of values that differ
)

// polarityStatistics sums up projections.
func polarityStatistics(list []questions.PolarityProjection) questions.PolarityStatistics {
	if len(list) == 0 {
		return questions.PolarityStatistics{}
	}
	s := questions.PolarityStatistics{Total: len(list)}
	positions, distances := make([]float64, len(list)), make([]float64, len(list))
	for i, p := range list {
		positions[i], distances[i] = p.Position, p.AxisDistance
		switch p.Direction {
		case questions.SidePositive:
			s.Directions.Positive++
		case questions.SideNegative:
			s.Directions.Negative++
		default:
			s.Directions.Neutral++
		}
	}
	s.PositionRange = [2]float64{slices.Min(positions), slices.Max(positions)}
	s.MeanPosition, s.Deviation = stat.PopMeanStdDev(positions, nil)
	s.MeanAxisDistance = stat.Mean(distances, nil)
	return s
}

// polarityCorrelation relates the positions of projections to their grounding.
func polarityCorrelation(list []questions.PolarityProjection) questions.PolarityCorrelation {
	positions, groundings := make([]float64, len(list)), make([]float64, len(list))
	for i, p := range list {
		positions[i], groundings[i] = p.Position, p.Grounding
	}
	if len(list) < leastCorrelated || spread(positions) < leastSpread || spread(groundings) < leastSpread {
		return questions.PolarityCorrelation{P: 1, Interpretation: "Insufficient data for correlation"}
	}
	r := min(max(stat.Correlation(positions, groundings, nil), -1), 1)
	strength, direction := correlationStrength(r), questions.SidePositive
	if r < 0 {
		direction = questions.SideNegative
	}
	return questions.PolarityCorrelation{
		R: r, P: correlationP(r, len(list)), Strength: &strength, Direction: &direction, Interpretation: interpretation(strength, direction),
	}
}

// correlationP returns how likely it is that n values that have nothing to do with each
// other correlate by r or more, in either direction.
func correlationP(r float64, n int) float64 {
	freedom := float64(n - 2)
	rest := 1 - r*r
	if rest <= 0 {
		return 0
	}
	t := math.Abs(r) * math.Sqrt(freedom/rest)
	return min(2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(t), 1)
}

func correlationStrength(r float64) string {
	switch {
	case math.Abs(r) > strongCorrelation:
		return "strong"
	case math.Abs(r) > moderateCorrelation:
		return "moderate"
	}
	return "weak"
}

// interpretation says a correlation in words.
func interpretation(strength, direction string) string {
	words := map[string]string{"strong": "Strong", "moderate": "Moderate", "weak": "Weak"}[strength] + " " + direction + " correlation: "
	switch {
	case strength == "weak":
		return words + "position and grounding have little to do with each other"
	case direction == questions.SidePositive:
		return words + "concepts toward the positive pole tend to be better grounded"
	}
	return words + "concepts toward the negative pole tend to be better grounded"
}

// spread is the distance of the least and the greatest value.
func spread(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Max(values) - slices.Min(values)
}
