package index

import (
	"slices"
	"strings"
)

// terms numbers the terms of a field as they come, and remembers where they occur.
type terms struct {
	numbers map[string]uint32
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

func newTerms(capacity int) terms {
	return terms{numbers: make(map[string]uint32, capacity)}
}

// number returns the number of a term.
func (t *terms) number(term string) uint32 {
	n, ok := t.numbers[term]
	if !ok {
		n = uint32(len(t.all))
		t.numbers[term] = n
		t.all = append(t.all, term)
		t.last = append(t.last, 0)
	}
	return n
}

// begin begins a passage.
func (t *terms) begin() { t.passage = len(t.found) }

// here returns the occurrence of a term in the passage at hand, and nil when it has none yet.
func (t *terms) here(term uint32) *occurrence {
	if at := int(t.last[term]); at > t.passage {
		return &t.found[at-1]
	}
	return nil
}

// occur counts a term of the passage at hand.
func (t *terms) occur(term, passage uint32, times float32) {
	if o := t.here(term); o != nil {
		o.times += times
		return
	}
	t.found = append(t.found, occurrence{term, passage, times})
	t.last[term] = uint32(len(t.found))
}

// sorted returns the terms in order, and the place of each in it.
func (t *terms) sorted() (order, places []uint32) {
	order, places = make([]uint32, len(t.all)), make([]uint32, len(t.all))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(t.all[a], t.all[b]) })
	for place, term := range order {
		places[term] = uint32(place)
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
