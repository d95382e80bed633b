package retrieval

import (
	"cmp"
	"slices"

	"github.com/kappagraph/kappa/corpus"
)

// held says which passages of each chunk the index has. One goroutine uses it.
type held map[int32][]int32

// heldOf returns what an index has.
func heldOf(x passageIndex) (held, []corpus.PassageKey) {
	h := held{}
	var keys []corpus.PassageKey
	x.Held(func(id, source, document, ontology, stamp int32) {
		h[source] = append(h[source], id)
		keys = append(keys, corpus.PassageKey{ID: id, Source: source, Document: document, Ontology: ontology, Stamp: stamp})
	})
	return h, keys
}

// replace records that a chunk has these passages, and returns those that it had besides.
func (h held) replace(source int32, ids []int32) (gone []int32) {
	for _, id := range h[source] {
		if !slices.Contains(ids, id) {
			gone = append(gone, id)
		}
	}
	if len(ids) == 0 {
		delete(h, source)
		return gone
	}
	h[source] = ids
	return gone
}

// difference is what an index lacks, and has too much.
type difference struct {
	passages int     // in the tables
	sources  []int32 // chunks of which passages are missing, or are others
	gone     []int32 // passages
}

// compare compares the keys that an index has with those of the tables. It sorts both.
func compare(has, tables []corpus.PassageKey) difference {
	byID := func(a, b corpus.PassageKey) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(has, byID)
	slices.SortFunc(tables, byID)
	d := difference{passages: len(tables)}
	for _, k := range tables {
		for len(has) > 0 && has[0].ID < k.ID {
			d.gone = append(d.gone, has[0].ID)
			has = has[1:]
		}
		known := len(has) > 0 && has[0] == k
		if len(has) > 0 && has[0].ID == k.ID {
			has = has[1:]
		}
		if !known {
			d.sources = append(d.sources, k.Source)
		}
	}
	for _, k := range has {
		d.gone = append(d.gone, k.ID)
	}
	slices.Sort(d.sources)
	d.sources = slices.Compact(d.sources)
	return d
}
