package vocabulary

import (
	"fmt"
	"math"

	"github.com/kappagraph/kappa/knowledge"
)

// Limits are the numbers of relationship types between which the vocabulary
// is to be merged ever more eagerly, and the curve that says how eagerly.
type Limits struct {
	Min       int // from here on there is something to merge
	Max       int
	Emergency int // from here on no new type is to be accepted
	Profile   Profile
}

// Profile is a cubic Bézier curve from (0, 0) to (1, 1) with two control
// points.
type Profile struct {
	Name           string
	X1, Y1, X2, Y2 float64 // the abscissas from 0 to 1
}

// DefaultLimits returns what an installation starts with.
func DefaultLimits() Limits {
	return Limits{Min: 30, Max: 90, Emergency: 300, Profile: Profile{"aggressive", 0.1, 0, 0.9, 1}}
}

// Validate refuses limits that are not in order, and a profile that is no function.
func (l Limits) Validate() error {
	if l.Min < 0 || l.Min >= l.Max || l.Max >= l.Emergency {
		return fmt.Errorf("vocabulary limits must be 0 <= min < max < emergency, got %d, %d, %d", l.Min, l.Max, l.Emergency)
	}
	if p := l.Profile; p.X1 < 0 || p.X1 > 1 || p.X2 < 0 || p.X2 > 1 {
		return fmt.Errorf("the abscissas of profile %q must be between 0 and 1, got %g and %g", p.Name, p.X1, p.X2)
	}
	return nil
}

// ZoneBlock is the zone of a vocabulary of emergency size.
const ZoneBlock = "block"

// Aggressiveness returns how eagerly a vocabulary of that size is to be merged, 0 to
// 1, and the zone: comfort, watch, merge, mixed, emergency or block.
func (l Limits) Aggressiveness(size int) (a float64, zone string) {
	switch {
	case size <= l.Min:
		return 0, "comfort"
	case size >= l.Emergency:
		return 1, ZoneBlock
	}
	a = l.Profile.at(min(1, float64(size-l.Min)/float64(l.Max-l.Min)))
	if size > l.Max {
		a += (1 - a) * float64(size-l.Max) / float64(l.Emergency-l.Max)
	}
	a = math.Round(min(1, max(0, a))*1e9) / 1e9 // one that is 0.5 on paper is in that zone
	switch {
	case a < 0.2:
		return a, "comfort"
	case a < 0.5:
		return a, "watch"
	case a < 0.7:
		return a, "merge"
	case a < 0.9:
		return a, "mixed"
	}
	return a, "emergency"
}

// at returns the ordinate of the curve over x, 0 to 1. The abscissa grows along the
// curve, so halving finds its place.
func (p Profile) at(x float64) float64 {
	low, high := 0.0, 1.0
	for range 50 {
		if middle := (low + high) / 2; bezier(p.X1, p.X2, middle) < x {
			low = middle
		} else {
			high = middle
		}
	}
	return bezier(p.Y1, p.Y2, (low+high)/2)
}

// bezier returns a coordinate of a cubic curve from 0 to 1 with the control points a
// and b, at its place t.
func bezier(a, b, t float64) float64 {
	u := 1 - t
	return 3*u*u*t*a + 3*u*t*t*b + t*t*t
}

// Status says how large the vocabulary is, and whether it should be merged.
type Status struct {
	Size           int     `json:"vocab_size"`
	Min            int     `json:"vocab_min"`
	Max            int     `json:"vocab_max"`
	Emergency      int     `json:"vocab_emergency"`
	Aggressiveness float64 `json:"aggressiveness"` // 0 to 1
	Zone           string  `json:"zone"`
	Builtin        int     `json:"builtin_types"`
	Custom         int     `json:"custom_types"`
	Categories     int     `json:"categories"`
	Profile        string  `json:"profile"`
}

// Status sums up a vocabulary.
func (l Limits) Status(types []RelationshipType) Status {
	s := Status{Size: len(types), Min: l.Min, Max: l.Max, Emergency: l.Emergency, Profile: l.Profile.Name}
	categories := map[string]bool{}
	for _, t := range types {
		categories[t.Category] = true
		if t.Builtin {
			s.Builtin++
		}
	}
	s.Custom, s.Categories = s.Size-s.Builtin, len(categories)
	a, zone := l.Aggressiveness(s.Size)
	s.Aggressiveness, s.Zone = *knowledge.Rounded(a), zone
	return s
}
