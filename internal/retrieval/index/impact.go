package index

import "math"

// k1 and b are the parameters of BM25.
const (
	k1 = 0.7
	b  = 0.7

	// impactSteps is what an impact is divided by: a share of a term's weight.
	impactSteps = 255
)

// saturation returns k1 times the length norm of a passage of so many words.
func saturation(length uint32, average float64) float64 {
	return k1 * (1 - b + b*float64(length)/max(average, 1e-3))
}

// impactOf returns the share of its weight that a term contributes where it occurs so often.
func impactOf(occurrences, saturation float64) byte {
	return byte(max(1, math.Round(impactSteps*occurrences/(occurrences+saturation))))
}

// occurrences returns how often a term of this impact occurs. Up to ten it is exact.
func occurrences(impact byte, saturation float64) float64 {
	share := min(float64(impact), impactSteps-0.5) / impactSteps
	return share / (1 - share) * saturation
}
