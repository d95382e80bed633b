package signatures

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const dimensions = 48

// naive is what an index is compared with: it compares everything with everything.
type naive struct{ entries map[int]questions.SearchEntry }

func (n naive) all(ontology *int) (list []questions.SearchEntry) {
	for _, e := range n.entries {
		if ontology == nil || slices.Contains(e.Ontologies, *ontology) {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b questions.SearchEntry) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

func (n naive) near(q knowledge.NearQuery, ontology *int, keep func(models.Signature) bool) []int {
	list := slices.DeleteFunc(n.all(ontology), func(e questions.SearchEntry) bool { return len(e.Embedding) == 0 || !keep(e.Signature) })
	slices.SortStableFunc(list, func(a, b questions.SearchEntry) int {
		return cmp.Compare(a.Signature.Distance(q.Signature), b.Signature.Distance(q.Signature))
	})
	ids := []int{}
	for _, e := range list[:min(q.Limit, len(list))] {
		ids = append(ids, e.ID)
	}
	return ids
}

func (n naive) named(terms []string, ontology *int, most int) (hits []knowledge.TermHit) {
	concepts := 0
	for _, e := range n.all(ontology) {
		found := false
		for _, term := range terms {
			if slices.Contains(e.Terms, term) {
				hits = append(hits, knowledge.TermHit{ID: e.ID, ConceptID: e.ConceptID, Term: term, IsLabel: term == e.LabelKey})
				found = true
			}
		}
		if found {
			if concepts++; concepts == most {
				break
			}
		}
	}
	return hits
}

// randomVector draws a vector near one of a few centres, with zeros, so that bands are
// shared and distances equal.
func randomVector(r *rand.Rand) models.Embedding {
	if r.IntN(8) == 0 {
		return nil
	}
	centre := rand.New(rand.NewPCG(9, uint64(r.IntN(5))))
	v := make(models.Embedding, dimensions)
	for i := range v {
		if x := float32(centre.NormFloat64()); i%3 > 0 {
			v[i] = x
		}
	}
	for range r.IntN(4) {
		v[r.IntN(dimensions)] = float32(r.NormFloat64())
	}
	return v
}

func randomEntry(r *rand.Rand, id int) questions.SearchEntry {
	e := questions.SearchEntry{ID: id, ConceptID: fmt.Sprintf("c_%d_%d", id, r.IntN(3)), LabelKey: fmt.Sprintf("term %d", r.IntN(12))}
	e.Terms = []string{e.LabelKey}
	if other := fmt.Sprintf("term %d", r.IntN(12)); other != e.LabelKey {
		e.Terms = append(e.Terms, other)
	}
	for o := 1; o <= 3; o++ {
		if r.IntN(3) == 0 {
			e.Ontologies = append(e.Ontologies, o)
		}
	}
	if e.Embedding = randomVector(r); e.Embedding != nil {
		e.Signature = e.Embedding.Signature()
	}
	return e
}

// TestAsNaive changes an index at random and compares each answer with the naive one.
func TestAsNaive(t *testing.T) {
	names := map[string]int{"one": 1, "two": 2, "three": 3}
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		x, n := NewIndex(true), naive{map[int]questions.SearchEntry{}}
		x.SetOntologies(names)
		for step := range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch r.IntN(4) {
			case 0:
				x.Tidy(true)
			case 1:
				var gone []int
				for range r.IntN(10) {
					gone = append(gone, 1+r.IntN(60))
				}
				x.Remove(gone)
				for _, id := range gone {
					delete(n.entries, id)
				}
			default:
				var list []questions.SearchEntry
				for range r.IntN(40) {
					e := randomEntry(r, 1+r.IntN(60))
					list = append(list, e)
					n.entries[e.ID] = e
				}
				x.Put(list)
			}
			compareWithNaive(t, fmt.Sprintf("step %d", step), x, n, r)
		}
	})
}

