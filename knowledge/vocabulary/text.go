package vocabulary

import "strings"

// typeTexts are what is embedded of the types that every installation knows, and of
// others that the axis of grounding is made of. The built-in embedding knows letters
// and words, not meaning: it places SUPPORTS and CONTRADICTS apart because these texts
// use the same words for agreement, and others for disagreement. A model that knows
// meaning reads them as definitions.
var typeTexts = map[string]string{
	"SUPPORTS":    "supports, affirms, strengthens, corroborates and upholds",
	"VALIDATES":   "validates, affirms, strengthens, corroborates and upholds",
	"CONFIRMS":    "confirms, affirms, strengthens, corroborates and upholds",
	"REINFORCES":  "reinforces, affirms, strengthens, corroborates and upholds",
	"CONTRADICTS": "contradicts, denies, weakens, disputes and undermines",
	"REFUTES":     "refutes, denies, weakens, disputes and undermines",
	"DISPROVES":   "disproves, denies, weakens, disputes and undermines",
	"OPPOSES":     "opposes, denies, weakens, disputes and undermines",
	"ENABLES":     "enables, makes possible, strengthens and upholds",
	"PREVENTS":    "prevents, makes impossible, weakens and undermines",

	"IMPLIES":        "implies, has as a consequence, affirms",
	"RESULTS_FROM":   "results from, comes about by",
	"INFLUENCES":     "influences, has an effect on",
	"CAUSES":         "causes, brings about, strengthens",
	"PRODUCES":       "produces, makes, strengthens",
	"REQUIRES":       "requires, cannot do without, upholds",
	"DEPENDS_ON":     "depends on, cannot do without, upholds",
	"CONSUMES":       "consumes, takes away, weakens",
	"USES":           "uses, works with, upholds",
	"COMPLEMENTS":    "complements, completes, strengthens",
	"EXTENDS":        "extends, adds to, strengthens",
	"PART_OF":        "part of, belongs to a whole",
	"HAS_PART":       "has part, contains as a whole",
	"COMPOSED_OF":    "composed of, contains as a whole",
	"OVERLAPS":       "overlaps, has something in common with",
	"RELATED_TO":     "related to, mentioned together with",
	"OPPOSITE_OF":    "opposite of, the reverse, disputes",
	"ANALOGOUS_TO":   "analogous to, similar to, corroborates",
	"DEFINES":        "defines, says what something is, affirms",
	"SPECIALIZES":    "specializes, a kind of",
	"GENERALIZES":    "generalizes, has as a kind",
	"INSTANTIATES":   "instantiates, an example of, corroborates",
	"PRECEDES":       "precedes, comes before",
	"FOLLOWS":        "follows, comes after",
	"IMPLEMENTED_BY": "implemented by, realised by",
	"IMPLEMENTS":     "implements, realises, upholds",
	"DERIVED_FROM":   "derived from, has as its source",
}

// TextOf returns what is embedded of a relationship type: its definition, or, of a
// type that an extractor brought in, the words of its name.
func TextOf(name string) string {
	if text, known := typeTexts[name]; known {
		return text
	}
	return strings.ToLower(strings.ReplaceAll(name, "_", " "))
}
