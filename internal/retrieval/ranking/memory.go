package ranking

import (
	"math"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// met is what a word of a passage is to the question: its loose and its exact term, and the
// terms that it stands for, each -1 for none, and its grams.
type met struct {
	grams               uint32 // where they begin
	count               uint8  // of the grams
	loose, exact, nears int8
}

// nothing is the place of the met that most words of passages are: they have nothing of the question.
const nothing = 0

const (
	// mostOften is how many words have a place of their own, by their numbers: those that occur most
	// in a part of the index have the lowest. A library of some thousand passages has no others.
	mostOften = 1 << 16
	// mostMet bounds the words that are remembered. Those beyond are learned each time.
	mostMet = 1 << 16
)

// memory remembers the words of the candidates of one question, since they share most of them.
// A word has four bytes: the number of the question, without which they are of an earlier one and
// say nothing, and the place of its met. All that is touched for most words stays near the processor.
type memory struct {
	often    []uint32
	rooms    []room  // in often, of the parts of the index
	used     int     // of often
	places   []place // of all other words, by open addressing
	others   int     // how many of these are of this question
	question uint32  // from 1 up to 16 bits
	met      []met
	grams    []int16
	full     int // of grams, when met was full
}

// room is where the words of a part are in memory.often, up to a number.
type room struct {
	first, end int
	known      bool
}

// place is a word that has no room: its part and its number, and what often has of others.
type place struct {
	key  uint64
	word uint32
}

// roomOf returns the words of the part that a passage is in, those with the lowest numbers.
func (m *memory) roomOf(passage *index.Numbered) []uint32 {
	for len(m.rooms) <= passage.Part {
		m.rooms = append(m.rooms, room{})
	}
	r := &m.rooms[passage.Part]
	if !r.known {
		*r = room{first: m.used, end: min(m.used+passage.Vocabulary(), mostOften), known: true}
		m.used = r.end
		if r.end > len(m.often) {
			m.often = append(m.often, make([]uint32, r.end-len(m.often))...)
		}
	}
	return m.often[r.first:r.end]
}

// of returns what a word of a passage is to a question, by the place in met, which is valid until
// the next call; in is the room of its part.
func (m *memory) of(in []uint32, passage *index.Numbered, number uint32, q *Question, d *side) uint32 {
	if int(number) < len(in) {
		if in[number]>>16 != m.question {
			w := passage.Word(number)
			in[number] = m.learn(&w, q, d)
		}
		return in[number] & math.MaxUint16
	}
	if 2*m.others >= len(m.places) {
		m.grow()
	}
	key := uint64(passage.Part)<<32 | uint64(number)
	for at := hashed(key); ; at++ {
		p := &m.places[at&uint64(len(m.places)-1)]
		if p.word>>16 != m.question {
			w := passage.Word(number)
			if p.word = m.learn(&w, q, d); p.word>>16 == m.question {
				m.others++
				p.key = key
			}
			return p.word & math.MaxUint16
		}
		if p.key == key {
			return p.word & math.MaxUint16
		}
	}
}

// hashed returns where the search for a key begins.
func hashed(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 32 }

// learn returns what is to be remembered of a word. It is of no question when there is no room
// for it.
func (m *memory) learn(w *words.Word, q *Question, d *side) uint32 {
	p := met{loose: -1, exact: -1, nears: -1}
	if d.mayHave(w.Text) || d.mayHave(w.Stem) {
		if id, ok := d.loose.id[form(w, d.loose.field)]; ok {
			p.loose = id
		}
		if id, ok := d.exact.id[w.Text]; ok {
			p.exact = id
		}
		if id, ok := d.nearOf[w.Text]; ok {
			p.nears = id
		}
	}
	full := len(m.met) == mostMet
	if full {
		m.grams = m.grams[:m.full]
	}
	p.grams = uint32(len(m.grams))
	m.grams = q.grams.appendIDs(m.grams, w.Text)
	p.count = uint8(min(len(m.grams)-int(p.grams), math.MaxUint8)) // a word has 64 bytes
	if p.loose < 0 && p.exact < 0 && p.nears < 0 && p.count == 0 {
		return m.question<<16 | nothing
	}
	if full {
		m.met[mostMet-1] = p
		return mostMet - 1
	}
	m.met = append(m.met, p)
	if len(m.met) == mostMet-1 { // the last place is that of words that are not remembered
		m.met, m.full = append(m.met, met{}), len(m.grams)
	}
	return m.question<<16 | uint32(len(m.met)-1)
}

// begin forgets what was remembered for another question.
func (m *memory) begin() {
	m.rooms, m.used, m.others, m.grams, m.full = m.rooms[:0], 0, 0, m.grams[:0], 0
	m.met = append(m.met[:0], met{loose: -1, exact: -1, nears: -1})
	if m.question++; m.question > math.MaxUint16 {
		clear(m.places)
		clear(m.often)
		m.question = 1
	}
}

func (m *memory) grow() {
	old := m.places
	m.places = make([]place, max(2048, 2*len(old)))
	for _, p := range old {
		if p.word>>16 != m.question {
			continue
		}
		at := hashed(p.key)
		for m.places[at&uint64(len(m.places)-1)].word>>16 == m.question {
			at++
		}
		m.places[at&uint64(len(m.places)-1)] = p
	}
}
