package graph

import "slices"

// reach is one of two breadth-first searches by number alone that grow towards each
// other on the tables: a walk that does not yet know the relationships it takes.
type reach struct {
	levels [][]int32 // ascending; the first one is the start
	ends   []int     // what was read around each level but the last: relationships
	seen   bits
	found  int // concepts in levels
}

func newReach(start int) *reach {
	s := &reach{levels: [][]int32{{int32(start)}}, found: 1}
	s.seen.add(int32(start))
	return s
}

// depth counts the levels taken.
func (s *reach) depth() int { return len(s.levels) - 1 }

// frontier is the last level.
func (s *reach) frontier() []int32 { return s.levels[s.depth()] }

// next takes the level that ends, the far ends of what is around the frontier, lead
// to.
func (s *reach) next(ends []int32) {
	var level []int32
	for _, c := range ends {
		if s.seen.add(c) {
			level = append(level, c)
		}
	}
	slices.Sort(level)
	s.levels, s.ends, s.found = append(s.levels, level), append(s.ends, len(ends)), s.found+len(level)
}

// last returns the concepts of the last level, and of up to slack levels before it.
func (s *reach) last(slack int) []int32 { return s.upTo(s.depth(), slack) }

// upTo returns the concepts of one level, and of up to slack levels before it.
func (s *reach) upTo(level, slack int) []int32 {
	return slices.Concat(s.levels[max(0, level-slack) : level+1]...)
}

// endsUpTo counts what was read around upTo.
func (s *reach) endsUpTo(level, slack int) int {
	sum := 0
	for _, ends := range s.ends[max(0, level-slack) : level+1] {
		sum += ends
	}
	return sum
}

// level is the number of hops to a concept, which is among the last levels that were
// taken up to one.
func (s *reach) level(concept int32, from int) int {
	for from > 0 && !s.at(concept, from) {
		from--
	}
	return from
}

// at reports whether a concept is in a level.
func (s *reach) at(concept int32, level int) bool {
	_, is := slices.BinarySearch(s.levels[level], concept)
	return is
}

// common returns the concepts that two of them have in their last levels, and in up
// to slack levels before those, ascending.
func common(a, b *reach, slack int) []int32 {
	fewer, other := a, b
	if b.found < a.found {
		fewer, other = b, a
	}
	var both []int32
	for _, c := range fewer.last(slack) {
		if !other.seen.has(c) {
			continue
		}
		if level := other.level(c, other.depth()); level >= other.depth()-slack {
			both = append(both, c)
		}
	}
	slices.Sort(both)
	return both
}
