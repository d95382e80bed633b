package index

import "slices"

// bitset is a set of the passages of a segment. The nil one is empty.
type bitset []uint64

func (s bitset) has(i uint32) bool { return s != nil && s[i/64]&(1<<(i%64)) != 0 }

// grown returns a copy that has room for n passages.
func (s bitset) grown(n int) bitset {
	if s == nil {
		return make(bitset, (n+63)/64)
	}
	return slices.Clone(s)
}

func (s bitset) add(i uint32) { s[i/64] |= 1 << (i % 64) }
