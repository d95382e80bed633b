package adjacency

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// stage is how many edges a Builder allocates at once.
const stage = 1 << 16

// Builder collects a graph: concepts, edges and types in any order. It is for one
// goroutine, and for one Build.
type Builder struct {
	limit int64

	types    map[int32]string
	concepts []Concept
	text     int64 // bytes of ids

	kinds  *kinds
	pages  []*page    // only their degrees: ends counts the edges of each row
	count  int        // pages that are not nil
	staged [][]staged // edges whose kinds are in the dictionary
	others []Change   // the other edges
	edges  int
}

// staged is an edge as seen from its source.
type staged struct {
	src, dst uint32
	kind     uint16 // the place of the forward kind
}

// NewBuilder returns a Builder of a graph that may take up to limit bytes, while
// it is built and afterwards. 0 sets no limit.
func NewBuilder(limit int64) *Builder {
	return &Builder{limit: limit, types: map[int32]string{}, kinds: newKinds()}
}

// AddType adds a relationship type. Every type of an edge needs one by Build.
func (b *Builder) AddType(t Type) { b.types[t.Number] = t.Name }

// AddConcept adds a concept. It returns ErrMemory above the limit, and another
// error for a concept that breaks a rule of Concept.
func (b *Builder) AddConcept(c Concept) error {
	if err := c.check(); err != nil {
		return err
	}
	b.concepts = append(b.concepts, c)
	b.text += int64(len(c.ID))
	return b.checkLimit(len(b.concepts))
}

// AddEdge adds an edge. One that is added twice counts once, with one of its
// confidences. It returns ErrMemory above the limit, and another error for
// an edge that breaks a rule of Edge.
func (b *Builder) AddEdge(e Edge) error {
	if err := e.check(); err != nil {
		return err
	}
	b.edges++
	// Both kinds get a place, or none.
	forward := b.kinds.find(kind{newLink(e.Type, true), e.Confidence})
	backward := b.kinds.find(kind{newLink(e.Type, false), e.Confidence})
	if forward < 0 || backward < 0 {
		b.others = append(b.others, Change{Op: Put, Edge: e})
		return b.checkLimit(b.edges)
	}
	b.degree(uint32(e.Src))
	b.degree(uint32(e.Dst))
	if n := len(b.staged); n == 0 || len(b.staged[n-1]) == stage {
		b.staged = append(b.staged, make([]staged, 0, stage))
	}
	last := &b.staged[len(b.staged)-1]
	*last = append(*last, staged{uint32(e.Src), uint32(e.Dst), uint16(forward)})
	return b.checkLimit(b.edges)
}

// degree counts an edge of a concept.
func (b *Builder) degree(concept uint32) {
	at := int(concept / rows)
	if at >= len(b.pages) {
		b.pages = append(b.pages, make([]*page, at+1-len(b.pages))...)
	}
	if b.pages[at] == nil {
		b.pages[at] = &page{}
		b.count++
	}
	b.pages[at].ends[concept%rows]++
}

// checkLimit returns ErrMemory above the limit. It counts now and then only.
func (b *Builder) checkLimit(added int) error {
	if added%1024 != 0 {
		return nil
	}
	return above(b.Bytes(), b.limit)
}

func above(bytes, limit int64) error {
	if limit > 0 && bytes > limit {
		return fmt.Errorf("%w: %d MB needed, %d MB allowed", ErrMemory, bytes>>20, limit>>20)
	}
	return nil
}

// Bytes estimates what Build will take at its peak: what has been added, and
// the graph that is made of it.
func (b *Builder) Bytes() int64 {
	const pageEntry = 2 * (4 + 2)
	return int64(len(b.staged))*stage*12 + int64(b.edges)*pageEntry + int64(cap(b.others))*20*5 +
		int64(b.count)*pageBytes + int64(cap(b.pages))*8 + int64(cap(b.concepts))*24 + b.text*2 +
		int64(len(b.concepts))*10 + b.kinds.bytes()
}

