package main

import "fmt"

// figure is a share between 0 and 1, or nothing: what is not annotated is not measured,
// and is no 0.
type figure struct {
	value    float64
	measured bool
}

// share returns part/whole, and nothing when there is no whole.
func share(part, whole int) figure {
	if whole == 0 {
		return figure{}
	}
	return figure{float64(part) / float64(whole), true}
}

// harmonic returns the harmonic mean of two shares. Nothing found is a 0 when there was
// something to find.
func harmonic(precision, recall figure) figure {
	if !recall.measured {
		return figure{}
	}
	sum := precision.value + recall.value
	if sum == 0 {
		return figure{0, true}
	}
	return figure{2 * precision.value * recall.value / sum, true}
}

// String returns three decimals, or a dash.
func (f figure) String() string {
	if !f.measured {
		return "–"
	}
	return fmt.Sprintf("%.3f", f.value)
}

// MarshalJSON writes a number, or null.
func (f figure) MarshalJSON() ([]byte, error) { //nolint:unparam // the interface wants it
	if !f.measured {
		return []byte("null"), nil
	}
	return fmt.Appendf(nil, "%.6f", f.value), nil
}
