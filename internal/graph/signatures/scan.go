package signatures

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

const (
	excluded    = models.SignatureBits + 1 // the distance of what no search finds
	touchAtOnce = 64                       // what is all over the memory
)

// scratch is the working space of a question.
type scratch struct {
	distances []uint16          // by position
	count     [excluded + 1]int // of the distances
	found     []near
	seen      bitset
	touched   uint64 // a use of what was touched, or the compiler would not
}

// near is a concept and in how many bits its signature differs.
type near struct {
	at       uint32
	distance uint16
}

var spaces = sync.Pool{New: func() any { return new(scratch) }}

// Nearest returns the numbers of the concepts whose signatures differ least from q's,
// nearest first, then by number. It compares every concept. The model of q is the
// caller's to check.
func (x *Index) Nearest(q knowledge.NearQuery) []int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	space := spaces.Get().(*scratch)
	defer spaces.Put(space)
	space.scan(&x.rows, &q.Signature, x.filter(q.Ontology))
	space.cut(q.Limit)
	return x.rows.first(space.found, q.Limit)
}

// scan computes the distance of every concept, and counts them.
func (s *scratch) scan(r *rows, signature *models.Signature, filter []bool) {
	if cap(s.distances) < len(r.signatures) {
		s.distances = make([]uint16, len(r.signatures)+len(r.signatures)/8)
	}
	s.distances = s.distances[:len(r.signatures)]
	clear(s.count[:])
	for at := range r.signatures {
		d := uint16(excluded)
		if r.embedded[at] && r.allows(filter, uint32(at)) {
			d = uint16(distance(&r.signatures[at], signature))
		}
		s.distances[at] = d
		s.count[d]++
	}
	s.found = s.found[:0]
}

// cut keeps in found the concepts up to the distance within which there are so many.
func (s *scratch) cut(most int) {
	limit := limitOf(s.count[:excluded], most)
	for at, d := range s.distances {
		if d <= limit {
			s.found = append(s.found, near{uint32(at), d})
		}
	}
}

// limitOf returns the least distance within which there are so many, or the greatest.
func limitOf(count []int, most int) uint16 {
	all := 0
	for d, n := range count {
		if all += n; all >= most {
			return uint16(d)
		}
	}
	return uint16(len(count) - 1)
}

// first returns the numbers of the first concepts of a list: by distance, then number.
func (r *rows) first(list []near, most int) []int {
	slices.SortFunc(list, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(r.numbers[a.at], r.numbers[b.at]))
	})
	numbers := make([]int, 0, min(most, len(list)))
	for _, n := range list[:min(most, len(list))] {
		numbers = append(numbers, int(r.numbers[n.at]))
	}
	return numbers
}
