package english

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// Limits of boilerplate.
const (
	longestBoilerplate = 100    // bytes of a line
	mostBoilerplate    = 200    // lines that an outline keeps
	mostLines          = 50_000 // different lines counted at a time; rare ones are forgotten
)

// boilerplateKey returns the form in which the headers of pages and the lines of signatures
// are equal, with 0 for each number: "Annual report - page 3" is "Annual report - page 0".
// It is empty for a line that is none of them: a long one, one without letters, and one
// that ends like a sentence.
func boilerplateKey(line string) string {
	line = strings.TrimSpace(line)
	if line == "" || len(line) > longestBoilerplate || strings.ContainsAny(line[len(line)-1:], ".!?:;") || !strings.ContainsFunc(line, unicode.IsLetter) {
		return ""
	}
	var key strings.Builder
	digits := false
	for _, r := range line {
		digit := unicode.IsDigit(r)
		switch {
		case !digit:
			key.WriteRune(r)
		case !digits:
			key.WriteByte('0')
		}
		digits = digit
	}
	return key.String()
}

// countLines counts the lines of a paragraph that may be boilerplate.
func (o *outliner) countLines(raw string, b block) {
	if b.kind != blockParagraph {
		return
	}
	o.seen += len(b.segments)
	for _, s := range b.segments {
		if key := boilerplateKey(raw[s.Start:s.End]); key != "" {
			o.lines[key]++
		}
	}
	if len(o.lines) > mostLines {
		maps.DeleteFunc(o.lines, func(_ string, n int) bool { return n == 1 })
	}
}

// boilerplate returns the lines that the document repeats: none when they are half of its
// lines, for then they are what it is about.
func (o *outliner) boilerplate() map[string]bool {
	maps.DeleteFunc(o.lines, func(_ string, n int) bool { return n < leastRepeated })
	repeated := 0
	for _, n := range o.lines {
		repeated += n
	}
	if repeated*2 > o.seen {
		return map[string]bool{}
	}
	keys := slices.Sorted(maps.Keys(o.lines))
	slices.SortStableFunc(keys, func(a, b string) int { return o.lines[b] - o.lines[a] })
	out := map[string]bool{}
	for _, key := range keys[:min(len(keys), mostBoilerplate)] {
		out[key] = true
	}
	return out
}

// withoutBoilerplate returns blocks without the lines that the document repeats.
func withoutBoilerplate(raw string, blocks []block, o *knowledge.Outline) []block {
	if o == nil || len(o.Boilerplate) == 0 {
		return blocks
	}
	kept := blocks[:0]
	for _, b := range blocks {
		if b.kind == blockParagraph {
			b.segments = slices.DeleteFunc(b.segments, func(s corpus.Span) bool {
				return o.Boilerplate[boilerplateKey(raw[s.Start:s.End])]
			})
		}
		if len(b.segments) > 0 {
			kept = append(kept, b)
		}
	}
	return kept
}