// Build returns the graph, as of the given epoch. The Builder is of no use
// afterwards. It returns ErrMemory above the limit, an error for an edge whose
// type is not known, and that of ctx when it ends first.
func (b *Builder) Build(ctx context.Context, epoch int64) (*Graph, error) {
	if err := above(b.Bytes(), b.limit); err != nil {
		return nil, err
	}
	v := &View{epoch: epoch, scratch: &sync.Pool{New: func() any { return &scratch{} }}}
	v.names = v.names.with(b.concepts)
	b.concepts = nil
	if err := b.fill(ctx); err != nil {
		return nil, err
	}
	for at, p := range b.pages {
		if at%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if p != nil {
			v.pages = grownTo(v.pages, at+1)
			v.pages[at] = sortRows(p, b.kinds)
			v.edgeBytes += v.pages[at].bytes()
			v.edges += v.pages[at].edges()
		}
	}
	v.kinds = b.kinds.list
	g := &Graph{limit: b.limit, kinds: b.kinds}
	g.now.Store(v)
	d := Delta{Epoch: epoch, Changes: b.others}
	for number, name := range b.types {
		d.Types = append(d.Types, Type{number, name})
	}
	if err := g.Apply(d); err != nil {
		return nil, err
	}
	for _, k := range b.kinds.list {
		if g.View().TypeName(k.link.typ()) == "" {
			return nil, fmt.Errorf("type %d has edges and no name", k.link.typ())
		}
	}
	return g, nil
}

// fill puts each edge into the rows of its ends, in no order.
func (b *Builder) fill(ctx context.Context) error {
	for _, p := range b.pages {
		if p == nil {
			continue
		}
		total := uint32(0)
		for r, degree := range p.ends {
			p.ends[r] = total // the next free place of the row, at last its end
			total += degree
		}
		p.far, p.kinds = make([]uint32, total), make([]uint16, total)
	}
	backward := make([]uint16, len(b.kinds.list))
	for i, k := range b.kinds.list {
		if k.link.forward() {
			backward[i] = uint16(b.kinds.find(kind{newLink(k.link.typ(), false), k.confidence}))
		}
	}
	for i, list := range b.staged {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, e := range list {
			b.place(e.src, e.dst, e.kind)
			b.place(e.dst, e.src, backward[e.kind])
		}
		b.staged[i] = nil
	}
	return nil
}

func (b *Builder) place(row, far uint32, kind uint16) {
	p := b.pages[row/rows]
	at := p.ends[row%rows]
	p.ends[row%rows]++
	p.far[at], p.kinds[at] = far, kind
}

// sortRows sorts the rows of p, and takes out what is there twice.
func sortRows(p *page, dictionary *kinds) *page {
	var keys []uint64
	twice := false
	for r := range uint32(rows) {
		begin, end := p.bounds(r)
		keys = keys[:0]
		for i := begin; i < end; i++ {
			keys = append(keys, uint64(p.far[i])<<16|uint64(p.kinds[i]))
		}
		slices.Sort(keys)
		for i, k := range keys {
			at := begin + uint32(i)
			p.far[at], p.kinds[at] = uint32(k>>16), uint16(k)
			if dictionary.list[uint16(k)].link.forward() {
				p.out++
			}
			for j := at; j > begin && p.far[j-1] == p.far[at] && !twice; j-- {
				twice = dictionary.list[p.kinds[j-1]].link == dictionary.list[p.kinds[at]].link
			}
		}
	}
	if !twice {
		return p
	}
	var d draft
	for r := range uint32(rows) {
		begin, end := p.bounds(r)
		from := len(d.entries)
		for i := begin; i < end; i++ {
			d.keep(p, i, dictionary.list)
			d.entries = d.entries[:from+keepStrongest(d.entries[from:])]
		}
		d.ends[r] = uint32(len(d.entries))
	}
	return d.page()
}

// keepStrongest compares the last entry of a row with the others of its
// neighbour. When one has the same link, the higher confidence stays there, and
// the last entry goes. It returns how many entries there are then.
func keepStrongest(row []entry) int {
	last := len(row) - 1
	for i := last - 1; i >= 0 && row[i].far == row[last].far; i-- {
		if row[i].kind.link == row[last].kind.link {
			if row[last].kind.confidence > row[i].kind.confidence {
				row[i] = row[last]
			}
			return last
		}
	}
	return last + 1
}

// grownTo returns list with at least n elements.
func grownTo[T any](list []T, n int) []T {
	if n <= len(list) {
		return list
	}
	return append(list, make([]T, n-len(list))...)
}
