package knowledge

import (
	"strings"

	"github.com/kappagraph/kappa/internal/check"
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

// How a concept came about.
const (
	CreatedByIngestion = "llm_extraction" // an ingestion found it: the word that clients know
	CreatedByHuman     = "human"
	CreatedByAgent     = "agent"
)

// CheckConceptID returns a kappa.CodeInvalid Error for an id that no concept can have; in
// and name say where it came from.
func CheckConceptID(in, name, id string) error {
	var r check.Rules
	r.Add(in, name, check.ConceptID(id))
	return r.Err()
}
