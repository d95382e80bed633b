package adjacency

import "math/bits"

// scratch is what a search needs, to be used again.
type scratch struct {
	seen, next bitset
	frontier   bitset // of a level that is searched backwards
	allowed    []bool // by place in the dictionary; for some types only

	there, back side // of a search from both ends
}

// borrow returns a clean scratch for concepts below the bound of v.
func (v *View) borrow(types TypeSet) *scratch {
	s := v.scratch.Get().(*scratch)
	n := len(v.pages) * rows
	s.seen, s.next = s.seen.sized(n), s.next.sized(n)
	s.allowed = s.allowed[:0]
	if !types.all() {
		for _, k := range v.kinds {
			s.allowed = append(s.allowed, types.holds(k.link.typ(), k.confidence, k.link.forward()))
		}
	}
	return s
}

// bitset is a set of concepts.
type bitset []uint64

// sized returns an empty set for n concepts.
func (b bitset) sized(n int) bitset {
	words := (n + 63) / 64
	if cap(b) < words {
		return make(bitset, words)
	}
	b = b[:words]
	clear(b)
	return b
}

func (b bitset) has(c uint32) bool { return b[c/64]&(1<<(c%64)) != 0 }
func (b bitset) add(c uint32)      { b[c/64] |= 1 << (c % 64) }

// drain appends the concepts of b to list, ascending, and empties b.
func (b bitset) drain(list []int32) []int32 {
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			list = append(list, int32(i*64+bits.TrailingZeros64(word)))
		}
		b[i] = 0
	}
	return list
}
