package index

import (
	"cmp"
	"slices"
)

// countedWord is a row of the table of words.
type countedWord struct {
	text, stem uint32 // numbers of the dictionaries
	count      uint32 // how often it occurs
}

// writeWords writes the table of words, the most frequent first, and returns which number
// each has in it.
func writeWords(out *sections, table []countedWord) (renumbered []uint32) {
	order := make([]uint32, len(table))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(-cmp.Compare(table[a].count, table[b].count), cmp.Compare(table[a].text, table[b].text), cmp.Compare(a, b))
	})
	renumbered = make([]uint32, len(table))
	p := make([]byte, 0, wordSize*len(table))
	for place, i := range order {
		renumbered[i] = uint32(place)
		p = appendNumbers(p, []uint32{table[i].text, table[i].stem, table[i].count})
	}
	out.whole(wordSection, p)
	return renumbered
}
