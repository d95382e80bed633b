package index

import "math"

// postingBuffer collects the passages that a term finds.
type postingBuffer struct {
	passages []uint32
	impacts  []byte
}

func (b *postingBuffer) reset() { b.passages, b.impacts = b.passages[:0], b.impacts[:0] }

// changedAverage is by how much the average length must have changed for impacts to be
// reckoned anew.
const changedAverage = 0.02

// take appends the passages of a list that are left.
func (b *postingBuffer) take(m *merger, s *source, l list) {
	before := s.head.Average
	same := math.Abs(m.average-before) <= changedAverage*before
	l.each(func(passage uint32, impact byte) {
		to := s.passages[passage]
		if to == none {
			return
		}
		if !same {
			length := m.lengths[to]
			impact = impactOf(occurrences(impact, saturation(length, before)), saturation(length, m.average))
		}
		b.passages = append(b.passages, to)
		b.impacts = append(b.impacts, impact)
	})
}

// spread returns two numbers as one, whose bits depend on all of theirs. Different ones remain
// different.
func spread(a, b uint32) uint64 {
	both := (uint64(a^b)<<32 | uint64(b)) * hashFactor
	return both ^ both>>32
}

// mergeWords writes the table of words.
func (m *merger) mergeWords() {
	var known numbering // by both numbers
	known.reset()
	var table []countedWord
	for i := range m.sources {
		s := &m.sources[i]
		s.words = make([]uint32, len(s.segment.words)/wordSize)
		for w := range s.words {
			p := s.segment.words[w*wordSize:]
			word := countedWord{text: s.terms[Texts][number(p, 0)], stem: number(p, 1), count: number(p, 2)}
			s.words[w] = none
			if word.text == none {
				continue
			}
			if word.stem != unstemmed {
				word.stem = s.terms[Stems][word.stem]
			}
			n, added := known.of(spread(word.text, word.stem))
			if added {
				table = append(table, countedWord{text: word.text, stem: word.stem})
			}
			table[n].count += word.count
			s.words[w] = n
		}
	}
	renumbered := writeWords(m.out, table)
	for i := range m.sources {
		for w, n := range m.sources[i].words {
			if n != none {
				m.sources[i].words[w] = renumbered[n]
			}
		}
	}
}

// mergePassages writes the passages that are left, with their words.
func (m *merger) mergePassages(h *head) error {
	w := passageWriter{documents: m.documents}
	m.out.at[forwardSection][0] = m.out.size
	var forward []byte
	var held numbers
	written := uint32(0)
	for i := range m.sources {
		s := &m.sources[i]
		for passage, to := range s.passages {
			if to == none {
				continue
			}
			if to%1024 == 0 && m.stop() {
				return errStopped
			}
			s.forwardOf(uint32(passage), &held)
			for _, list := range [][]uint32{held.words, held.around} {
				for j, n := range list {
					list[j] = s.words[n]
				}
			}
			forward = appendForward(forward[:0], held.words, held.sentences, held.around)
			m.out.write(forward)
			written += uint32(len(forward))
			r := s.row(uint32(passage))
			r.forward, r.tongue = written, w.language(r.Language)
			w.add(&r)
		}
		for d := range len(s.definitionRows) / 4 {
			if to := s.passages[number(s.definitionRows, d)]; to != none {
				w.definitions = append(w.definitions, definition{stringAt(s.definitions, s.definitionEnds, d), to})
			}
		}
	}
	m.out.at[forwardSection][1] = m.out.size
	w.finish(m.out)
	h.Words, h.Languages = w.words, w.languages
	return m.out.err
}
