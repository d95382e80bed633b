package answers

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kappagraph/kappa/corpus"
)

// Statement is a passage, with what decides whether and in which order it contradicts others.
type Statement struct {
	Document string    // passages of one document are not compared
	Written  time.Time // when the document was; the zero time is older than any other
	Passage  *Passage
}

// Claim is a sentence of a statement, and the number or date that another one contradicts.
type Claim struct {
	Statement int         // its index
	Sentence  corpus.Span // in its text
	Value     corpus.Span // in its text
}

// Contradiction is two documents that say different numbers or dates about the same thing.
type Contradiction struct{ Newer, Older Claim }

// The bounds of what is compared.
const (
	mostStatements = 20
	mostClaims     = 40 // of a statement
	leastShared    = 3  // words, besides the number
	leastAlike     = 0.6
)

// Contradictions returns where passages of different documents contradict each other: in sentences
// that share most of their words and all of their names, and that have as many numbers and dates,
// of which exactly one differs in its value and not in its unit. A number that is another one,
// rounded, is no contradiction. The newest come first. It looks at the first twenty statements.
func Contradictions(statements []Statement) []Contradiction {
	statements = statements[:min(len(statements), mostStatements)]
	if !slices.ContainsFunc(statements, func(s Statement) bool { return s.Document != statements[0].Document }) {
		return nil
	}
	var all []Contradiction
	for i, s := range statements {
		for j := i + 1; j < len(statements); j++ {
			if statements[j].Document == s.Document {
				continue
			}
			for _, a := range s.Passage.claims() {
				for _, b := range statements[j].Passage.claims() {
					if x, ok := contradict(&a, &b); ok {
						x.Newer.Statement, x.Older.Statement = i, j
						if statements[j].Written.After(s.Written) {
							x.Newer, x.Older = x.Older, x.Newer
						}
						all = append(all, x)
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Contradiction) int {
		return cmp.Or(statements[b.Newer.Statement].Written.Compare(statements[a.Newer.Statement].Written),
			statements[b.Older.Statement].Written.Compare(statements[a.Older.Statement].Written))
	})
	return all
}

// claim is a sentence with numbers or dates.
type claim struct {
	sentence corpus.Span
	values   []value
	stems    map[string]bool // of what else it says
	names    []string        // folded, sorted
	denies   bool
}

// value is a number or a date of a claim.
type value struct {
	corpus.Span
	moment *moment
	amount *amount
}

// readClaims returns the sentences that have numbers or dates.
func (p *Passage) readClaims() []claim {
	var all []claim
	for _, s := range p.spans {
		sentence := p.Text[s.Start:s.End]
		if len(all) == mostClaims || len(sentence) > mostExact || itemMark(sentence) {
			continue
		}
		c := claim{sentence: s, stems: map[string]bool{}}
		pieces := p.piecesIn(s)
		dates := momentsOf(sentence, pieces)
		for _, m := range dates {
			if m.year != 0 || m.month != 0 && m.day != 0 {
				c.values = append(c.values, value{Span: m.Span, moment: &m})
			}
		}
		for _, a := range amountsOf(sentence, pieces, dates) {
			c.values = append(c.values, value{Span: a.Span, amount: &a})
		}
		if len(c.values) == 0 {
			continue
		}
		slices.SortFunc(c.values, func(a, b value) int { return a.Start - b.Start })
		c.read(pieces)
		all = append(all, c)
	}
	return all
}

// read keeps what a sentence says besides its numbers.
func (c *claim) read(pieces []piece) {
	for i, p := range pieces {
		if slices.ContainsFunc(c.values, func(v value) bool { return p.Start >= v.Start && p.Start < v.End }) {
			continue
		}
		switch p.Text {
		case "not", "no", "never", "without", "nicht", "kein":
			c.denies = true
		}
		if p.small || loose[p.Text] {
			continue
		}
		c.stems[p.Stem] = true
		if p.capital && i > 0 || strings.ContainsAny(p.Text, "0123456789") {
			c.names = append(c.names, p.Text)
		}
	}
	slices.Sort(c.names)
	c.names = slices.Compact(c.names)
}

// loose are words that say how exact a number is.
var loose = set("about around approximately roughly nearly almost some over least most exactly up more less circa ca")

// contradict returns how two claims contradict each other.
func contradict(a, b *claim) (x Contradiction, ok bool) {
	if len(a.values) != len(b.values) || a.denies != b.denies || !slices.Equal(a.names, b.names) || !alike(a.stems, b.stems) {
		return x, false
	}
	differs := -1
	for i := range a.values {
		same, ofOneKind := compared(a.values[i], b.values[i])
		switch {
		case !ofOneKind:
			return x, false
		case same:
		case differs >= 0:
			return x, false
		default:
			differs = i
		}
	}
	if differs < 0 {
		return x, false
	}
	return Contradiction{Newer: a.shown(differs), Older: b.shown(differs)}, true
}

// alike reports whether two sentences say the same but for their numbers.
func alike(a, b map[string]bool) bool {
	shared := 0
	for w := range a {
		if b[w] {
			shared++
		}
	}
	return shared >= leastShared && float64(shared) >= leastAlike*float64(len(a)+len(b)-shared)
}

// compared says whether two values are the same, and whether they are of one kind and unit.
func compared(a, b value) (same, ofOneKind bool) {
	switch {
	case a.moment != nil && b.moment != nil:
		m, n := *a.moment, *b.moment
		agree := func(x, y int) bool { return x == 0 || y == 0 || x == y }
		return agree(m.year, n.year) && agree(m.month, n.month) && agree(m.day, n.day), true
	case a.amount != nil && b.amount != nil:
		return sameValue(a.amount.value, b.amount.value), a.amount.unit == b.amount.unit && a.amount.counts == b.amount.counts
	}
	return false, false
}

func (c *claim) shown(i int) Claim {
	return Claim{Sentence: c.sentence, Value: corpus.Span{Start: c.sentence.Start + c.values[i].Start, End: c.sentence.Start + c.values[i].End}}
}
