package index

import (
	"encoding/binary"
	"math"
	"sort"
	"unsafe"
)

const (
	recordSize = 8 // frequency, postings
	none       = math.MaxUint32
)

// dictionary is the terms of a field, in order. Term i ends in the arena at ends[i].
type dictionary struct {
	arena, ends, records, slots, postings []byte
}

func dictionaryOf(parts *[sectionCount][]byte, f Field) dictionary {
	p := parts[int(fieldSection)+int(f)*fieldSections:]
	return dictionary{arena: p[0], ends: p[1], records: p[2], slots: p[3], postings: p[4]}
}

// valid reports whether the sections fit each other.
func (d *dictionary) valid() bool {
	n := d.len()
	return len(d.ends) == 4*n && len(d.records) == recordSize*n && len(d.slots)%4 == 0 &&
		(n == 0 || number(d.ends, n-1) == uint32(len(d.arena)))
}

func (d *dictionary) len() int { return len(d.ends) / 4 }

// term returns a term without copying it.
func (d *dictionary) term(i int) string { return stringAt(d.arena, d.ends, i) }

// find returns the number of a term, and false when it is not there.
func (d *dictionary) find(term string, hashed uint64) (int, bool) {
	mask := uint64(len(d.slots)/4) - 1
	for at := hashed & mask; len(d.slots) > 0; at = (at + 1) & mask {
		i := number(d.slots, int(at))
		if i == 0 {
			break
		}
		if d.term(int(i-1)) == term {
			return int(i - 1), true
		}
	}
	return 0, false
}

// from returns the number of the first term that is not before this one.
func (d *dictionary) from(term string) int {
	return sort.Search(d.len(), func(i int) bool { return d.term(i) >= term })
}

// frequency returns how many passages have term i, among them those that are dead.
func (d *dictionary) frequency(i int) int {
	return int(binary.LittleEndian.Uint32(d.records[i*recordSize:]))
}

// list returns the passages that are found by term i. None are where they are counted only.
func (d *dictionary) list(i int) list {
	at := binary.LittleEndian.Uint32(d.records[i*recordSize+4:])
	if at == none {
		return list{}
	}
	return listAt(d.postings[at:])
}

// number returns the i-th of numbers of 32 bits.
func number(p []byte, i int) uint32 { return binary.LittleEndian.Uint32(p[4*i:]) }

// stringAt returns the i-th string of an arena without copying it.
func stringAt(arena, ends []byte, i int) string {
	start := uint32(0)
	if i > 0 {
		start = number(ends, i-1)
	}
	return zeroCopy(arena[start:number(ends, i)])
}

// zeroCopy returns bytes of a segment, which nothing changes, as a string.
func zeroCopy(p []byte) string {
	return unsafe.String(unsafe.SliceData(p), len(p)) //nolint:gosec // a View keeps them where they are
}
