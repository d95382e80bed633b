package index

import (
	"cmp"
	"slices"
	"strings"
)

// terms numbers the terms of a field as they come, and remembers where they occur.
type terms struct {
	numbering

	all     []string
	last    []uint32 // of each term: one more than where its last occurrence stands
	found   []occurrence
	passage int // where the occurrences of the passage at hand begin
}

// occurrence is a term in a passage.
type occurrence struct {
	term, passage uint32
	times         float32
}

func (t *terms) reset() {
	t.numbering.reset()
	clear(t.all)
	t.all, t.last, t.found, t.passage = t.all[:0], t.last[:0], t.found[:0], 0
}

// number returns the number of a term.
func (t *terms) number(term string) uint32 {
	h := hash(term)
	for slot := t.first(h); ; slot = t.behind(slot) {
		n, at, found := t.next(h, slot)
		if !found {
			t.all = append(t.all, term)
			t.last = append(t.last, 0)
			return t.add(h, at)
		}
		if t.all[n] == term {
			return n
		}
		slot = at
	}
}

// begin begins a passage.
func (t *terms) begin() { t.passage = len(t.found) }

// occur counts a term of the passage at hand.
func (t *terms) occur(term, passage uint32, times float32) {
	if at := int(t.last[term]); at > t.passage {
		t.found[at-1].times += times
		return
	}
	t.found = append(t.found, occurrence{term, passage, times})
	t.last[term] = uint32(len(t.found))
}

// sorted returns the terms in order, and the place of each in it.
func (t *terms) sorted() (order, places []uint32) {
	type beginning struct {
		letters uint64 // the first eight, which decide nearly always
		term    uint32
	}
	all := make([]beginning, len(t.all))
	for i, term := range t.all {
		all[i].term = uint32(i)
		for j := range 8 {
			all[i].letters <<= 8
			if j < len(term) {
				all[i].letters |= uint64(term[j])
			}
		}
	}
	slices.SortFunc(all, func(a, b beginning) int {
		if a.letters != b.letters {
			return cmp.Compare(a.letters, b.letters)
		}
		return strings.Compare(t.all[a.term], t.all[b.term])
	})
	order, places = make([]uint32, len(all)), make([]uint32, len(all))
	for place, one := range all {
		order[place] = one.term
		places[one.term] = uint32(place)
	}
	return order, places
}

// grouped returns the occurrences of each term together, and where those of each end.
func (t *terms) grouped() (all []occurrence, ends []uint32) {
	ends = make([]uint32, len(t.all)+1)
	for i := range t.found {
		ends[t.found[i].term+1]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	all = make([]occurrence, len(t.found))
	for i := range t.found {
		term := t.found[i].term
		all[ends[term]] = t.found[i]
		ends[term]++
	}
	return all, ends[:len(t.all)]
}
