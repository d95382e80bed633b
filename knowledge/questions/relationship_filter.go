package questions

import (
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// MaxPerHop is how many concepts a question may be told to take from one hop to the next.
const MaxPerHop = 1000

// RelationshipFilter says which relationships a question follows. The zero value follows all.
type RelationshipFilter struct {
	Types         []string `json:"relationship_types,omitempty"` // only these; empty = all
	MinConfidence float64  `json:"min_confidence,omitempty"`     // none that is less certain; 0 to 1
	Direction     Heading  `json:"direction,omitempty"`          // "" = both
	// PerHop is how many of the concepts that a hop leads to are followed further and shown,
	// 1 to 1,000: those with the paths that say most. 0 = all.
	PerHop int `json:"limit_per_hop,omitempty"`
}

// check adds the rules that f breaks to r.
func (f RelationshipFilter) check(r *check.Rules, prefix string) {
	addTypes(r, "body", prefix+"relationship_types", f.Types)
	r.Add("body", prefix+"min_confidence", check.Share(f.MinConfidence))
	r.Add("body", prefix+"direction", f.Direction.check())
	r.Add("body", prefix+"limit_per_hop", check.Range(f.PerHop, 0, MaxPerHop))
}

// Heading says which way a question follows relationships.
type Heading string

// The directions. A relationship that reads the same in both directions is followed both
// ways whatever is asked for; see vocabulary.SymmetricType.
const (
	HeadingBoth Heading = "both"
	HeadingOut  Heading = "out" // away from where the question starts, as they point
	HeadingIn   Heading = "in"  // against that
)

// check leaves "" alone, which stands for both.
func (d Heading) check() string {
	if d == "" {
		return ""
	}
	return check.OneOf(d, HeadingBoth, HeadingOut, HeadingIn)
}

// Out reports that relationships are followed as they point, In that they are followed
// against that.
func (d Heading) Out() bool { return d != HeadingIn }

// In is the other way of Out.
func (d Heading) In() bool { return d != HeadingOut }

// Reversed is d as it is seen from the other end.
func (d Heading) Reversed() Heading {
	switch d {
	case HeadingOut:
		return HeadingIn
	case HeadingIn:
		return HeadingOut
	}
	return d
}

// Follows reports whether a relationship of a type is followed, which points away from where
// one stands when forward.
func (d Heading) Follows(forward bool, relationship string) bool {
	return forward && d.Out() || !forward && d.In() || vocabulary.SymmetricType(relationship)
}
