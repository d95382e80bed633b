package graph

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/internal/graph/adjacency"
)

// found is a relationship of a concept.
type found struct {
	near int
	adjacency.Neighbour
	weakest bool // it is of the weakest type
}

// compare is the order of Snapshot.EdgesAround.
func (f found) compare(o found) int {
	return cmp.Or(
		compareBool(f.weakest, o.weakest),
		cmp.Compare(o.Confidence, f.Confidence),
		cmp.Compare(f.near, o.near),
		cmp.Compare(f.Concept, o.Concept),
		cmp.Compare(f.Type, o.Type),
		compareBool(f.Forward, o.Forward),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// strongestFirst keeps the first of what is added to it, in the order of compare.
type strongestFirst struct {
	most int // at least 1
	list []found
	last found // when something was dropped: the last one that may stay
	cut  bool  // something was dropped
}

func (s *strongestFirst) add(f found) {
	if s.cut && f.compare(s.last) > 0 {
		return
	}
	s.list = append(s.list, f)
	if len(s.list) == 2*s.most {
		s.prune()
	}
}

// prune drops what is not among the first ones.
func (s *strongestFirst) prune() {
	slices.SortFunc(s.list, found.compare)
	s.cut = len(s.list) > s.most
	s.list = s.list[:min(s.most, len(s.list))]
	s.last = s.list[len(s.list)-1]
}

// first returns what was kept: fewer than most as they were added, otherwise in
// the order of compare.
func (s *strongestFirst) first() []found {
	if len(s.list) >= s.most {
		s.prune()
	}
	return s.list
}
