package questions

import (
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/knowledge"
)

// Measures says which measures of concepts an answer carries. The zero value is what
// answers carry unless told otherwise: the grounding, and no diversity.
type Measures struct {
	NoGrounding   bool
	Diversity     bool
	DiversityHops *int // 1 to 3; nil stands for DefaultDiversityHops
}

// DefaultDiversityHops is how far around a concept its diversity is measured unless told
// otherwise.
const DefaultDiversityHops = 2

// MaxDiversityHops is how far it is measured at most.
const MaxDiversityHops = 3

// Hops returns how far around a concept the diversity is measured.
func (m Measures) Hops() int {
	if m.DiversityHops == nil {
		return DefaultDiversityHops
	}
	return *m.DiversityHops
}

// check reports the rules that m breaks; in says where it came from.
func (m Measures) check(r *check.Rules, in string) {
	r.Add(in, "diversity_max_hops", check.Range(m.Hops(), 1, MaxDiversityHops))
}

// Validate reports the rules that m breaks; in says where it came from.
func (m Measures) Validate(in string) error {
	var r check.Rules
	m.check(&r, in)
	return r.Err()
}

// Shown returns what g says of the measures that are asked for.
func (m Measures) Shown(g knowledge.Grounding) knowledge.Grounding {
	if m.NoGrounding {
		g.Strength, g.Level, g.Confidence, g.Display = nil, nil, nil, nil
	}
	return g
}
