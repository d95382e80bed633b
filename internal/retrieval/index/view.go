package index

import (
	"cmp"
	"slices"
	"sort"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// View is the index at one moment. Any number of goroutines may read it. The files that it
// reads stay in memory as long as something refers to it.
type View struct {
	parts     []*part // the largest first
	passages  int
	words     int64
	documents int
}

// Candidate is a passage that may answer. It belongs to the View that returned it.
type Candidate struct {
	Meta

	Score   float32
	part    *part
	passage uint32
	known   []weighedTerm // the terms of its query, which need not be looked up again
}

// Passages returns how many passages there are.
func (v *View) Passages() int { return v.passages }

// Words returns how many words they have, without those around them.
func (v *View) Words() int64 { return v.words }

// Documents returns how many documents they are of.
func (v *View) Documents() int { return v.documents }

// candidate returns a passage of a part.
func candidate(p *part, passage uint32, score float32) Candidate {
	c := Candidate{Score: score, part: p, passage: passage}
	p.meta(passage, &c.Meta)
	return c
}

// Passage is what ranking needs of a passage. Words have no Start and End.
type Passage struct {
	Words     []words.Word
	Sentences []int
	Around    []words.Word
	numbers   numbers
	view      *View // whose bytes the strings are
}

// Read reads the words of a candidate into a Passage, whose slices are used again. The strings
// are no copies: they may be read as long as the Passage or the View is referred to.
func (v *View) Read(c *Candidate, into *Passage) {
	into.view = v
	n := numbers{words: into.numbers.words, around: into.numbers.around, sentences: into.Sentences}
	c.part.forwardOf(c.passage, &n)
	into.numbers, into.Sentences = n, n.sentences
	into.Words = c.part.appendWords(into.Words[:0], n.words)
	into.Around = c.part.appendWords(into.Around[:0], n.around)
}

func (s *segment) appendWords(to []words.Word, numbers []uint32) []words.Word {
	to = slices.Grow(to, len(numbers))
	for _, n := range numbers {
		to = append(to, s.word(n))
	}
	return to
}

// Defining returns the passages that define a folded term, those of the lowest IDs first.
func (v *View) Defining(term string) []Candidate {
	defer keepAlive(v)
	var all []Candidate
	for _, p := range v.parts {
		n := len(p.definitionRows) / 4
		at := func(i int) string { return stringAt(p.definitions, p.definitionEnds, i) }
		for i := sort.Search(n, func(i int) bool { return at(i) >= term }); i < n && at(i) == term; i++ {
			if passage := number(p.definitionRows, i); !p.dead.has(passage) {
				all = append(all, candidate(p, passage, 0))
			}
		}
	}
	slices.SortFunc(all, func(a, b Candidate) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
