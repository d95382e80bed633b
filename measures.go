package kappa

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
func (m Measures) check(r *rules, in string) {
	r.add(in, "diversity_max_hops", checkRange(m.Hops(), 1, MaxDiversityHops))
}

// Validate reports the rules that m breaks; in says where it came from.
func (m Measures) Validate(in string) error {
	var r rules
	m.check(&r, in)
	return r.err()
}

// Shown returns what g says of the measures that are asked for.
func (m Measures) Shown(g Grounding) Grounding {
	if m.NoGrounding {
		g.Strength, g.Level, g.Confidence, g.Display = nil, nil, nil, nil
	}
	return g
}
