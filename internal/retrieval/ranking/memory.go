package ranking

import (
	"hash/maphash"
	"math"

	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// met is what a word of a passage is to the question: its loose and its exact term, and the
// terms that it stands for, each -1 for none, and its grams.
type met struct {
	key                 uint64 // its part of the index, and its number there
	question            uint32
	grams               uint32 // where they begin
	count               uint8  // of the grams
	bit                 uint8  // in a Sketch
	loose, exact, nears int8
}

// often is how many words of the largest part of the index have a place of their own: those that
// occur most have the lowest numbers, and are most of what a passage has.
const often = 1024

// memory remembers the words of the candidates of one question, since they share most of them.
type memory struct {
	often    [often]met // of the largest part, by their numbers
	places   []met      // of all others, by open addressing
	used     int
	question uint32 // which one the places are of; those of others are free
	grams    []int16
}

var seed = maphash.MakeSeed()

// of returns what a word of a passage is to a question. It is valid until the next call.
func (m *memory) of(passage *index.Numbered, number uint32, q *Question, d *side) *met {
	if passage.Part == 0 && number < often {
		p := &m.often[number]
		if p.question != m.question {
			w := passage.Word(number)
			*p = m.learn(&w, q, d)
		}
		return p
	}
	if 2*m.used >= len(m.places) {
		m.grow()
	}
	key := uint64(passage.Part)<<32 | uint64(number)
	for at := place(key); ; at++ {
		p := &m.places[at&uint64(len(m.places)-1)]
		if p.question != m.question {
			m.used++
			w := passage.Word(number)
			*p = m.learn(&w, q, d)
			p.key = key
			return p
		}
		if p.key == key {
			return p
		}
	}
}

// place returns where the search for a key begins.
func place(key uint64) uint64 { return key * 0x9e3779b97f4a7c15 >> 32 }

func (m *memory) learn(w *words.Word, q *Question, d *side) met {
	p := met{question: m.question, bit: uint8(maphash.String(seed, w.Text)), loose: -1, exact: -1, nears: -1}
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
	p.grams = uint32(len(m.grams))
	m.grams = q.grams.appendIDs(m.grams, w.Text)
	p.count = uint8(min(len(m.grams)-int(p.grams), math.MaxUint8)) // a word has 64 bytes
	return p
}

// begin forgets what was remembered for another question.
func (m *memory) begin() {
	m.used, m.grams = 0, m.grams[:0]
	if m.question++; m.question == 0 {
		clear(m.places)
		clear(m.often[:])
		m.question = 1
	}
}

func (m *memory) grow() {
	old := m.places
	m.places = make([]met, max(2048, 2*len(old)))
	for _, p := range old {
		if p.question != m.question {
			continue
		}
		at := place(p.key)
		for m.places[at&uint64(len(m.places)-1)].question == m.question {
			at++
		}
		m.places[at&uint64(len(m.places)-1)] = p
	}
}
