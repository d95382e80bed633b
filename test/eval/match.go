package main

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// stems returns the stems of the words of a phrase in one string, so that
// "Worker-lanes" and "worker lane" are equal.
func stems(phrase string) string {
	words := strings.FieldsFunc(strings.ToLower(phrase), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) > 1 && (words[0] == "the" || words[0] == "a" || words[0] == "an") {
		words = words[1:]
	}
	for i, w := range words {
		words[i] = english.Stem(w, true)
	}
	return strings.Join(words, " ")
}

// stemSet returns the distinct stems of phrases in order.
func stemSet(phrases []string) []string {
	var out []string
	for _, p := range phrases {
		if s := stems(p); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// sameThing reports whether one of names and one of others name the same thing:
// their stems are equal, or one ends with the other, as "severe malaria" and
// "malaria" do, so that both have the same head.
func sameThing(names, others []string) bool {
	for _, a := range names {
		for _, b := range others {
			x, y := " "+stems(a), " "+stems(b)
			if x == y || len(x) > 1 && len(y) > 1 && (strings.HasSuffix(x, y) || strings.HasSuffix(y, x)) {
				return true
			}
		}
	}
	return false
}

// canonical maps a type to one of a group that says the same, and reports whether
// the ends change places: "A PART_OF B" is "B HAS_PART A".
func canonical(typ string) (string, bool) {
	switch typ {
	case "PART_OF":
		return "HAS_PART", true
	case "COMPOSED_OF":
		return "HAS_PART", false
	case "INSTANTIATES":
		return "SPECIALIZES", false
	case "GENERALIZES":
		return "SPECIALIZES", true
	case "RESULTS_FROM":
		return "CAUSES", true
	case "FOLLOWS":
		return "PRECEDES", true
	case "IMPLEMENTED_BY":
		return "IMPLEMENTS", true
	}
	return typ, false
}

// states reports whether gold states "from typ to".
func (gold triple) states(from, to []string, typ string, pairsOnly bool) bool {
	if pairsOnly {
		return sameThing(from, gold.from) && sameThing(to, gold.to) || sameThing(from, gold.to) && sameThing(to, gold.from)
	}
	want, turned := canonical(typ)
	for _, t := range gold.types {
		have, swapped := canonical(t)
		if want != have {
			continue
		}
		a, b := gold.from, gold.to
		if turned != swapped {
			a, b = b, a
		}
		if sameThing(from, a) && sameThing(to, b) {
			return true
		}
	}
	return false
}
