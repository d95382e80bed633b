package naming

import (
	"strings"
	"unicode"
)

// LabelKey is a label for comparison: lower case, white space folded.
func LabelKey(label string) string { return strings.Join(strings.Fields(strings.ToLower(label)), " ") }

// ConceptSlug is the readable part of a concept's id: up to 60 lower-case
// letters and digits joined by hyphens, "concept" when nothing is left. The
// store appends an underscore and a number, which makes the id unique.
func ConceptSlug(label string) string {
	const most = 60
	words := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool {
		return r > unicode.MaxASCII || !(unicode.IsLetter(r) || unicode.IsDigit(r))
	})
	slug := strings.Join(words, "-")
	if slug == "" {
		return "concept"
	}
	return strings.TrimRight(slug[:min(len(slug), most)], "-")
}
