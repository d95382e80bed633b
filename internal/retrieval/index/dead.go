package index

import (
	"math/bits"
	"slices"
)

// bitset is a set of the passages of a segment. The nil one is empty.
type bitset []uint64

func (s bitset) has(i uint32) bool { return s != nil && s[i/64]&(1<<(i%64)) != 0 }

// with returns a copy that has room for n and i in it.
func (s bitset) grown(n int) bitset {
	if s == nil {
		return make(bitset, (n+63)/64)
	}
	return slices.Clone(s)
}

func (s bitset) add(i uint32) { s[i/64] |= 1 << (i % 64) }

func (s bitset) len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}
