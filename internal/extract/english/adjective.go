package english

import "strings"

// adjectiveRules say what "is ADJECTIVE PREPOSITION" states: "the deal is subject to
// approval". A "<" turns it round.
const adjectiveRules = `
subject:to:DEPENDS_ON dependent:on:DEPENDS_ON dependent:upon:DEPENDS_ON reliant:on:DEPENDS_ON contingent:on:DEPENDS_ON conditional:on:DEPENDS_ON
similar:to:ANALOGOUS_TO analogous:to:ANALOGOUS_TO equivalent:to:ANALOGOUS_TO identical:to:ANALOGOUS_TO comparable:to:ANALOGOUS_TO akin:to:ANALOGOUS_TO equal:to:ANALOGOUS_TO
opposite:to:OPPOSITE_OF contrary:to:CONTRADICTS incompatible:with:CONTRADICTS inconsistent:with:CONTRADICTS compatible:with:SUPPORTS
necessary:for:<REQUIRES essential:for:<REQUIRES essential:to:<REQUIRES indispensable:for:<REQUIRES vital:for:<REQUIRES crucial:for:<REQUIRES crucial:to:<REQUIRES required:for:<REQUIRES needed:for:<REQUIRES mandatory:for:<REQUIRES
native:to:LOCATED_IN endemic:to:LOCATED_IN indigenous:to:LOCATED_IN common:in:LOCATED_IN abundant:in:LOCATED_IN widespread:in:LOCATED_IN present:in:LOCATED_IN visible:in:LOCATED_IN resident:in:LOCATED_IN active:in:LOCATED_IN
rich:in:HAS_PART high:in:HAS_PART full:of:HAS_PART
resistant:to:PREVENTS immune:to:PREVENTS effective:against:PREVENTS
toxic:to:INFLUENCES poisonous:to:INFLUENCES harmful:to:INFLUENCES sensitive:to:DEPENDS_ON vulnerable:to:DEPENDS_ON susceptible:to:DEPENDS_ON
punishable:by:CAUSES
inherent:in:PART_OF central:to:PART_OF made:of:COMPOSED_OF`

// adjectiveTypes holds adjectiveRules by "adjective preposition".
var adjectiveTypes = newAdjectives()

func newAdjectives() map[string]verbRule {
	rules := map[string]verbRule{}
	for entry := range strings.FieldsSeq(adjectiveRules) {
		f := strings.Split(entry, ":")
		typ, inverted := strings.CutPrefix(f[2], "<")
		rules[f[0]+" "+f[1]] = verbRule{typ: typ, inverted: inverted}
	}
	return rules
}

// adjectival reads "is subject to approval" at the form of "be" of item i.
func (r *reader) adjectival(i int, subjects []int, confidence float64) {
	at := i + 1
	if k := r.kindOf(at); k != itemPreposition && k != itemTo || r.kindOf(at+1) != itemPhrase || r.items[at].first == 0 {
		return
	}
	first := r.items[at].first
	rule, ok := adjectiveTypes[r.sentence.tokens[first-1].low+" "+r.low(at)]
	if !ok || first-1 < r.items[i].last {
		return
	}
	from, to := r.concepts(subjects), r.concepts(r.list(at+1))
	if rule.inverted {
		from, to = to, from
	}
	r.each(from, to, rule.typ, confidence)
}
