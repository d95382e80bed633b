package ingest

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

const (
	// partShare is how many of the words of a paragraph are function words of another language
	// than that of its chunk, at least, for it to be in that one: names and lists look like any.
	partShare = 0.2
	// partBytes is how much of a paragraph is looked at, and leastPart how long one in another
	// script is, at least: a formula has Greek letters.
	partBytes, leastPart = 400, 60
)

// partsOf returns the parts of a chunk, if its paragraphs are in different languages: neighbours
// in one language are one part. language is that of the chunk, as foreignChunk says it.
func partsOf(text, language string) (parts []knowledge.PassagePart) {
	paragraphs := paragraphsOf(text)
	if len(paragraphs) < 2 {
		return nil
	}
	for _, p := range paragraphs {
		own := foreignParagraph(text[p.Start:p.End], language)
		if n := len(parts); n > 0 && parts[n-1].Language == own {
			parts[n-1].End = p.End
		} else {
			parts = append(parts, knowledge.PassagePart{Span: p, Language: own})
		}
	}
	if len(parts) == 1 && parts[0].Language == language {
		return nil
	}
	return parts
}

// paragraphsOf returns what stands between blank lines, with the blank lines behind it: all of a
// text. A fenced block of code belongs to the paragraph that it begins in.
func paragraphsOf(text string) (all []corpus.Span) {
	start, at, fence, blank := 0, 0, "", false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case trimmed == "":
			blank = true
		default:
			if blank && at > start {
				all = append(all, corpus.Span{Start: start, End: at})
				start = at
			}
			blank = false
			fence = fenceOf(trimmed)
		}
		at += len(line)
	}
	if len(text) > start {
		all = append(all, corpus.Span{Start: start, End: len(text)})
	}
	return all
}

// fenceOf returns the marks with which a block of code begins; "" if there is none.
func fenceOf(text string) string {
	if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
		return text[:3]
	}
	return ""
}

// foreignParagraph returns the language of a paragraph as foreignChunk does: that of its chunk,
// unless it is clear that it is in another one.
func foreignParagraph(text, chunk string) string {
	if fenceOf(text) != "" {
		return chunk // code is in none
	}
	l := corpus.LanguageOf(text[:min(len(text), partBytes)])
	switch {
	case l.Code == "" && !l.Foreign():
		return chunk
	case l.Script == "Latin" && (l.Share < partShare || chunk == "" && l.Share < 2*l.English):
		return chunk
	case l.Script != "Latin" && len(text) < leastPart:
		return chunk
	case l.Code == "zh" && chunk == "ja": // it has those characters, too
		return chunk
	case l.Foreign():
		return cmp.Or(l.Likely, chunk, unknownLanguage)
	}
	return ""
}

// partsName tells readings of a text apart that had different parts; "" without parts.
func partsName(parts []knowledge.PassagePart) string {
	if len(parts) == 0 {
		return ""
	}
	h := fnv.New64a()
	for _, p := range parts {
		fmt.Fprintf(h, "%s %d ", p.Language, p.Start)
	}
	return fmt.Sprintf("parts %x", h.Sum64())
}
