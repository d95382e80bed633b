package ingest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// byTerms counts the chunks of which all, or parts, had no reader for their language.
type byTerms struct {
	// ByTerms and PartlyByTerms count them by the code of the language.
	ByTerms       map[string]int `json:"by_terms,omitempty"`
	PartlyByTerms map[string]int `json:"partly_by_terms,omitempty"`
}

// with returns the counts with a chunk more.
func (b byTerms) with(h hints) byTerms {
	if len(h.parts) == 0 {
		if h.language != "" {
			b.ByTerms = counted(b.ByTerms, h.language)
		}
		return b
	}
	seen := map[string]bool{"": true}
	for _, p := range h.parts {
		if !seen[p.Language] {
			seen[p.Language] = true
			b.PartlyByTerms = counted(b.PartlyByTerms, p.Language)
		}
	}
	return b
}

// counted returns a copy with one more of a language: earlier checkpoints keep theirs.
func counted(counts map[string]int, language string) map[string]int {
	counts = maps.Clone(counts)
	if counts == nil {
		counts = map[string]int{}
	}
	counts[language]++
	return counts
}

// notDone says which chunks of so many had no reader; "" when all had one.
func (b byTerms) notDone(total int) string {
	codes := slices.Collect(maps.Keys(b.ByTerms))
	for code := range b.PartlyByTerms {
		if _, ok := b.ByTerms[code]; !ok {
			codes = append(codes, code)
		}
	}
	slices.SortFunc(codes, func(x, y string) int {
		return cmp.Or(b.ByTerms[y]-b.ByTerms[x], b.PartlyByTerms[y]-b.PartlyByTerms[x], strings.Compare(x, y))
	})
	var list []string
	for _, code := range codes {
		of := cmp.Or(corpus.LanguageName(code), "its language")
		whole, parts := b.ByTerms[code], b.PartlyByTerms[code]
		switch {
		case parts > 0 && whole > 0:
			of += fmt.Sprintf(" (%d of %d chunks, parts of %d)", whole, total, parts)
		case parts > 0:
			of += fmt.Sprintf(" (parts of %d of %d chunks)", parts, total)
		case whole < total:
			of += fmt.Sprintf(" (%d of %d chunks)", whole, total)
		}
		list = append(list, of)
	}
	if len(list) == 0 {
		return ""
	}
	return "Concepts by key terms only: no reader for " + strings.Join(list, ", ")
}
