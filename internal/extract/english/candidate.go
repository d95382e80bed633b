package english

import (
	"strings"
	"unicode"
)

// candidate is what may become a concept: all phrases with the same stems.
type candidate struct {
	key        string
	stems      []string
	forms      []form
	mentions   []mention
	name       bool // a proper noun
	acronym    bool
	code       bool
	titled     bool // a heading of the document names it
	repeated   int  // how often the document has it, when it repeats it
	reference  bool // a code for a thing, such as ADR-100
	heading    bool
	marked     bool    // set off by the writer: bold, a code span
	inner      int     // how many of its mentions are the start of a longer phrase
	nested     int     // how often it is part of a longer candidate
	defined    bool    // a sentence says what it is
	definition int     // that sentence
	statements []int   // sentences that state a relationship of it
	linked     bool    // an end of a typed relationship
	describe   string  // the defining sentence
	idf        float64 // mean over its words
	score      float64
	aliases    []string // long form, abbreviation, other names
	plural     string   // as it stands in the text, when it does not end in -s: "children"
	described  int      // how many of its mentions only describe something: "Canadian"
	merged     *candidate
}

// form is one way a candidate is written.
type form struct {
	text string
	n    int
	weak bool // seen in a title or at the start of a sentence only
}

// mention is one place where a candidate stands.
type mention struct {
	sentence    int
	first, last int // tokens of the name
}

// root follows merges.
func (c *candidate) root() *candidate {
	for c.merged != nil {
		c = c.merged
	}
	return c
}

// contains reports whether the words of other are part of c's.
func (c *candidate) contains(other *candidate) bool {
	return strings.Contains(" "+c.key+" ", " "+other.key+" ")
}

// addForm counts a way of writing c.
func (c *candidate) addForm(text string, weak bool) {
	for i := range c.forms {
		if c.forms[i].text == text {
			c.forms[i].n++
			c.forms[i].weak = c.forms[i].weak && weak
			return
		}
	}
	if len(c.forms) < 12 {
		c.forms = append(c.forms, form{text: text, n: 1, weak: weak})
	}
}

// label returns the best form: seen outside titles, most frequent, first.
func (c *candidate) label() string {
	best := c.forms[0]
	for _, f := range c.forms[1:] {
		if best.weak && !f.weak || best.weak == f.weak && f.n > best.n {
			best = f
		}
	}
	return best.text
}

// candidates collects the candidates of one piece of text.
type candidates struct {
	words *lexicon
	byKey map[string]*candidate
	list  []*candidate // in order of first mention
	stems map[string]string

	languages bool // the text names C++ or C#, so that C is one too
}

// newCandidates starts an empty collection.
func newCandidates(words *lexicon) *candidates {
	return &candidates{words: words, byKey: map[string]*candidate{}, stems: map[string]string{}}
}

// stem caches stem.
func (c *candidates) stem(low string) string {
	s, ok := c.stems[low]
	if !ok {
		s = inflected(low)
		c.stems[low] = s
	}
	return s
}

// find returns the candidate with key, after merges, or nil.
func (c *candidates) find(key string) *candidate {
	if found := c.byKey[key]; found != nil {
		return found.root()
	}
	return nil
}

// add counts the phrase p of sentence s as a mention and sets p.key. A phrase
// that names nothing leaves the key empty.
func (c *candidates) add(s *sentence, index int, p *phrase, title bool) {
	name := s.tokens[p.from:p.last]
	if p.pronoun || !c.names(name) {
		return
	}
	stems := c.stemsOf(name)
	key := strings.Join(stems, " ")
	if key == "" {
		return
	}
	cand := c.byKey[key]
	if cand == nil {
		cand = &candidate{key: key, stems: stems, idf: c.idf(name)}
		c.byKey[key] = cand
		c.list = append(c.list, cand)
	}
	p.key = key
	text := surface(name)
	cand.addForm(text, title || p.from == 0)
	if last := name[len(name)-1]; last.tag == posNouns && irregularPlural(last.low) != "" && !strings.HasSuffix(last.low, "s") {
		cand.plural = strings.TrimSuffix(lower(text), lower(singularForm(last.text))) + last.low
	}
	cand.mentions = append(cand.mentions, mention{sentence: index, first: p.from, last: p.last})
	cand.heading = cand.heading || s.kind == blockHeading
	cand.marked = cand.marked || name[0].marked
	last := name[len(name)-1]
	cand.name = cand.name || !title && last.tag == posName && (last.own || p.last-p.from > 1)
	cand.name = cand.name || !title && last.tag == posNumber && name[0].tag == posName && name[0].own // "Apollo 11"
	cand.acronym = cand.acronym || len(name) == 1 && isAcronym(last.text) && last.tag == posName
	cand.code = cand.code || len(name) == 1 && last.tag == posCode
	cand.reference = cand.reference || len(name) == 1 && strings.Contains(last.text, "-") && strings.ContainsAny(last.text, "0123456789")
	c.addInnerName(s, index, p, title)
}

