package kappa

// RelationshipFilter says which relationships a question follows. The zero value follows all.
type RelationshipFilter struct {
	Types         []string `json:"relationship_types,omitempty"` // only these; empty = all
	MinConfidence float64  `json:"min_confidence,omitempty"`     // none that is less certain; 0 to 1
}

// check adds the rules that f breaks to r.
func (f RelationshipFilter) check(r *rules, prefix string) {
	r.addTypes("body", prefix+"relationship_types", f.Types)
	r.add("body", prefix+"min_confidence", checkShare(f.MinConfidence))
}
