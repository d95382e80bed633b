package index

import (
	"errors"
	"io"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// errStopped ends a merge that is not wanted any more.
var errStopped = errors.New("stopped")

// merger makes one segment of several, without their dead passages.
type merger struct {
	sources   []source
	average   float64
	stop      func() bool
	documents []int32  // of the passages that are left
	lengths   []uint32 // how many words they have
	out       *sections
}

// source is a segment that is merged.
type source struct {
	*part

	passages  []uint32               // of each passage: its number in the result, or none
	terms     [postedFields][]uint32 // likewise of terms
	words     []uint32               // likewise of words
	lost      map[uint32]uint32      // texts that the dead have: how many of them
	lostGrams map[uint64]uint32      // likewise grams
}

// merge writes one segment of several. It fails with errStopped when stop returns true.
func merge(to io.Writer, h *head, parts []*part, average float64, stop func() bool) error {
	m := &merger{average: average, stop: stop, out: &sections{to: to}}
	for _, p := range parts {
		m.take(p)
	}
	h.Average = average
	for _, f := range []Field{Texts, Stems, Prefixes} {
		if err := m.mergeField(f); err != nil {
			return err
		}
		if f == Texts {
			m.keepStems()
		}
	}
	m.mergeWords()
	if err := m.mergePassages(h); err != nil {
		return err
	}
	writeGrams(m.out, mergeGrams(m.sources))
	return m.out.finish(h)
}

// take numbers the passages of a segment that are left.
func (m *merger) take(p *part) {
	s := source{part: p, passages: make([]uint32, p.len())}
	for i := range s.passages {
		if p.dead.has(uint32(i)) {
			s.passages[i] = none
			s.lose(uint32(i))
			continue
		}
		s.passages[i] = uint32(len(m.documents))
		m.documents = append(m.documents, p.document(uint32(i)))
		m.lengths = append(m.lengths, p.length(uint32(i)))
	}
	for f := range s.terms {
		s.terms[f] = make([]uint32, p.fields[f].len())
	}
	m.sources = append(m.sources, s)
}

// lose counts what a dead passage had.
func (s *source) lose(passage uint32) {
	if s.lost == nil {
		s.lost, s.lostGrams = map[uint32]uint32{}, map[uint64]uint32{}
	}
	var held numbers
	s.forwardOf(passage, &held)
	texts, grams := map[uint32]bool{}, map[uint64]bool{}
	for i, word := range append(held.words, held.around...) {
		text := number(s.segment.words[word*wordSize:], 0)
		texts[text] = true
		if i >= len(held.words) {
			continue
		}
		for gram := range words.Grams(s.fields[Texts].term(int(text))) {
			grams[hash(gram)] = true
		}
	}
	for text := range texts {
		s.lost[text]++
	}
	for gram := range grams {
		s.lostGrams[gram]++
	}
}

// mergeField writes the terms of a field that are still there.
func (m *merger) mergeField(f Field) error {
	w := newDictionaryWriter(m.out, f)
	var list postingBuffer
	written := uint32(0)
	err := m.eachTerm(f, func(term string, at []termAt) {
		list.reset()
		frequency, wanted := uint32(0), false
		for _, t := range at {
			s := &m.sources[t.source]
			if f == Texts {
				frequency += uint32(s.fields[f].frequency(t.term)) - s.lost[uint32(t.term)]
			}
			wanted = wanted || f == Stems && s.terms[f][t.term] == wantedTerm
			list.take(m, s, s.fields[f].list(t.term))
		}
		if f != Texts {
			frequency = uint32(len(list.passages))
		}
		number := uint32(none)
		if frequency > 0 || wanted {
			w.add(term, frequency, list.passages, list.impacts)
			number = written
			written++
		}
		for _, t := range at {
			m.sources[t.source].terms[f][t.term] = number
		}
	})
	w.finish()
	return err
}

// termAt is a term of a source.
type termAt struct{ source, term int }

// eachTerm calls yield with the terms of all sources, in order.
func (m *merger) eachTerm(f Field, yield func(term string, at []termAt)) error {
	next := make([]int, len(m.sources))
	heads := make([]string, len(m.sources)) // the terms that are next
	for i := range m.sources {
		if d := &m.sources[i].fields[f]; d.len() > 0 {
			heads[i] = d.term(0)
		}
	}
	var at []termAt
	for count := 0; ; count++ {
		if count%1024 == 0 && m.stop() {
			return errStopped
		}
		at = at[:0]
		for i := range m.sources {
			if next[i] == m.sources[i].fields[f].len() {
				continue
			}
			if len(at) > 0 {
				switch first := heads[at[0].source]; {
				case heads[i] > first:
					continue
				case heads[i] < first:
					at = at[:0]
				}
			}
			at = append(at, termAt{i, next[i]})
		}
		if len(at) == 0 {
			return nil
		}
		yield(heads[at[0].source], at)
		for _, t := range at {
			next[t.source]++
			if d := &m.sources[t.source].fields[f]; next[t.source] < d.len() {
				heads[t.source] = d.term(next[t.source])
			}
		}
	}
}

// wantedTerm marks a stem that finds nothing, but that a word has.
const wantedTerm = 1

// keepStems marks the stems of words whose text is still there.
func (m *merger) keepStems() {
	for i := range m.sources {
		s := &m.sources[i]
		for w := range len(s.segment.words) / wordSize {
			p := s.segment.words[w*wordSize:]
			if stem := number(p, 1); stem != unstemmed && s.terms[Texts][number(p, 0)] != none {
				s.terms[Stems][stem] = wantedTerm
			}
		}
	}
}