// addInnerName adds the name at the start of a longer phrase, as MRI in "MRI
// scanner", as a candidate of its own.
func (c *candidates) addInnerName(s *sentence, index int, p *phrase, title bool) {
	to := p.from
	for to < p.last && (s.tokens[to].tag == posName && s.tokens[to].own || to > p.from && s.tokens[to].tag == posNumber) {
		to++
	}
	if to == p.from || to == p.last || title || s.tokens[p.last-1].tag == posName {
		return
	}
	inner := phrase{first: p.from, from: p.from, last: to}
	c.add(s, index, &inner, title)
	if inner.key != "" {
		c.byKey[inner.key].inner++
	}
}

// stemsOf returns the stems that identify a name.
func (c *candidates) stemsOf(name []token) []string {
	var stems []string
	for _, t := range name {
		if t.tag == posGenitive {
			continue
		}
		if t.kind == kindCode && isFlag(t.low) {
			stems = append(stems, t.low)
			continue
		}
		if t.tag == posName && len(t.text) > 3 && isUpper(t.text) && !strings.Contains(t.text, "_") && strings.HasSuffix(t.text, "S") && (c.words.band(t.low) == bandRare || initials(t.text)) {
			stems = append(stems, t.low) // IMAPS is no plural of IMAP
			continue
		}
		for _, part := range strings.FieldsFunc(t.low, func(r rune) bool { return r == '-' || r == '_' || r == ' ' }) {
			stems = append(stems, c.stem(part))
		}
	}
	return stems
}

// idf returns the mean inverse document frequency of the words of a name.
func (c *candidates) idf(name []token) float64 {
	sum, n := 0.0, 0
	for _, t := range name {
		if t.tag == posGenitive || t.low == "of" || t.low == "the" {
			continue
		}
		best := 0.0
		for _, part := range strings.FieldsFunc(t.low, func(r rune) bool { return r == '-' || r == '_' }) {
			best = max(best, c.words.idf(part))
		}
		sum += best
		n++
	}
	return sum / float64(max(n, 1))
}

// names reports whether the tokens of a phrase can name a concept.
func (c *candidates) names(name []token) bool {
	content, letters := 0, 0
	for _, t := range name {
		for _, r := range t.text {
			if unicode.IsLetter(r) {
				letters++
			}
		}
		if t.tag != posGenitive && !c.words.isGeneric(t.low) && !c.words.empty[t.low] && c.words.bands[t.low] != bandFunction && t.tag != posNumber {
			content++
		}
		if t.kind == kindJunk || t.kind == kindBreak || strings.HasSuffix(t.text, ".") && t.tag != posName {
			return false
		}
	}
	head := name[len(name)-1]
	switch {
	case len(name) == 1 && head.kind == kindWord && (signedName(head.text) || c.languages && head.text == "C"):
		return true
	case content == 0 || letters < 2:
		return false
	case len(name) > 1:
		return (c.words.bands[head.low] != bandFunction || head.tag == posName) && !strings.Contains(" bc ad bce ", " "+head.low+" ")
	case head.tag == posCode:
		return letters > 2
	case head.tag == posName:
		return (letters > 2 || isAcronym(head.text) || isCapital(head.text) && strings.ContainsAny(head.text, "0123456789")) && !strings.Contains(calendar, " "+head.low+" ")
	}
	return letters > 2 && !strings.Contains(calendar, " "+head.low+" ")
}

// calendar lists names of dates.
const calendar = " january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday bc ad bce "

// inflected returns the form of a word in which its inflections are equal.
func inflected(low string) string {
	for i := range len(low) {
		if (low[i] < 'a' || low[i] > 'z') && low[i] != '\'' {
			return strings.TrimSuffix(low, "'s")
		}
	}
	if len(low) <= 3 {
		return low
	}
	return singular(low)
}