func compareWithNaive(t *rapid.T, step string, x *Index, n naive, r *rand.Rand) {
	e := randomVector(r)
	if e == nil {
		e = make(models.Embedding, dimensions)
	}
	q := knowledge.NearQuery{Signature: e.Signature(), Limit: 1 + r.IntN(30)}
	var ontology *int
	switch o := r.IntN(6); o {
	case 1, 2, 3:
		q.Ontology, ontology = new([]string{"one", "two", "three"}[o-1]), &o
	case 4:
		q.Ontology, ontology = new("unknown"), new(-1)
	}
	if x.Len() != len(n.entries) {
		t.Fatalf("%s: %d concepts, want %d", step, x.Len(), len(n.entries))
	}
	got, want := x.Nearest(q), n.near(q, ontology, func(models.Signature) bool { return true })
	if !slices.Equal(got, want) {
		t.Fatalf("%s: nearest %v, want %v", step, got, want)
	}
	share := func(s models.Signature) bool {
		for i, band := range s.Bands() {
			if band == q.Signature.Bands()[i] {
				return true
			}
		}
		return false
	}
	if got, want := x.Close(q), n.near(q, ontology, share); !slices.Equal(got, want) {
		t.Fatalf("%s: close %v, want %v", step, got, want)
	}
	similar, _ := x.Similar(e, want)
	for i, s := range similar {
		entry := n.entries[want[i]]
		if cosine := e.Cosine(entry.Embedding); s.Cosine != cosine || s.ConceptID != entry.ConceptID || len(similar) != len(want) {
			t.Fatalf("%s: similar %+v, want %s with %v", step, s, entry.ConceptID, cosine)
		}
	}
	terms := []string{fmt.Sprintf("term %d", r.IntN(12)), fmt.Sprintf("term %d", 20+r.IntN(12)), "term 3"}
	slices.Sort(terms)
	terms = slices.Compact(terms)
	most := 1 + r.IntN(20)
	if got, want := x.TermHits(terms, q.Ontology, most), n.named(terms, ontology, most); !slices.Equal(got, want) {
		t.Fatalf("%s: named %v, want %v", step, got, want)
	}
}

func TestVectorsAreCompacted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := NewIndex(true)
	entry := func(id int) questions.SearchEntry {
		e := make(models.Embedding, 1000)
		for i := range e {
			e[i] = float32(r.NormFloat64())
		}
		return questions.SearchEntry{ID: id, ConceptID: "c", Embedding: e, Signature: e.Signature()}
	}
	var last questions.SearchEntry
	for range 10 {
		for id := 1; id <= 70; id++ {
			last = entry(id)
			x.Put([]questions.SearchEntry{last})
		}
	}
	before := x.Bytes()
	x.Tidy(true)
	if after := x.Bytes(); after > before/2 {
		t.Errorf("%d bytes after tidying, %d before", after, before)
	}
	if got, _ := x.Similar(last.Embedding, []int{70}); len(got) != 1 || got[0].Cosine != last.Embedding.Cosine(last.Embedding) {
		t.Errorf("the vector of the last concept is %+v", got)
	}
	x.DropVectors()
	if _, held := x.Similar(last.Embedding, []int{70}); held {
		t.Error("vectors are held that were dropped")
	}
}

// BenchmarkIndex asks 100,000 concepts that are related as in a library: each has a
// centre, of which there are 2,000, and differs from it in every eighth bit.
//
//	go test ./internal/graph/signatures -run '^$' -bench Index -cpu 1
func BenchmarkIndex(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 3))
	x := NewIndex(false)
	centres := make([]models.Signature, 2000)
	for c := range centres {
		for i := range centres[c] {
			centres[c][i] = r.Uint64()
		}
	}
	var list []questions.SearchEntry
	for id := 1; id <= 100_000; id++ {
		e := questions.SearchEntry{ID: id, Embedding: models.Embedding{1}, Signature: centres[r.IntN(len(centres))]}
		for i := range e.Signature {
			e.Signature[i] ^= r.Uint64() & r.Uint64() & r.Uint64()
		}
		list = append(list, e)
	}
	x.Put(list)
	x.Tidy(true)
	ask := func(b *testing.B, question func(q knowledge.NearQuery)) {
		i := 0
		for b.Loop() {
			question(knowledge.NearQuery{Signature: list[i%len(list)].Signature, Limit: 300})
			i += 7919
		}
	}
	b.Run("nearest", func(b *testing.B) { ask(b, func(q knowledge.NearQuery) { x.Nearest(q) }) })
	b.Run("close", func(b *testing.B) { ask(b, func(q knowledge.NearQuery) { x.Close(q) }) })
	b.Run("tidy", func(b *testing.B) {
		for b.Loop() {
			x.Tidy(true)
		}
	})
}
