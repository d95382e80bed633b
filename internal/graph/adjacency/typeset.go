package adjacency

// TypeSet is a set of relationship types. The zero value holds all of them. Of one type
// it may hold only the edges from a confidence on, and likewise of all.
type TypeSet struct {
	only  map[int32]bool
	weak  int32   // the type of which weak edges are left out
	least float32 // confidence of an edge of that type; 0 = any
	floor float32 // likewise of any type

	way  way   // only the edges that point this way
	both int32 // the type whose edges have no direction, when way says one; -1 = none
}

// way is how an edge points, as it is seen from a concept.
type way int8

const (
	anyWay way = iota
	away
	towards
)

// all reports that s holds every edge.
func (s TypeSet) all() bool { return s.only == nil && s.least == 0 && s.floor == 0 && s.way == anyWay }

// From returns s without the edges of one type below a confidence. A type that v does not
// know changes nothing.
func (s TypeSet) From(name string, least float32, v *View) TypeSet {
	for number, known := range v.types {
		if known == name {
			s.weak, s.least = int32(number), least
		}
	}
	return s
}

// AtLeast returns s without the edges of any type below a confidence.
func (s TypeSet) AtLeast(confidence float32) TypeSet {
	s.floor = confidence
	return s
}

// OneWay returns s without the edges that point towards the concept from which they are seen,
// or without the others when forward is false. Those of one type are followed both ways.
func (s TypeSet) OneWay(forward bool, both string, v *View) TypeSet {
	if s.way, s.both = towards, -1; forward {
		s.way = away
	}
	for number, known := range v.types {
		if known == both {
			s.both = int32(number)
		}
	}
	return s
}

// Follows reports whether s holds an edge.
func (s TypeSet) Follows(n Neighbour) bool { return s.holds(n.Type, n.Confidence, n.Forward) }

func (s TypeSet) holds(t int32, confidence float32, forward bool) bool {
	return s.Has(t) && (s.way == anyWay || forward == (s.way == away) || t == s.both) && confidence >= s.floor && (s.least == 0 || t != s.weak || confidence >= s.least)
}

// Types returns the set of the types with these names, in which a name that is
// not known stands for no type. Without names it holds all types.
func (v *View) Types(names []string) TypeSet {
	if len(names) == 0 {
		return TypeSet{}
	}
	wanted := make(map[string]bool, len(names))
	for _, n := range names {
		wanted[n] = true
	}
	s := TypeSet{only: map[int32]bool{}}
	for number, name := range v.types {
		if name != "" && wanted[name] {
			s.only[int32(number)] = true
		}
	}
	return s
}

// Has reports whether s holds a type.
func (s TypeSet) Has(t int32) bool { return s.only == nil || s.only[t] }
