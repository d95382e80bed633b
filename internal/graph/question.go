package graph

import (
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/knowledge/naming"
	"github.com/kappagraph/kappa/knowledge/questions"
)

const (
	maxParts     = 24 // parts of a question that are searched for
	maxPartWords = 3
	// partWeight is what a hit counts that answers next to nothing of the
	// question; one that answers all of it counts 1.
	partWeight = 0.65
)

// part is a phrase within a question that may name a concept.
type part struct {
	text  string
	share float64 // of the question's content words, above 0
}

// weight is by how much a hit for p counts less than one for the whole question.
func (p part) weight() float64 { return partWeight + (1-partWeight)*p.share }

// questionParts returns the phrases of one to three content words within a
// question, in its order. "How do lanes claim jobs?" has the parts "lanes
// claim", "lanes", "claim jobs", "lanes claim jobs" and so on, and each may name
// a concept although no concept resembles the sentence as a whole. A question
// that is a single phrase has none besides itself. Of a very long question the
// long phrases are given up first.
func questionParts(question string) []part {
	words := strings.FieldsFunc(naming.LabelKey(question), betweenWords)
	content := 0
	for _, w := range words {
		if !questions.FillerWord(w) {
			content++
		}
	}
	for longest := maxPartWords; longest >= 1; longest-- {
		parts := phrases(words, longest, content)
		if len(parts) <= maxParts || longest == 1 {
			return without(parts[:min(len(parts), maxParts)], naming.LabelKey(question))
		}
	}
	return nil
}

// phrases returns the runs of up to longest words that begin and end with
// content words, without repetitions.
func phrases(words []string, longest, content int) []part {
	var parts []part
	seen := map[string]bool{}
	for from := range words {
		meaning := 0
		for to := from; to < len(words) && to < from+longest; to++ {
			if !questions.FillerWord(words[to]) {
				meaning++
			}
			text := strings.Join(words[from:to+1], " ")
			if questions.FillerWord(words[from]) || questions.FillerWord(words[to]) || seen[text] {
				continue
			}
			seen[text] = true
			parts = append(parts, part{text: text, share: float64(meaning) / float64(content)})
		}
	}
	return parts
}

func without(parts []part, whole string) []part {
	kept := parts[:0]
	for _, p := range parts {
		if p.text != whole {
			kept = append(kept, p)
		}
	}
	return kept
}

// betweenWords reports what separates words. Hyphens, dots and underscores
// within names do not.
func betweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-_.'’+#/", r)
}
