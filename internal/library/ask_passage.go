package library

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// headingWorth is what a word counts that stands above a passage and not in it.
const headingWorth = 0.7

// The size of a passage, in bytes: paragraphs are joined up to the first, and cut at the
// end of a sentence before the second.
const (
	passageBytes    = 400
	maxPassageBytes = 900
)

// candidate is a passage of a chunk.
type candidate struct {
	chunk      int
	start, end int // in the chunk
	table      bool
	columns    []string // of a table
	words      map[string]bool
	section    map[string]bool // the words of its headings
	found      int             // terms of the question that it has
	weight     float64         // of them: a rare one counts more
	score      float64
	also       []string
}

// namingWords returns the words of a question that name something, as they are written.
func namingWords(question string) []string {
	var names []string
	for _, w := range strings.FieldsFunc(question, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.'’+#/", r)
	}) {
		if w = strings.Trim(w, "-.'’/"); !questions.FillerWord(strings.ToLower(w)) {
			names = append(names, w)
		}
	}
	return names
}

// term is a word of a question that names something, and what says the same: the word
// joined to its neighbour, as "backup" for "back up".
type term struct {
	stem    string
	joined  []string
	written []string // the word as the question has it, and joined to its neighbours
}

// in reports whether a text has the term.
func (t term) in(words map[string]bool) bool {
	return words[t.stem] || slices.ContainsFunc(t.joined, func(j string) bool { return words[j] })
}

// particle reports a word that belongs to the verb before it and names nothing alone: "up"
// of "wake up" stands in texts about other things.
func particle(word string) bool {
	switch word {
	case "up", "down", "out", "off", "back", "away":
		return true
	}
	return false
}

// termsOf returns the terms of a question, once each.
func termsOf(question string) []term {
	names := namingWords(question)
	var terms []term
	for i, name := range names {
		w := strings.ToLower(name)
		t := term{stem: stem(w), written: []string{name}}
		join := func(first, second string) {
			t.joined = append(t.joined, stem(strings.ToLower(first+second)))
			t.written = append(t.written, first+second)
		}
		if i > 0 {
			join(names[i-1], name)
		}
		if i+1 < len(names) {
			join(name, names[i+1])
		}
		if i > 0 && particle(w) {
			continue
		}
		if !slices.ContainsFunc(terms, func(other term) bool { return other.stem == t.stem }) {
			terms = append(terms, t)
		}
	}
	return terms
}

func stem(word string) string { return english.Stem(strings.TrimSuffix(word, "'s"), true) }

// stems returns the stems of the words of a text.
func stems(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_'’+#", r)
	}) {
		all[stem(strings.Trim(w, "-'’"))] = true
		for part := range strings.SplitSeq(w, "-") {
			all[stem(part)] = true
		}
	}
	return all
}

// candidates returns the passages of the chunks that were read, in their order.
func (x *asked) candidates() []candidate {
	var all []candidate
	for _, number := range slices.Sorted(maps.Keys(x.shown)) { // in order: equals keep theirs
		source := x.shown[number]
		for _, p := range split(source.FullText) {
			text := source.FullText[p.Start:p.End]
			if onlyHeadings(text) {
				continue // it is the section of what follows
			}
			c := candidate{chunk: number, start: p.Start, end: p.End, table: p.table, columns: p.columns, words: stems(text)}
			c.section = stems(c.place(x).Section + " " + strings.Join(p.columns, " "))
			all = append(all, c)
		}
	}
	return all
}

// best returns the candidates that answer best, near-duplicates folded.
func (x *asked) best(all []candidate) []candidate {
	x.weigh(all)
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.weight, a.weight), cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.start, b.start))
	})
	var kept []candidate
	for _, c := range all {
		if c.score == 0 {
			break
		}
		if twin := slices.IndexFunc(kept, func(k candidate) bool { return x.same(k, c) }); twin >= 0 {
			name := x.shown[c.chunk].Filename
			if name != x.shown[kept[twin].chunk].Filename && !slices.Contains(kept[twin].also, name) {
				kept[twin].also = append(kept[twin].also, name)
			}
			continue
		}
		if len(kept) < x.Limit {
			kept = append(kept, c)
		}
	}
	return kept
}

// weigh scores passages: by the words of the question that they have, each the more the
// fewer passages have it, and by how their chunks rank. A passage counts six times what its
// chunk counts in one ranking, because a question is answered in a sentence.
func (x *asked) weigh(all []candidate) {
	in := map[string]int{}
	for _, c := range all {
		for _, t := range x.terms {
			if t.in(c.words) || t.in(c.section) {
				in[t.stem]++
			}
		}
	}
	sums := map[int]float64{}
	for i := range all {
		c := &all[i]
		for _, t := range x.terms {
			worth := 1.0
			switch {
			case t.in(c.words):
			case t.in(c.section):
				worth = headingWorth
			default:
				continue
			}
			c.found++
			c.weight += worth * math.Log1p(float64(len(all))/float64(in[t.stem]))
		}
		if c.found > 0 {
			// A long passage has many words by chance.
			sums[i] = c.weight / (1 + 0.15*math.Max(0, float64(c.end-c.start-passageBytes))/passageBytes)
			if c.table {
				sums[i] *= tableWorth
			}
		}
	}
	const own = 6
	top := own * reciprocal(1)
	for range x.ranks {
		top += reciprocal(1)
	}
	for i, rank := range ranksOf(sums, len(all)) {
		c := &all[i]
		c.score = own * reciprocal(rank)
		for _, ranks := range x.ranks {
			c.score += reciprocal(ranks[c.chunk])
		}
		// What lacks words of the question answers less of it.
		c.score *= (1 + float64(c.found)/float64(len(x.terms))) / 2 / top
	}
	if len(sums) > 0 {
		return
	}
	for i := range all { // no word stands anywhere: by concepts alone
		for _, ranks := range x.ranks {
			all[i].score += reciprocal(ranks[all[i].chunk]) / top / 2
		}
	}
}

