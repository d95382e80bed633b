package ingest

import (
	"slices"
	"strings"

	"github.com/kappagraph/kappa/knowledge/naming"
)

const (
	maxTypeLength = 100
	// shortestPrefix is the shortest input that may stand for a longer type:
	// IN is not INFLUENCES.
	shortestPrefix = 3
	typeSimilarity = 0.8
)

// NormalizeType returns the word of the vocabulary that an extractor meant by
// raw: the first of the same word; the shortest that starts with it (HAS →
// HAS_PART); the longest that it starts with (CAUSES_DIRECTLY → CAUSES); one
// with the same stem (CAUSING → CAUSES); the most similar one, to 0.8 of edit
// similarity. Without any it is a new type. An unknown passive (CAUSED_BY) and
// what has no letters is refused with "": near to a known type in letters, it
// says the reverse. The result is upper case letters, digits and underscores.
func NormalizeType(existing []string, raw string) string {
	name := typeName(raw)
	if name == "" || slices.Contains(existing, name) {
		return name
	}
	if strings.HasSuffix(name, "_BY") {
		return ""
	}
	for _, match := range []func([]string, string) string{typeByPrefix, typeByExtension, typeByStem, typeBySimilarity} {
		if known := match(existing, name); known != "" {
			return known
		}
	}
	return name
}

// typeName brings raw into the form of a type, or "" without an ASCII letter to
// start with.
func typeName(raw string) string {
	parts := strings.FieldsFunc(strings.ToUpper(raw), func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	name := strings.TrimLeft(strings.Join(parts, "_"), "_0123456789")
	return strings.TrimRight(name[:min(len(name), maxTypeLength)], "_")
}

func typeByPrefix(existing []string, name string) string {
	if len(name) < shortestPrefix {
		return ""
	}
	best := ""
	for _, known := range existing {
		if strings.HasPrefix(known, name) && (best == "" || len(known) < len(best)) {
			best = known
		}
	}
	return best
}

func typeByExtension(existing []string, name string) string {
	best := ""
	for _, known := range existing {
		if strings.HasPrefix(name, known) && len(known) > len(best) {
			best = known
		}
	}
	return best
}

func typeByStem(existing []string, name string) string {
	stem := typeStem(name)
	for _, known := range existing {
		if typeStem(known) == stem {
			return known
		}
	}
	return ""
}

// typeStem strips the endings of English verb forms from each part of a type.
func typeStem(name string) string {
	parts := strings.Split(name, "_")
	for i, part := range parts {
		for _, ending := range []string{"ING", "ED", "ES", "S", "E"} {
			if stem := strings.TrimSuffix(part, ending); stem != part && len(stem) > 1 {
				part = stem
				break
			}
		}
		if stem, ok := strings.CutSuffix(part, "Y"); ok {
			part = stem + "I"
		}
		parts[i] = part
	}
	return strings.Join(parts, "_")
}

func typeBySimilarity(existing []string, name string) string {
	best, bestSimilarity := "", typeSimilarity
	for _, known := range existing {
		longest := max(len(known), len(name))
		similarity := 1 - float64(naming.EditDistance(known, name))/float64(longest)
		if similarity > bestSimilarity || best == "" && similarity >= bestSimilarity {
			best, bestSimilarity = known, similarity
		}
	}
	return best
}
