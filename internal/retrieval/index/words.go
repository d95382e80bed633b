package index

import (
	"slices"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// The table of words has, for merges, the numbers of the text and of the stem, and how often the
// word occurs; and, for reading passages, where the text and the stem start and end.
const (
	wordSize     = 12
	spellingSize = 16

	// unstemmed is the stem of a word that is its own stem.
	unstemmed = none
)

// countedWord is a row of the table of words.
type countedWord struct {
	text, stem uint32 // numbers of the dictionaries
	count      uint32 // how often it occurs
}

// writeWords writes the table of words, the most frequent first, and returns which number
// each has in it.
func writeWords(out *sections, table []countedWord) (renumbered []uint32) {
	order := make([]uint64, len(table)) // by how often, then by number
	for i, w := range table {
		order[i] = uint64(^w.count)<<32 | uint64(i)
	}
	slices.Sort(order)
	renumbered = make([]uint32, len(table))
	p := make([]byte, 0, wordSize*len(table))
	spelling := make([]byte, 0, spellingSize*len(table))
	for place, one := range order {
		i := uint32(one)
		w := table[i]
		renumbered[i] = uint32(place)
		p = appendNumbers(p, []uint32{w.text, w.stem, w.count})
		textStart, textEnd := between(out.ends[Texts], w.text)
		stemStart, stemEnd := uint32(unstemmed), uint32(0)
		if w.stem != unstemmed {
			stemStart, stemEnd = between(out.ends[Stems], w.stem)
		}
		spelling = appendNumbers(spelling, []uint32{textStart, textEnd, stemStart, stemEnd})
	}
	out.whole(wordSection, p)
	out.whole(spellingSection, spelling)
	return renumbered
}

// between returns where the i-th string of an arena starts and ends.
func between(ends []byte, i uint32) (start, end uint32) {
	if i > 0 {
		start = number(ends, int(i-1))
	}
	return start, number(ends, int(i))
}

// word returns a word of the segment. Its strings are no copies.
func (s *segment) word(i uint32) words.Word {
	p := s.spelling[i*spellingSize : i*spellingSize+spellingSize]
	w := words.Word{Text: zeroCopy(s.fields[Texts].arena[number(p, 0):number(p, 1)])}
	w.Stem = w.Text
	if start := number(p, 2); start != unstemmed {
		w.Stem = zeroCopy(s.fields[Stems].arena[start:number(p, 3)])
	}
	return w
}
