package index

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// parse checks the bytes of a segment, and returns its head and its sections. What it accepts
// was written by this version of the format and of the tokeniser, and has not changed since.
func parse(p []byte) (*head, *[sectionCount][]byte, error) {
	if len(p) < tailSize || string(p[len(p)-len(magic):]) != magic {
		return nil, nil, errDamaged
	}
	tail := len(p) - tailSize
	size := int64(binary.LittleEndian.Uint32(p[tail:]))
	if crc32.Checksum(p[:tail+4], castagnoli) != binary.LittleEndian.Uint32(p[tail+4:]) || size > int64(tail) {
		return nil, nil, errDamaged
	}
	start := tail - int(size)
	r := reader{p: p[start:tail]}
	var parts [sectionCount][]byte
	for i := range parts {
		from, to := r.fixed(), r.fixed()
		if from > to || to > uint64(start) {
			return nil, nil, errDamaged
		}
		parts[i] = p[from:to:to]
	}
	if r.take(4) == nil || binary.LittleEndian.Uint32(r.taken) != tokeniser() {
		return nil, nil, errDamaged
	}
	h := &head{Number: r.fixed(), Words: int64(r.fixed()), Average: math.Float64frombits(r.fixed()), Origin: r.text()}
	for n := r.varint(); n > 0 && !r.bad; n-- {
		h.Parents = append(h.Parents, r.varint())
	}
	for n := r.varint(); n > 0 && !r.bad; n-- {
		h.Languages = append(h.Languages, r.text())
	}
	if r.bad || len(r.p) > 0 {
		return nil, nil, errDamaged
	}
	return h, &parts, nil
}

// reader takes bytes from the front. After the first that lack, everything is zero, and bad
// is set.
type reader struct {
	p, taken []byte
	bad      bool
}

func (r *reader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.p)) {
		r.bad, r.taken = true, nil
		return nil
	}
	r.taken, r.p = r.p[:n], r.p[n:]
	return r.taken
}

func (r *reader) fixed() uint64 {
	if r.take(8) == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(r.taken)
}

func (r *reader) varint() uint64 {
	n, size := binary.Uvarint(r.p)
	if size <= 0 {
		r.bad = true
		return 0
	}
	r.p = r.p[size:]
	return n
}

func (r *reader) text() string { return string(r.take(r.varint())) }
