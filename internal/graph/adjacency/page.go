package adjacency

import "slices"

// rows is the number of concepts of a page.
const rows = 256

// page holds the edges of the concepts with the numbers 256 n to 256 n + 255:
// each edge stands in the rows of both its ends. A row is sorted by neighbour.
// A page that has been built never changes.
type page struct {
	ends [rows]uint32 // where each row ends, and the next one begins
	far  []uint32     // neighbours
	out  int          // edges that point away from the concepts of the page

	kinds []uint16 // a place in the dictionary for each neighbour; nil in a wide page

	// A wide page has an edge whose kind is not in the dictionary.
	links       []link
	confidences []float32
}

const pageBytes = rows*4 + 4*24 + 8

func (p *page) bytes() int64 {
	if p == nil {
		return 0
	}
	return pageBytes + int64(cap(p.far))*4 + int64(cap(p.kinds))*2 + int64(cap(p.links))*2 + int64(cap(p.confidences))*4
}

// edges counts the edges that point away from the concepts of p.
func (p *page) edges() int {
	if p == nil {
		return 0
	}
	return p.out
}

// bounds returns where the row of a concept begins and ends.
func (p *page) bounds(concept uint32) (begin, end uint32) {
	r := concept % rows
	if r > 0 {
		begin = p.ends[r-1]
	}
	return begin, p.ends[r]
}

// at returns the kind of the edge at a place of the page.
func (p *page) at(i uint32, dictionary []kind) kind {
	if p.kinds != nil {
		return dictionary[p.kinds[i]]
	}
	return kind{p.links[i], p.confidences[i]}
}

// entry is an edge in a row while its page is being built.
type entry struct {
	far   uint32
	kind  kind
	place int32 // of the kind in the dictionary; -1 if it has none there
}

// draft is a page that is being built, row by row.
type draft struct {
	ends    [rows]uint32
	entries []entry
}

// page returns what the draft says; nil for a draft without edges.
func (d *draft) page() *page {
	if len(d.entries) == 0 {
		return nil
	}
	p := &page{ends: d.ends, far: make([]uint32, len(d.entries))}
	wide := slices.ContainsFunc(d.entries, func(e entry) bool { return e.place < 0 })
	if wide {
		p.links, p.confidences = make([]link, len(d.entries)), make([]float32, len(d.entries))
	} else {
		p.kinds = make([]uint16, len(d.entries))
	}
	for i, e := range d.entries {
		p.far[i] = e.far
		if e.kind.link.forward() {
			p.out++
		}
		if wide {
			p.links[i], p.confidences[i] = e.kind.link, e.kind.confidence
		} else {
			p.kinds[i] = uint16(e.place)
		}
	}
	return p
}

// half is a change of a row: one of the two that a Change makes.
type half struct {
	row, far   uint32
	link       link
	op         Op
	confidence float32
}

// compare orders halves by where they apply.
func (h half) compare(o half) int {
	switch {
	case h.row != o.row:
		return order(h.row, o.row)
	case h.far != o.far:
		return order(h.far, o.far)
	}
	return order(h.link, o.link)
}

func order[T uint32 | link](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// merge puts p with the changes of its rows into d. The changes are in the order
// of compare, and none applies where another one does. p may be nil.
func (d *draft) merge(p *page, changes []half, dictionary *kinds) {
	d.entries = d.entries[:0]
	if p == nil {
		p = &page{kinds: []uint16{}}
	}
	for r := range uint32(rows) {
		n := 0
		for n < len(changes) && changes[n].row%rows == r {
			n++
		}
		begin, end := p.bounds(r)
		d.mergeRow(p, begin, end, changes[:n], dictionary)
		changes = changes[n:]
		d.ends[r] = uint32(len(d.entries))
	}
}

func (d *draft) mergeRow(p *page, begin, end uint32, changes []half, dictionary *kinds) {
	i := begin
	for len(changes) > 0 {
		far := changes[0].far
		for i < end && p.far[i] < far {
			d.keep(p, i, dictionary.list)
			i++
		}
		n := 1
		for n < len(changes) && changes[n].far == far {
			n++
		}
		for i < end && p.far[i] == far {
			l := p.at(i, dictionary.list).link
			if !slices.ContainsFunc(changes[:n], func(h half) bool { return h.link == l }) {
				d.keep(p, i, dictionary.list)
			}
			i++
		}
		for _, h := range changes[:n] {
			if h.op == Put {
				k := kind{h.link, h.confidence}
				d.entries = append(d.entries, entry{far, k, dictionary.find(k)})
			}
		}
		changes = changes[n:]
	}
	for ; i < end; i++ {
		d.keep(p, i, dictionary.list)
	}
}

// keep takes the edge at a place of p as it is.
func (d *draft) keep(p *page, i uint32, dictionary []kind) {
	e := entry{far: p.far[i], kind: p.at(i, dictionary), place: -1}
	if p.kinds != nil {
		e.place = int32(p.kinds[i])
	}
	d.entries = append(d.entries, e)
}
