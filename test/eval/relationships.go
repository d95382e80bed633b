package main

import (
	"slices"
	"strings"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// relationships compares typed relationships with the annotated ones. Those that rest
// on co-occurrence, RELATED_TO, are only counted.
func (m *measurement) relationships(pairsOnly bool) {
	d := m.document
	annotated := d.relationships != nil
	if annotated {
		m.withRelationships, m.gold = 1, len(d.relationships)
	}
	if d.denied != nil {
		m.withDenied, m.denied = 1, len(d.denied)
	}
	found, exact, broken := make([]bool, len(d.relationships)), make([]bool, len(d.relationships)), make([]bool, len(d.denied))
	for _, rel := range m.extraction.Relationships {
		if rel.Type == vocabulary.TypeRelatedTo {
			m.related++
			if rel.Confidence >= leastShown {
				m.relatedShown++
			}
			continue
		}
		m.typed++
		if rel.Confidence >= leastShown {
			m.typedShown++
		}
		if annotated {
			m.judge(rel, pairsOnly, found, exact)
		}
		for i, no := range d.denied {
			if no.states(m.names[rel.From], m.names[rel.To], rel.Type, leniently) && !m.stated(rel, exactly) {
				broken[i] = true
				m.note("denied or supposed: %s — %q", m.said(rel), rel.Quote)
			}
		}
	}
	m.missed(found, exact, pairsOnly)
	m.violated = count(broken)
}

// judge says whether a typed relationship is right, and which annotated one it is.
func (m *measurement) judge(rel knowledge.ExtractedRelationship, pairsOnly bool, found, exact []bool) {
	from, to := m.names[rel.From], m.names[rel.To]
	agrees := func(gold triple, same sameEnds) bool {
		if pairsOnly {
			return gold.relates(from, to, same)
		}
		return gold.states(from, to, rel.Type, same)
	}
	m.judged++
	right, rightExact := false, false
	for i, gold := range m.document.relationships {
		if agrees(gold, leniently) {
			found[i], right = true, true
		}
		if agrees(gold, exactly) {
			exact[i], rightExact = true, true
		}
	}
	for _, gold := range m.document.alsoTrue {
		right = right || agrees(gold, leniently)
		rightExact = rightExact || agrees(gold, exactly)
	}
	switch {
	case rightExact:
		m.rightExact++
		m.right++
	case right:
		m.right++
		m.note("right but for its ends: %s — %q", m.said(rel), rel.Quote)
	default:
		m.note("wrong: %s — %q", m.said(rel), rel.Quote)
	}
}

// stated reports whether a relationship is annotated as true.
func (m *measurement) stated(rel knowledge.ExtractedRelationship, same sameEnds) bool {
	states := func(gold triple) bool { return gold.states(m.names[rel.From], m.names[rel.To], rel.Type, same) }
	return slices.ContainsFunc(m.document.relationships, states) || slices.ContainsFunc(m.document.alsoTrue, states)
}

// said writes a relationship as a note.
func (m *measurement) said(rel knowledge.ExtractedRelationship) string {
	label := func(key string) string {
		if names := m.names[key]; len(names) > 0 {
			return names[0]
		}
		return key
	}
	return label(rel.From) + " " + rel.Type + " " + label(rel.To)
}

// missed counts the annotated relationships that were found.
func (m *measurement) missed(found, exact []bool, pairsOnly bool) {
	m.found, m.foundExact = count(found), count(exact)
	if pairsOnly {
		return
	}
	for i, gold := range m.document.relationships {
		if !found[i] {
			m.note("relationship missed: %s %s %s", gold.from[0], gold.fits[0].typ, gold.to[0])
		}
	}
}

// unrelated counts the concepts that no relationship reaches.
func (m *measurement) unrelated() {
	related, shown, typed := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, rel := range m.extraction.Relationships {
		related[rel.From], related[rel.To] = true, true
		if rel.Confidence >= leastShown {
			shown[rel.From], shown[rel.To] = true, true
		}
		if rel.Type != vocabulary.TypeRelatedTo {
			typed[rel.From], typed[rel.To] = true, true
		}
	}
	var alone []string
	for _, c := range m.extraction.Concepts {
		if !related[c.Key] {
			m.alone++
			alone = append(alone, c.Label)
		}
		if !shown[c.Key] {
			m.aloneShown++
		}
		if !typed[c.Key] {
			m.aloneOfTyped++
		}
	}
	if len(alone) > 0 {
		m.note("without any relationship: %s", strings.Join(alone, ", "))
	}
}

// count returns how many of a list are true.
func count(list []bool) int {
	n := 0
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}
