package main

import (
	"fmt"
	"strings"
)

// words are what an annotator may write in place of types: what a sentence says, and the
// types of the vocabulary that a reader would accept for it. "~" turns the ends round:
// "A founded B" is "A PRODUCES B" or "B DERIVED_FROM A". One table for all passages, so
// that no annotation is bent to what the extractor happens to say.
var words = map[string]string{
	"is a":     "SPECIALIZES INSTANTIATES",
	"means":    "DEFINES ~DEFINES SPECIALIZES INSTANTIATES ~SPECIALIZES",
	"has":      "HAS_PART COMPOSED_OF OWNS",
	"in":       "PART_OF LOCATED_IN",
	"capital":  "CAPITAL_OF PART_OF LOCATED_IN",
	"born in":  "BORN_IN DERIVED_FROM PART_OF LOCATED_IN",
	"made":     "FOUNDED DISCOVERED PRODUCES ~DERIVED_FROM CAUSES",
	"leads":    "LEADS INFLUENCES PART_OF ~DEPENDS_ON ENABLES",
	"acquired": "ACQUIRED HAS_PART CONSUMES",
	"replaces": "REPLACES FOLLOWS EXTENDS DERIVED_FROM",
	"treats":   "TREATS PREVENTS INFLUENCES",
	"used for": "ENABLES SUPPORTS PRODUCES ~USES ~REQUIRES INFLUENCES",
	"causes":   "CAUSES PRODUCES ENABLES INFLUENCES",
	"needs":    "REQUIRES DEPENDS_ON",
	"uses":     "USES DEPENDS_ON REQUIRES",
}

// fit is a type that an annotated relationship may have.
type fit struct {
	typ    string
	turned bool // the ends change places
}

// anyType stands for every type but RELATED_TO, in a statement that is denied as a whole.
const anyType = "*"

// parseFits reads the middle of an annotated relationship: types and words, separated by
// commas.
func parseFits(list string) ([]fit, error) {
	var out []fit
	for _, item := range fields(list, ",") {
		expanded, known := words[item]
		if !known {
			expanded = item
		}
		for typ := range strings.FieldsSeq(expanded) {
			plain, turned := strings.CutPrefix(typ, "~")
			if plain != anyType && plain != strings.ToUpper(plain) {
				return nil, fmt.Errorf("%q is neither a type nor a word for types", item)
			}
			out = append(out, fit{plain, turned})
		}
	}
	return out, nil
}
