package signatures

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sort"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// term is one name of a concept. Of the name it has the hash: that two names have the
// same one is less likely than a fault of the memory.
type term struct {
	hash  uint64
	at    uint32
	label bool
}

// terms are names, in the order of hash and position unless they are being collected.
type terms struct{ list []term }

// seed makes the hashes of this process, which nobody outside can foresee.
var seed = maphash.MakeSeed()

// add adds the names of an entry, at the end.
func (t *terms) add(e questions.SearchEntry, at uint32) {
	for _, text := range e.Terms {
		t.list = append(t.list, term{hash: maphash.String(seed, text), at: at, label: text == e.LabelKey})
	}
}

// drop removes the names of a position.
func (t *terms) drop(at uint32) {
	t.list = slices.DeleteFunc(t.list, func(n term) bool { return n.at == at })
}

// without returns the sorted names of t apart from those of moved positions, with late
// ones.
func (t terms) without(moved changed, late terms) terms {
	list := make([]term, 0, len(t.list)+len(late.list))
	for _, n := range t.list {
		if !moved.has(n.at) {
			list = append(list, n)
		}
	}
	list = append(list, late.list...)
	slices.SortFunc(list, func(a, b term) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.at, b.at)) })
	return terms{list}
}

// named returns the sorted names with a hash.
func (t terms) named(hash uint64) []term {
	first := sort.Search(len(t.list), func(i int) bool { return t.list[i].hash >= hash })
	last := first
	for last < len(t.list) && t.list[last].hash == hash {
		last++
	}
	return t.list[first:last]
}

func (t terms) bytes() int64 { return int64(len(t.list)) * 16 }

// TermHits returns the concepts that bear one of the terms by name; terms are in the
// form of naming.LabelKey. A concept that bears several is returned for each. ontology,
// when not nil, keeps only concepts with a source in it. At most most concepts are
// returned, the oldest.
func (x *Index) TermHits(wanted []string, ontology *string, most int) []knowledge.TermHit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	filter := x.filter(ontology)
	var hits []knowledge.TermHit
	for _, text := range wanted {
		hash := maphash.String(seed, text)
		take := func(n term) {
			if x.rows.allows(filter, n.at) {
				hits = append(hits, knowledge.TermHit{ID: int(x.rows.numbers[n.at]), ConceptID: x.rows.ids[n.at], Term: text, IsLabel: n.label})
			}
		}
		for _, n := range x.base.terms.named(hash) {
			if !x.moved.has(n.at) {
				take(n)
			}
		}
		for _, n := range x.late.list {
			if n.hash == hash {
				take(n)
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b knowledge.TermHit) int { return cmp.Compare(a.ID, b.ID) })
	return firstConcepts(hits, most)
}

// firstConcepts cuts hits, which are in the order of the concepts, after so many
// concepts.
func firstConcepts(hits []knowledge.TermHit, most int) []knowledge.TermHit {
	concepts := 0
	for i, h := range hits {
		if i == 0 || h.ID != hits[i-1].ID {
			concepts++
		}
		if concepts > most {
			return hits[:i]
		}
	}
	return hits
}
