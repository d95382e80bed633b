package index

import "math/bits"

const (
	hashFactor = 0x9e3779b97f4a7c15
	hashOther  = 0xd6e8feb86659fd93
)

// hash returns a number for a string. It stands in files: it never changes.
func hash(s string) uint64 {
	h := uint64(len(s)) * hashOther
	for len(s) >= 8 {
		_ = s[7]
		h = fold(h^(uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56), hashFactor)
		s = s[8:]
	}
	var rest uint64
	for i := range len(s) {
		rest |= uint64(s[i]) << (8 * i)
	}
	return fold(h^rest, hashFactor^hashOther)
}

func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a^hashOther, b)
	return high ^ low
}
