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

// present reports whether a text, given as its stems, has one of names.
func present(textStems string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.Contains(" "+textStems+" ", " "+stems(name)+" ")
	})
}

// sameEnds compares two lists of names.
type sameEnds func(names, others []string) bool

// exactly reports whether one of names and one of others are the same words.
func exactly(names, others []string) bool {
	return sharesName(names, others, func(x, y string) bool { return x == y })
}

// leniently reports whether one of names and one of others name the same thing: their
// stems are equal, or one ends with the other, as "severe malaria" and "malaria" do, so
// that both have the same head.
func leniently(names, others []string) bool {
	return sharesName(names, others, func(x, y string) bool {
		return x == y || strings.HasSuffix(" "+x, " "+y) || strings.HasSuffix(" "+y, " "+x)
	})
}

// sharesName reports whether the stems of one of names and of one of others are equal.
func sharesName(names, others []string, equal func(x, y string) bool) bool {
	for _, a := range names {
		for _, b := range others {
			if x, y := stems(a), stems(b); x != "" && y != "" && equal(x, y) {
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

// undirected are the types that say the same both ways.
const undirected = " OPPOSITE_OF ANALOGOUS_TO OVERLAPS COMPLEMENTS "

// states reports whether gold states "from typ to".
func (gold triple) states(from, to []string, typ string, same sameEnds) bool {
	want, turned := canonical(typ)
	for _, f := range gold.fits {
		have, swapped := canonical(f.typ)
		if f.typ != anyType && want != have {
			continue
		}
		a, b := gold.from, gold.to
		if (turned != swapped) != f.turned {
			a, b = b, a
		}
		if same(from, a) && same(to, b) {
			return true
		}
		if (f.typ == anyType || strings.Contains(undirected, " "+want+" ")) && same(from, b) && same(to, a) {
			return true
		}
	}
	return false
}

// relates reports whether gold relates the two ends, in whichever way and direction.
func (gold triple) relates(from, to []string, same sameEnds) bool {
	return same(from, gold.from) && same(to, gold.to) || same(from, gold.to) && same(to, gold.from)
}
