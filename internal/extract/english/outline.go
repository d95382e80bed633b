package english

import (
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// Limits of an outline.
const (
	leastRepeated   = 3       // how often a phrase stands in a document that repeats it
	longestRepeated = 4       // words of such a phrase
	mostTerms       = 2000    // phrases that an outline keeps
	mostCounted     = 200_000 // phrases counted at a time; rare ones are forgotten
)

// Outline reads the whole of a document once, without tagging it: the phrases that it
// repeats, what its headings name, the abbreviations that it explains and its boilerplate. The same text
// gives the same outline. It holds at most 2,000 phrases, and costs about a tenth of the
// time of Extract.
func (e *Extractor) Outline(text string, ct corpus.ContentType) *knowledge.Outline {
	o := outliner{words: e.words, stems: newCandidates(e.words), counts: map[string]int{}, lines: map[string]int{}, out: &knowledge.Outline{
		Terms: map[string]int{}, Headings: map[string]bool{}, Long: map[string]string{}, Boilerplate: map[string]bool{},
	}}
	for len(text) > 0 {
		n := outlinePiece(text)
		m := newMask(text[:n])
		for _, b := range blocksOf(m, ct) {
			o.block(m, b)
			o.countLines(m.raw, b)
		}
		text = text[n:]
	}
	o.finish()
	return o.out
}

// outlinePiece returns how much of a text is read at a time: up to the last end of a
// line within 256 KiB, so that memory does not grow with the document.
func outlinePiece(text string) int {
	const most = 256 << 10
	if len(text) <= most {
		return len(text)
	}
	if n := strings.LastIndexByte(text[:most], '\n'); n > 0 {
		return n + 1
	}
	return most
}

// outliner makes an outline.
type outliner struct {
	words  *lexicon
	stems  *candidates // for its cache
	counts map[string]int
	lines  map[string]int // how often a line stands that may be boilerplate
	seen   int            // lines of paragraphs
	out    *knowledge.Outline
}

// block counts the phrases of one block.
func (o *outliner) block(m *mask, b block) {
	t := tokenizer{words: o.words, mask: m}
	for _, s := range b.segments {
		t.segment(s.Start, s.End)
	}
	var run []string
	end := func() {
		o.run(run, b.kind == blockHeading)
		run = run[:0]
	}
	for i, tok := range t.out {
		if tok.text == "(" && i+2 < len(t.out) && t.out[i+2].text == ")" && isShortForm(t.out[i+1].text) {
			if from, ok := longForm(t.out[max(0, i-20):i], t.out[i+1].text); ok {
				o.abbreviation(t.out[max(0, i-20):i][from:], t.out[i+1].text)
			}
		}
		if tok.kind != kindWord || o.words.bands[tok.low] == bandFunction {
			end()
			continue
		}
		run = append(run, o.stems.stemsOf(t.out[i:i+1])...)
	}
	end()
}

// run counts the phrases of a run of words without function words between them.
func (o *outliner) run(stems []string, heading bool) {
	if heading && len(stems) > 0 && len(stems) <= longestRepeated {
		o.out.Headings[strings.Join(stems, " ")] = true
	}
	for from := range stems {
		for to := from + 2; to <= min(len(stems), from+longestRepeated); to++ {
			o.counts[strings.Join(stems[from:to], " ")]++
		}
	}
	if len(o.counts) > mostCounted {
		maps.DeleteFunc(o.counts, func(_ string, n int) bool { return n == 1 })
	}
}

// abbreviation keeps what the first short form of a name stands for.
func (o *outliner) abbreviation(long []token, short string) {
	if _, known := o.out.Long[short]; known || len(long) == 0 {
		return
	}
	words := make([]string, len(long))
	for i, t := range long {
		words[i] = t.text
	}
	o.out.Long[short] = strings.Join(words, " ")
}

// finish keeps the phrases that are repeated most and gives the outline its hash.
func (o *outliner) finish() {
	for term, n := range o.counts {
		if n >= leastRepeated {
			o.out.Terms[term] = n
		}
	}
	if len(o.out.Terms) > mostTerms {
		terms := slices.Sorted(maps.Keys(o.out.Terms))
		slices.SortStableFunc(terms, func(a, b string) int { return o.out.Terms[b] - o.out.Terms[a] })
		for _, term := range terms[mostTerms:] {
			delete(o.out.Terms, term)
		}
	}
	o.out.Boilerplate = o.boilerplate()
	o.out.Hash = hashOutline(o.out)
}

// hashOutline returns the hash of what an outline says.
func hashOutline(o *knowledge.Outline) string {
	h := fnv.New64a()
	for _, term := range slices.Sorted(maps.Keys(o.Terms)) {
		_, _ = h.Write([]byte(term + " " + strconv.Itoa(o.Terms[term]) + "\n"))
	}
	for _, heading := range slices.Sorted(maps.Keys(o.Headings)) {
		_, _ = h.Write([]byte("# " + heading + "\n"))
	}
	for _, short := range slices.Sorted(maps.Keys(o.Long)) {
		_, _ = h.Write([]byte(short + "=" + o.Long[short] + "\n"))
	}
	for _, line := range slices.Sorted(maps.Keys(o.Boilerplate)) {
		_, _ = h.Write([]byte("-- " + line + "\n"))
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// Narrow returns what of an outline a passage can use: phrases and headings all of whose
// words stand in it, and abbreviations and boilerplate that do. So a small part of the outline of a long
// document travels with each of its passages.
func (e *Extractor) Narrow(o *knowledge.Outline, p knowledge.Passage) *knowledge.Outline {
	if o == nil {
		return nil
	}
	m := newMask(p.Text)
	t, stems, has := tokenizer{words: e.words, mask: m}, newCandidates(e.words), map[string]bool{}
	part := &knowledge.Outline{Terms: map[string]int{}, Headings: map[string]bool{}, Long: map[string]string{}, Boilerplate: map[string]bool{}}
	for _, b := range blocksOf(m, p.ContentType) {
		for _, s := range b.segments {
			t.segment(s.Start, s.End)
			if key := boilerplateKey(p.Text[s.Start:s.End]); o.Boilerplate[key] {
				part.Boilerplate[key] = true
			}
		}
	}
	for _, stem := range stems.stemsOf(t.out) {
		has[stem] = true
	}
	bears := func(term string) bool {
		for stem := range strings.SplitSeq(term, " ") {
			if !has[stem] {
				return false
			}
		}
		return true
	}
	for term, n := range o.Terms {
		if bears(term) {
			part.Terms[term] = n
		}
	}
	for heading := range o.Headings {
		if bears(heading) {
			part.Headings[heading] = true
		}
	}
	for short, long := range o.Long {
		if strings.Contains(p.Text, short) {
			part.Long[short] = long
		}
	}
	part.Hash = hashOutline(part)
	return part
}

// outlined marks the candidates that the outline of the document names, and gives
// abbreviations their long forms.
func (r *reading) outlined(o *knowledge.Outline) {
	if o == nil {
		return
	}
	for _, c := range r.found.list {
		if c.merged != nil {
			continue
		}
		c.titled = o.Headings[c.key]
		if len(c.stems) > 1 {
			c.repeated = o.Terms[c.key]
		}
		if c.acronym || len(c.stems) == 1 {
			for _, f := range c.forms {
				if long := o.Long[f.text]; long != "" && !slices.Contains(c.aliases, long) {
					c.aliases = append(c.aliases, long)
				}
			}
		}
	}
}
