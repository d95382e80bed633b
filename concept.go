package kappa

import (
	"strings"
	"unicode"
)

// SectionBreak stands between the sections of a text that is embedded. No label has
// one in it, as it would a period: Mr. Bennet.
const SectionBreak = "\n"

// EmbeddingText is the text of a concept that is embedded: the label, the
// description and the search terms, each a section of its own.
func (c ExtractedConcept) EmbeddingText() string {
	parts := []string{strings.ReplaceAll(c.Label, SectionBreak, " ")}
	if c.Description != "" {
		parts = append(parts, strings.TrimSuffix(c.Description, "."))
	}
	if len(c.SearchTerms) > 0 {
		parts = append(parts, strings.Join(c.SearchTerms, " "))
	}
	return strings.Join(parts, SectionBreak)
}

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
