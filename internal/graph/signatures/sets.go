package signatures

import (
	"encoding/binary"
	"slices"
)

// setBytes is about what one set takes.
const setBytes = 120

// sets are the sets of ontologies that concepts are in, each with a number: concepts are
// many, and the sets that they are in are few. Set 0 is empty.
type sets struct {
	lists   [][]int32
	numbers map[string]uint32
}

// number returns the number of a set of ontologies.
func (s *sets) number(ontologies []int) uint32 {
	if s.numbers == nil {
		s.numbers, s.lists = map[string]uint32{"": 0}, [][]int32{nil}
	}
	list := make([]int32, len(ontologies))
	for i, o := range ontologies {
		list[i] = int32(o)
	}
	return s.numberOf(list)
}

// with returns the number of a set that has one ontology more than another one, or as many
// when that has it already.
func (s *sets) with(n uint32, ontology int32) uint32 {
	if slices.Contains(s.lists[n], ontology) {
		return n
	}
	return s.numberOf(append(slices.Clone(s.lists[n]), ontology))
}

// numberOf returns the number of a set, whose list it keeps.
func (s *sets) numberOf(list []int32) uint32 {
	slices.Sort(list)
	list = slices.Compact(list)
	key := make([]byte, 0, 4*len(list))
	for _, o := range list {
		key = binary.LittleEndian.AppendUint32(key, uint32(o))
	}
	n, known := s.numbers[string(key)]
	if !known {
		n = uint32(len(s.lists))
		s.numbers[string(key)] = n
		s.lists = append(s.lists, list)
	}
	return n
}

// filter says, by the number of a set, whether an ontology is in it.
func (s *sets) filter(ontology int) []bool {
	allowed := make([]bool, len(s.lists))
	for n, list := range s.lists {
		allowed[n] = slices.Contains(list, int32(ontology))
	}
	return allowed
}

// filter is the condition of a search: nil allows every concept.
func (x *Index) filter(ontology *string) []bool {
	if ontology == nil {
		return nil
	}
	number, known := x.names[*ontology]
	if !known {
		return make([]bool, len(x.sets.lists))
	}
	return x.sets.filter(number)
}

// allows reports whether a filter lets a position pass.
func (r *rows) allows(filter []bool, at uint32) bool { return filter == nil || filter[r.set[at]] }
