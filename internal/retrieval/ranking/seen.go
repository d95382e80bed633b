package ranking

import (
	"math/bits"
	"slices"
)

// seen is what a passage has of the question. Terms are those that count; loose ones, where
// nothing else is said. A set of terms has a bit for each.
type seen struct {
	loose, exact []int8 // of each word of the passage, its term, -1 for none
	hits         []hit
	inside       uint64
	around       uint64 // in the headings and the title
	near         uint64 // in and around it, by a word that an unknown one may mean
	sentences    []sentence
	grams        []int16 // in the order of the words

	counts, exactCounts [mostTerms]float64
	gramCounts          [mostGrams]float64
	spans               [mostTerms]int // for span
	stamps              [mostGrams]int // for gramsIn
}

// hit is a term at its place in the passage.
type hit struct {
	at int
	id int8
}

// sentence is what a sentence has of the question, and where its grams begin.
type sentence struct {
	loose, exact uint64
	grams        int
}

// clear empties it for a question.
func (s *seen) clear(q *Question, d *side) {
	s.hits, s.sentences, s.grams = s.hits[:0], s.sentences[:0], s.grams[:0]
	s.inside, s.around, s.near = 0, 0, 0
	clear(s.counts[:len(d.loose.text)])
	clear(s.exactCounts[:len(d.exact.text)])
	clear(s.gramCounts[:len(q.grams.weight)])
}

// look finds the question's words in the passage at hand, and around it. Most words of it are none.
func (c *comparer) look(d *side, m *memory) {
	s, next, room, none := &c.seen, 0, m.roomOf(&c.passage), m.question<<16|nothing
	s.clear(c.q, d)
	s.loose, s.exact = empty(s.loose, len(c.passage.Words)), empty(s.exact, len(c.passage.Words))
	for i, number := range c.passage.Words {
		for next < len(c.passage.Sentences) && c.passage.Sentences[next] <= i || len(s.sentences) == 0 {
			s.sentences = append(s.sentences, sentence{grams: len(s.grams)})
			next++
		}
		if int(number) < len(room) && room[number] == none {
			continue
		}
		at := m.of(room, &c.passage, number, c.q, d)
		if at == nothing {
			continue
		}
		p := &m.met[at]
		s.add(d, i, p)
		for _, g := range m.grams[p.grams:][:p.count] {
			s.gramCounts[g]++
			s.grams = append(s.grams, g)
		}
	}
	for _, number := range c.passage.Around {
		p := &m.met[m.of(room, &c.passage, number, c.q, d)]
		if p.loose >= 0 && int(p.loose) < d.loose.content {
			s.around |= 1 << p.loose
		}
		if p.nears >= 0 {
			s.near |= d.stands[p.nears]
		}
	}
}

// empty returns so many times no term.
func empty(list []int8, n int) []int8 {
	list = slices.Grow(list[:0], n)[:n]
	for i := range list {
		list[i] = -1
	}
	return list
}

// add adds a word of the passage.
func (s *seen) add(d *side, at int, p *met) {
	s.loose[at], s.exact[at] = p.loose, p.exact
	in := &s.sentences[len(s.sentences)-1]
	if p.nears >= 0 {
		s.near |= d.stands[p.nears]
	}
	if p.exact >= 0 && int(p.exact) < d.exact.content {
		s.exactCounts[p.exact]++
		in.exact |= 1 << p.exact
	}
	if p.loose >= 0 && int(p.loose) < d.loose.content {
		s.counts[p.loose]++
		s.inside |= 1 << p.loose
		in.loose |= 1 << p.loose
		s.hits = append(s.hits, hit{at, p.loose})
	}
}

// of returns what a set of terms weighs.
func (t *terms) of(set uint64) float64 {
	sum := 0.0
	for ; set != 0; set &= set - 1 {
		sum += t.weight[bits.TrailingZeros64(set)]
	}
	return sum
}

// known returns all terms that count, as a set.
func (t *terms) known() uint64 { return 1<<t.content - 1 }
