package signatures

import (
	"sync"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// tailShare is the share of the concepts that may have changed before the index of
// names and bands is rebuilt, and tailLeast how many may in any case.
const (
	tailShare = 50 // one in fifty
	tailLeast = 2000
)

// Index is the concepts of one model as a search compares them. Its zero value is empty
// and may be asked. One goroutine at a time may change it.
type Index struct {
	model string // whose embeddings it holds; set before anybody asks

	mu    sync.RWMutex
	names map[string]int // of ontologies
	known map[int]bool   // the numbers of names
	rows  rows
	sets  sets
	base  base    // what was known when it was built; never changed in place
	moved changed // positions that have changed since
	late  terms   // of moved
}

// base finds positions by term and by band.
type base struct {
	terms terms // by hash, then position
	bands *bands
}

// NewIndex returns an empty index. With vectors it holds the embeddings, too.
func NewIndex(vectors bool) *Index {
	x := &Index{}
	x.rows.vectors.held = vectors
	return x
}

// Len returns how many concepts there are.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.rows.byNumber)
}

// HoldsVectors reports whether Similar can answer.
func (x *Index) HoldsVectors() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.rows.vectors.held
}

// DropVectors forgets the embeddings, for want of memory.
func (x *Index) DropVectors() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rows.vectors = vectors{}
}

// Bytes returns about how much memory the index takes.
func (x *Index) Bytes() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.rows.bytes() + x.base.bytes() + int64(len(x.sets.lists))*setBytes
}

// SetOntologies names the ontologies by their numbers.
func (x *Index) SetOntologies(names map[string]int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.names, x.known = names, make(map[int]bool, len(names))
	for _, n := range names {
		x.known[n] = true
	}
}

// knows reports whether all the ontologies have a name. It is for whoever changes the
// index.
func (x *Index) knows(ontologies ...int) bool {
	for _, o := range ontologies {
		if !x.known[o] {
			return false
		}
	}
	return true
}

// Put adds concepts, or replaces what is known of them.
func (x *Index) Put(entries []questions.SearchEntry) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, e := range entries {
		at := x.rows.place(e)
		x.rows.set[at] = x.sets.number(e.Ontologies)
		x.touch(at)
		x.late.add(e, at)
	}
}

// Show adds an ontology to those that show a concept, and reports whether the concept is
// there.
func (x *Index) Show(id, ontology int) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	at, known := x.rows.byNumber[int32(id)]
	if known {
		x.rows.set[at] = x.sets.with(x.rows.set[at], int32(ontology))
	}
	return known
}

// Remove removes concepts; those that are not there are none.
func (x *Index) Remove(ids []int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range ids {
		if at, known := x.rows.remove(id); known {
			x.touch(at)
		}
	}
}

// touch records that a position has changed since the base was built.
func (x *Index) touch(at uint32) {
	if x.moved.has(at) {
		x.late.drop(at)
		return
	}
	x.moved.add(at)
}

// Tidy rebuilds the index of names and bands when much has changed since, or always with
// force. Questions go on meanwhile.
func (x *Index) Tidy(force bool) {
	if !force && len(x.moved.list) <= max(tailLeast, len(x.rows.numbers)/tailShare) {
		return
	}
	// Only the caller changes the index, so nothing moves here.
	built := base{terms: x.base.terms.without(x.moved, x.late), bands: newBands(&x.rows)}
	vectors := x.rows.vectors.compact()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rows.vectors = vectors
	x.base, x.moved, x.late = built, changed{}, terms{}
}

func (b base) bytes() int64 {
	n := b.terms.bytes()
	if b.bands != nil {
		n += b.bands.bytes()
	}
	return n
}
