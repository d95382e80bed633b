package english

import (
	"slices"
	"strings"
)

// temper is less sure of what rough sentences say, and leaves out what they class without a verb.
func (r *reading) temper() {
	kept := r.statements[:0]
	for _, st := range r.statements {
		if s := &r.sentences[st.sentence]; r.rough(s) {
			if (st.typ == "SPECIALIZES" || st.typ == "INSTANTIATES") && !says(s) {
				continue // "OK food, slow service"
			}
			st.confidence = hundredths(st.confidence - roughness)
		}
		kept = append(kept, st)
	}
	r.statements = kept
}

// roughness is how much less often what a rough sentence states is true.
const roughness = 0.2

// rough reports a sentence of a paragraph that was not written with care, or is none: it does not begin
// with a capital or does not end, or has marks that such texts have.
func (r *reading) rough(s *sentence) bool {
	if s.kind != blockParagraph {
		return false
	}
	first, last := s.tokens[0], s.tokens[len(s.tokens)-1]
	if first.kind == kindWord && startsLower(first.text) || last.kind != kindPunct || last.text == "," {
		return true
	}
	for i, t := range s.tokens {
		repeated := i > 0 && t.kind == kindPunct && strings.Contains("?!.", t.text) && t.text == s.tokens[i-1].text
		if repeated || strings.Contains(t.text, "://") || strings.Contains(t.text, "@") {
			return true
		}
	}
	return false
}

// says reports a sentence with a verb, or with a mark that stands for one: "Lane: a group of job types".
func says(s *sentence) bool {
	return slices.ContainsFunc(s.tokens, func(t token) bool {
		return t.tag.isFinite() || t.text == ":" || t.text == "–" || t.text == "—" || t.text == "-"
	})
}
