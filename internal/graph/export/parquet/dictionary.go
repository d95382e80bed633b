package parquet

import (
	"encoding/binary"
	"math/bits"
)

// dictionary returns the distinct texts of a chunk, PLAIN and in the order in which they
// come first, how many they are, and for each value which of them it is. There is none for
// texts that seldom repeat, which are smaller as they are.
func (c *chunk) dictionary() (distinct []byte, n int, indexes []uint32, ok bool) {
	if c.Kind.physical() != physicalBytes || c.texts == 0 {
		return nil, 0, nil, false
	}
	most := c.texts / 2
	known := map[string]uint32{}
	indexes = make([]uint32, 0, c.texts)
	for rest := c.values; len(rest) > 0; {
		size := 4 + int(binary.LittleEndian.Uint32(rest))
		at, seen := known[string(rest[:size])]
		if !seen {
			if len(known) >= most {
				return nil, 0, nil, false
			}
			at = uint32(len(known))
			known[string(rest[:size])] = at
			distinct = append(distinct, rest[:size]...)
		}
		indexes = append(indexes, at)
		rest = rest[size:]
	}
	return distinct, len(known), indexes, true
}

// packed are indexes into a dictionary of n, in as many bits as the largest takes: the number
// of bits, the number of groups of eight, and the groups.
func packed(indexes []uint32, n int) []byte {
	width := max(1, bits.Len32(uint32(n-1)))
	groups := (len(indexes) + 7) / 8
	out := binary.AppendUvarint([]byte{byte(width)}, uint64(groups)<<1|1)
	end := len(out) + groups*width
	var pending uint64
	var have int
	for _, at := range indexes {
		pending |= uint64(at) << have
		for have += width; have >= 8; have -= 8 {
			out = append(out, byte(pending))
			pending >>= 8
		}
	}
	if have > 0 {
		out = append(out, byte(pending))
	}
	return append(out, make([]byte, end-len(out))...) // the last group is full
}
