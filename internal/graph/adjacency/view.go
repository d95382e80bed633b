package adjacency

import (
	"iter"
	"sync"
)

// View is a graph as of one moment. It never changes.
type View struct {
	epoch int64
	pages []*page
	kinds []kind
	names names
	types []string // by number; "" = no such type

	edges     int
	edgeBytes int64
	kindBytes int64

	scratch *sync.Pool // of *scratch, for searches
}

// Stats says how much a View holds.
type Stats struct {
	Epoch     int64
	Concepts  int
	Edges     int
	Bytes     int64 // of all
	EdgeBytes int64 // of the edges, in both directions
}

// Epoch returns the epoch of the graph that v shows.
func (v *View) Epoch() int64 { return v.epoch }

// At returns v as of another epoch, at which it is the same.
func (v *View) At(epoch int64) *View {
	same := *v
	same.epoch = epoch
	return &same
}

// Stats returns how much v holds.
func (v *View) Stats() Stats {
	edges := v.edgeBytes + v.kindBytes + int64(cap(v.pages))*8
	return Stats{
		Epoch: v.epoch, Concepts: v.names.count, Edges: v.edges,
		Bytes: edges + v.names.bytes(), EdgeBytes: edges,
	}
}

// Number returns the number of the concept with an id.
func (v *View) Number(id string) (number int32, known bool) {
	n, known := v.names.number(id)
	return int32(n), known
}

// ID returns the id of a concept, "" when there is no such concept.
func (v *View) ID(number int32) string { return v.names.id(uint32(number)) }

// TypeName returns the name of a relationship type, "" when there is no such
// type. Every type of an edge has one.
func (v *View) TypeName(number int32) string {
	if number < 0 || int(number) >= len(v.types) {
		return ""
	}
	return v.types[number]
}

// Around returns the edges of a concept in both directions, by their other end.
// A concept that is not known has none.
func (v *View) Around(concept int32) iter.Seq[Neighbour] {
	return func(yield func(Neighbour) bool) {
		p, begin, end := v.row(uint32(concept))
		for i := begin; i < end; i++ {
			k := p.at(i, v.kinds)
			if !yield(Neighbour{int32(p.far[i]), k.link.typ(), k.link.forward(), k.confidence}) {
				return
			}
		}
	}
}

// Degree returns the number of edges of a concept, in both directions.
func (v *View) Degree(concept int32) int {
	_, begin, end := v.row(uint32(concept))
	return int(end - begin)
}

// row returns where the edges of a concept stand.
func (v *View) row(concept uint32) (p *page, begin, end uint32) {
	at := concept / rows
	if at >= uint32(len(v.pages)) || v.pages[at] == nil {
		return nil, 0, 0
	}
	p = v.pages[at]
	begin, end = p.bounds(concept)
	return p, begin, end
}
