package adjacency

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"sync/atomic"
)

// names says which ids concepts have, as of one moment.
type names struct {
	pages []*namePage
	index *index
	count int // concepts
	text  int64
}

// namePage holds the ids of the concepts with the numbers 256 n to 256 n + 255.
// A number without a concept has none.
type namePage struct {
	ends [rows]uint16 // where each id ends, and the next one begins
	text string
}

func (n names) bytes() int64 {
	pages := int64(0)
	for _, p := range n.pages {
		if p != nil {
			pages += rows*2 + 16
		}
	}
	b := pages + int64(cap(n.pages))*8 + n.text
	if n.index != nil {
		b += int64(len(n.index.slots)) * 4
	}
	return b
}

// id returns the id of a concept, "" when there is no such concept.
func (n names) id(number uint32) string {
	at := number / rows
	if at >= uint32(len(n.pages)) || n.pages[at] == nil {
		return ""
	}
	return n.pages[at].id(number % rows)
}

func (p *namePage) id(row uint32) string {
	begin := uint16(0)
	if row > 0 {
		begin = p.ends[row-1]
	}
	return p.text[begin:p.ends[row]]
}

// number returns the number of the concept with an id.
func (n names) number(id string) (uint32, bool) {
	if n.index == nil {
		return 0, false
	}
	for number := range n.index.candidates(id) {
		if n.id(number) == id {
			return number, true
		}
	}
	return 0, false
}

// with returns names with other ids for some concepts; "" takes one away. The
// index is shared: it may be added to, because who reads compares what it finds
// there with the pages of the reader's moment.
func (n names) with(changes []Concept) names {
	if len(changes) == 0 {
		return n
	}
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b Concept) int { return cmp.Compare(a.Number, b.Number) })
	last := int(changes[len(changes)-1].Number) / rows
	n.pages = grown(n.pages, last+1)
	for rest := changes; len(rest) > 0; {
		at := rest[0].Number / rows
		k := 1
		for k < len(rest) && rest[k].Number/rows == at {
			k++
		}
		n.replace(int(at), rest[:k])
		rest = rest[k:]
	}
	n.addToIndex(changes)
	return n
}

// replace makes the page at a place anew. Of several changes of one concept the
// last counts.
func (n *names) replace(at int, changes []Concept) {
	old := n.pages[at]
	if old == nil {
		old = &namePage{}
	}
	var p namePage
	var text strings.Builder
	for r := range uint32(rows) {
		was := old.id(r)
		is := was
		for len(changes) > 0 && uint32(changes[0].Number)%rows == r {
			is = changes[0].ID
			changes = changes[1:]
		}
		text.WriteString(is)
		p.ends[r] = uint16(text.Len())
		n.count += present(is) - present(was)
	}
	p.text = strings.Clone(text.String())
	n.text += int64(len(p.text) - len(old.text))
	n.pages[at] = &p
}

func present(id string) int {
	if id == "" {
		return 0
	}
	return 1
}

// addToIndex makes the new ids known, in a new index when the one there is full.
func (n *names) addToIndex(changes []Concept) {
	if n.index == nil || n.index.used+len(changes) > len(n.index.slots)/4*3 {
		n.index = newIndex(n.count + len(changes))
		for at, p := range n.pages {
			for r := range uint32(rows) {
				if p != nil && p.id(r) != "" {
					n.index.add(p.id(r), uint32(at)*rows+r)
				}
			}
		}
		return
	}
	for _, c := range changes {
		if c.ID != "" {
			n.index.add(c.ID, uint32(c.Number))
		}
	}
}

// index finds the numbers that an id may have: a hash table that is added to
// while others read it, and that nothing leaves.
type index struct {
	slots []uint32 // number + 1, or 0; read and written atomically
	used  int      // for the one who writes
	seed  maphash.Seed
}

// newIndex returns an index that has room for a third more than concepts.
func newIndex(concepts int) *index {
	size := 64
	for size/2 < concepts {
		size *= 2
	}
	return &index{slots: make([]uint32, size), seed: maphash.MakeSeed()}
}

// candidates calls yield with the numbers that id may have.
func (x *index) candidates(id string) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		mask := uint64(len(x.slots) - 1)
		for i := maphash.String(x.seed, id) & mask; ; i = (i + 1) & mask {
			s := atomic.LoadUint32(&x.slots[i])
			if s == 0 || !yield(s-1) {
				return
			}
		}
	}
}

// add makes number a candidate for id.
func (x *index) add(id string, number uint32) {
	mask := uint64(len(x.slots) - 1)
	for i := maphash.String(x.seed, id) & mask; ; i = (i + 1) & mask {
		switch x.slots[i] {
		case number + 1:
			return
		case 0:
			atomic.StoreUint32(&x.slots[i], number+1)
			x.used++
			return
		}
	}
}

// grown returns a copy of list with at least n elements.
func grown[T any](list []T, n int) []T {
	return append(slices.Clone(list), make([]T, max(0, n-len(list)))...)
}
