package adjacency

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Graph is a graph that follows its tables. Its methods may be called from many
// goroutines.
type Graph struct {
	now   atomic.Pointer[View]
	limit int64 // bytes; 0 = none

	writing sync.Mutex
	kinds   *kinds
	draft   draft
}

// View returns the graph as of this moment.
func (g *Graph) View() *View { return g.now.Load() }

// Apply takes what has changed since the epoch of the View. Readers see all of d
// or nothing. It returns ErrMemory when the graph would exceed its limit, and
// another error when d names a type, an edge or a concept that breaks a rule;
// then the graph stays as it was.
func (g *Graph) Apply(d Delta) error {
	g.writing.Lock()
	defer g.writing.Unlock()
	old := g.now.Load()
	v := *old
	v.epoch = d.Epoch
	if err := v.addTypes(d.Types); err != nil {
		return err
	}
	concepts := make([]Concept, 0, len(d.New)+len(d.Gone))
	for _, c := range d.New {
		if err := c.check(); err != nil {
			return err
		}
		concepts = append(concepts, c)
	}
	for _, number := range d.Gone {
		if number < 0 {
			return fmt.Errorf("concept %d: its number is negative", number)
		}
		concepts = append(concepts, Concept{Number: number})
	}
	halves, err := v.halves(d.Changes)
	if err != nil {
		return err
	}
	g.merge(&v, halves)
	v.kinds = g.kinds.list
	v.kindBytes = g.kinds.bytes()
	v.names = v.names.with(concepts)
	if err := above(v.Stats().Bytes, g.limit); err != nil {
		return err
	}
	g.now.Store(&v)
	return nil
}

// addTypes makes relationship types known.
func (v *View) addTypes(types []Type) error {
	if len(types) == 0 {
		return nil
	}
	most := slices.MaxFunc(types, func(a, b Type) int { return int(a.Number) - int(b.Number) }).Number
	v.types = grown(v.types, int(most)+1)
	for _, t := range types {
		if t.Number < 0 || t.Name == "" {
			return fmt.Errorf("type %d %q: its number is 0 or more, and it has a name", t.Number, t.Name)
		}
		v.types[t.Number] = t.Name
	}
	return nil
}

// halves returns what changes make of rows, in their order, and each place once.
func (v *View) halves(changes []Change) ([]half, error) {
	halves := make([]half, 0, 2*len(changes))
	for _, c := range changes {
		e := c.Edge
		if c.Op == Delete {
			e.Confidence = 0
		}
		if err := e.check(); err != nil {
			return nil, err
		}
		if c.Op == Put && v.TypeName(e.Type) == "" {
			return nil, fmt.Errorf("edge from %d to %d: type %d has no name", e.Src, e.Dst, e.Type)
		}
		src, dst := uint32(e.Src), uint32(e.Dst)
		halves = append(halves,
			half{src, dst, newLink(e.Type, true), c.Op, e.Confidence},
			half{dst, src, newLink(e.Type, false), c.Op, e.Confidence})
	}
	slices.SortStableFunc(halves, half.compare)
	last := halves[:0]
	for i, h := range halves {
		if i+1 == len(halves) || h.compare(halves[i+1]) != 0 {
			last = append(last, h)
		}
	}
	return last, nil
}

// merge replaces the pages of v that halves change.
func (g *Graph) merge(v *View, halves []half) {
	if len(halves) == 0 {
		return
	}
	v.pages = grown(v.pages, int(halves[len(halves)-1].row/rows)+1)
	for len(halves) > 0 {
		at := halves[0].row / rows
		n := 1
		for n < len(halves) && halves[n].row/rows == at {
			n++
		}
		old := v.pages[at]
		g.draft.merge(old, halves[:n], g.kinds)
		p := g.draft.page()
		v.pages[at] = p
		v.edgeBytes += p.bytes() - old.bytes()
		v.edges += p.edges() - old.edges()
		halves = halves[n:]
	}
}
