package library

import (
	"math"
	"math/bits"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// wordMatch is what a word of a text is to a query: sets of its words, and whether it begins as the
// unfinished one.
type wordMatch struct {
	written, stems uint64
	begins         bool
}

func (m *matcher) word(w *words.Word) (is wordMatch) {
	for i := range m.words {
		if m.words[i].Text == w.Text {
			is.written |= 1 << i
		}
		if m.words[i].Stem == w.Stem {
			is.stems |= 1 << i
		}
	}
	is.begins = m.unfinished && strings.HasPrefix(w.Text, m.words[len(m.words)-1].Text)
	return is
}

// often is how many words of a part of the index are remembered by their numbers, of which those
// that occur most have the lowest.
const often = 1 << 16

// passageMatcher compares passages with a query. It remembers the words that it has met, since
// passages share most of them, and most are nothing to the query.
type passageMatcher struct {
	*matcher
	view    *index.View
	numbers index.Numbered
	texts   index.Passage
	rooms   [][]uint8 // of each part: of a word its place in known and one, or 0
	known   []wordMatch
}

func newPassageMatcher(m *matcher, v *index.View) *passageMatcher {
	return &passageMatcher{matcher: m, view: v, known: []wordMatch{{}}} // the first is nothing
}

// match says how the words of the query stand in a passage, or around it: no better than some of them
// when only its name or its headings have them.
func (p *passageMatcher) match(c *index.Candidate) corpus.WordMatch {
	p.view.ReadNumbers(c, &p.numbers)
	room := p.room()
	in := p.add(room, p.numbers.Words)
	if in == (wordMatch{}) {
		return corpus.SomeWords
	}
	around := p.add(room, p.numbers.Around)
	k := matched{written: in.written | around.written, stems: in.stems | around.stems}
	if in.begins || around.begins {
		k.written |= 1 << (len(p.words) - 1)
	}
	found := k.match(len(p.words))
	if in.begins {
		in.written |= 1 << (len(p.words) - 1)
	}
	if found == corpus.SomeWords || bits.OnesCount64(in.written) < len(p.words) {
		return found // where the phrase stands, all words do
	}
	if p.view.Read(c, &p.texts); p.isPhraseIn(p.texts.Words) {
		return corpus.PhraseMatch
	}
	return found
}

// room returns what is remembered of the part that the passage at hand is in.
func (p *passageMatcher) room() []uint8 {
	for len(p.rooms) <= p.numbers.Part {
		p.rooms = append(p.rooms, nil)
	}
	if p.rooms[p.numbers.Part] == nil {
		p.rooms[p.numbers.Part] = make([]uint8, min(p.numbers.Vocabulary(), often))
	}
	return p.rooms[p.numbers.Part]
}

// add returns what some words are to the query, all together.
func (p *passageMatcher) add(room []uint8, numbers []uint32) (all wordMatch) {
	for _, n := range numbers {
		var is wordMatch
		switch {
		case int(n) < len(room) && room[n] == 1:
			continue
		case int(n) < len(room) && room[n] > 0:
			is = p.known[room[n]-1]
		default:
			w := p.numbers.Word(n)
			is = p.word(&w)
			p.remember(room, n, is)
		}
		all.written |= is.written
		all.stems |= is.stems
		all.begins = all.begins || is.begins
	}
	return all
}

// remember remembers what a word is, as far as there is room.
func (p *passageMatcher) remember(room []uint8, n uint32, is wordMatch) {
	switch {
	case int(n) >= len(room):
	case is == wordMatch{}:
		room[n] = 1
	case len(p.known) < math.MaxUint8:
		p.known = append(p.known, is)
		room[n] = uint8(len(p.known))
	}
}