// same reports whether two passages overlap, or say nearly the same.
func (x *asked) same(a, b candidate) bool {
	sa, sb := x.shown[a.chunk], x.shown[b.chunk]
	if sa.DocumentID == sb.DocumentID && sa.Start+a.start < sb.Start+b.end && sb.Start+b.start < sa.Start+a.end {
		return true
	}
	common := 0
	for w := range a.words {
		if b.words[w] {
			common++
		}
	}
	return float64(common) >= nearlySame*float64(len(a.words)+len(b.words)-common)
}

// place returns where the passage stands; the zero Place is unknown.
func (c candidate) place(x *asked) (at corpus.Place) {
	for _, p := range x.places[c.chunk] {
		// A heading at the beginning of a passage is where it stands.
		if p.Start > x.shown[c.chunk].Start+c.start {
			break
		}
		at = p
	}
	return at
}

// shown returns the passage for an answer.
func (c candidate) shown(x *asked) questions.AskPassage {
	s := x.shown[c.chunk]
	p := questions.AskPassage{
		Text: s.FullText[c.start:c.end], Document: s.Ontology, Filename: s.Filename, DocumentID: s.DocumentID, SourceID: s.SourceID, Paragraph: s.Paragraph,
		Score: math.Round(c.score*1e4) / 1e4, Words: c.found, WordsAsked: len(x.terms), AlsoIn: c.also,
		Columns: c.columns, Span: corpus.Span{Start: s.Start + c.start, End: s.Start + c.end},
	}
	if p.AlsoIn == nil {
		p.AlsoIn = []string{}
	}
	place := c.place(x)
	if place.Page > 0 {
		p.Page = &place.Page
	}
	if place.Section != "" {
		p.Section = &place.Section
	}
	return p
}

// split cuts a text into passages: paragraphs, of which short ones are joined to the next
// and long ones are cut at the ends of sentences, and rows of tables.
func split(text string) []part {
	var all []part
	add := func(p part) {
		for p.Start < p.End && space(text[p.Start]) {
			p.Start++
		}
		for p.End > p.Start && space(text[p.End-1]) {
			p.End--
		}
		if p.Start < p.End {
			all = append(all, p)
		}
	}
	prose := func(from, to int) {
		paragraphs(text[:to], from, func(start, end int) { add(part{Span: corpus.Span{Start: start, End: end}}) })
	}
	cutTables(text, prose, func(lines []corpus.Span) {
		for _, p := range rows(text, lines) {
			for end := p.End; p.Start < end; p.Start = p.End {
				if p.End = end; end-p.Start > maxPassageBytes {
					p.End = sentenceEnd(text, p.Start+passageBytes, p.Start+maxPassageBytes)
				}
				add(p)
			}
		}
	})
	return all
}

// paragraphs cuts prose from a place on into passages.
func paragraphs(text string, start int, add func(start, end int)) {
	for start < len(text) {
		end := paragraphEnd(text, start)
		for end-start < passageBytes && end < len(text) {
			next := paragraphEnd(text, end)
			if next-start > maxPassageBytes || heading(text[end:]) {
				break
			}
			end = next
		}
		for end-start > maxPassageBytes {
			cut := sentenceEnd(text, start+passageBytes, start+maxPassageBytes)
			add(start, cut)
			start = cut
		}
		add(start, end)
		start = end
	}
}

// onlyHeadings reports a passage that has nothing but headings.
func onlyHeadings(text string) bool {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" && !heading(line) {
			return false
		}
	}
	return true
}

// heading reports whether a text begins with a heading of Markdown, which belongs to what
// comes after it.
func heading(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " \r\n\t"), "#") }

// paragraphEnd returns where the paragraph at start ends, with the blank lines behind it.
func paragraphEnd(text string, start int) int {
	for start < len(text) && space(text[start]) {
		start++
	}
	i := strings.Index(text[start:], "\n\n")
	if i < 0 {
		return len(text)
	}
	return start + i + 2
}

// sentenceEnd returns the first end of a sentence between two places, or a white space.
func sentenceEnd(text string, from, to int) int {
	for i := from; i < to-1; i++ {
		if strings.IndexByte(".!?", text[i]) >= 0 && space(text[i+1]) {
			return i + 1
		}
	}
	for i := to; i > from; i-- {
		if space(text[i]) {
			return i
		}
	}
	for to > from && text[to]&0xC0 == 0x80 { // within a character
		to--
	}
	return to
}
