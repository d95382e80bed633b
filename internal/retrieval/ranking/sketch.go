package ranking

import "math/bits"

// Sketch is a set of words, each of which has one of 256 bits. Several words may have the same.
type Sketch [4]uint64

func (s *Sketch) add(bit uint8) { s[bit>>6] |= 1 << (bit & 63) }

// Apart returns how many words at least are in one of two sets and not in the other.
func (s *Sketch) Apart(other *Sketch) int {
	n := 0
	for i := range s {
		n += bits.OnesCount64(s[i] ^ other[i])
	}
	return n
}
