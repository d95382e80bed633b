package index

import (
	"encoding/binary"
	"slices"
)

// The words of a passage are numbers of the segment's table of words, the most frequent of
// which have the lowest: how many words, sentences and words around there are, then each word,
// how far each sentence begins behind the one before, and each word around.

// appendForward appends the words of a passage.
func appendForward(p []byte, all []uint32, sentences []int, around []uint32) []byte {
	p = binary.AppendUvarint(p, uint64(len(all)))
	p = binary.AppendUvarint(p, uint64(len(sentences)))
	p = binary.AppendUvarint(p, uint64(len(around)))
	for _, word := range all {
		p = binary.AppendUvarint(p, uint64(word))
	}
	last := 0
	for _, s := range sentences {
		p = binary.AppendUvarint(p, uint64(s-last))
		last = s
	}
	for _, word := range around {
		p = binary.AppendUvarint(p, uint64(word))
	}
	return p
}

// numbers are the words of a passage as they are kept.
type numbers struct {
	words, around []uint32
	sentences     []int
}

// forwardOf reads the words of passage i.
func (s *segment) forwardOf(i uint32, into *numbers) {
	p := s.forward[:uint32(s.column(i, 20))]
	if i > 0 {
		p = p[uint32(s.column(i-1, 20)):]
	}
	var counts [3]int
	for c := range counts {
		counts[c], p = int(varint(p)), p[varintSize(p):]
	}
	into.words, p = appendVarints(slices.Grow(into.words[:0], counts[0]), p, counts[0])
	into.sentences = into.sentences[:0]
	last := 0
	for range counts[1] {
		last += int(varint(p))
		p = p[varintSize(p):]
		into.sentences = append(into.sentences, last)
	}
	into.around, _ = appendVarints(slices.Grow(into.around[:0], counts[2]), p, counts[2])
}

func varint(p []byte) uint64 {
	n, _ := binary.Uvarint(p)
	return n
}

func varintSize(p []byte) int {
	size := 1
	for p[size-1] >= 0x80 {
		size++
	}
	return size
}

// appendVarints reads n numbers, most of which take one or two bytes.
func appendVarints(to []uint32, p []byte, n int) (all []uint32, rest []byte) {
	for range n {
		v := uint32(p[0])
		size := 1
		if v >= 0x80 {
			v &= 0x7f
			for shift := 7; ; shift += 7 {
				c := p[size]
				size++
				v |= uint32(c&0x7f) << shift
				if c < 0x80 {
					break
				}
			}
		}
		p = p[size:]
		to = append(to, v)
	}
	return to, p
}
