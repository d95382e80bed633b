package postgres

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

func TestGraphConcepts(t *testing.T) {
	g := newRandomGraph(t, 60, 300)

	t.Run("an unknown id is not found", func(t *testing.T) {
		_, err := g.now.ConceptNumber(t.Context(), "c_'x")
		if kappa.ErrorCode(err) != kappa.CodeNotFound || kappa.ErrorMessage(err) != "Concept 'c_'x' not found" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("summaries count what supports each concept", func(t *testing.T) {
		ids := []int{1, 2, 30, 60, 999}
		got, err := g.now.ConceptSummaries(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 4 {
			t.Errorf("%d concepts, want 4: one does not exist", len(got))
		}
		for id, c := range got {
			if want := g.support(id); c.Support != want || c.ID != id {
				t.Errorf("concept %d: %+v, want %+v", id, c.Support, want)
			}
		}
		if got[1].Description == nil || got[2].Description != nil {
			t.Errorf("descriptions %v and %v, want one and none", got[1].Description, got[2].Description)
		}
	})
	t.Run("names are summaries without what relationships say", func(t *testing.T) {
		ids := []int{1, 2, 30, 60, 999}
		want, err := g.now.ConceptSummaries(t.Context(), ids)
		if err != nil {
			t.Fatal(err)
		}
		for id, c := range want {
			c.Relationships, c.Types, c.Strength = 0, 0, nil
			want[id] = c
		}
		if got, err := g.now.ConceptNames(t.Context(), ids); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	})
	t.Run("ontologies by name", func(t *testing.T) {
		got, err := g.now.ConceptOntologies(t.Context(), []int{1, 2, 3, 4, 5, 6, 7, 8})
		if err != nil {
			t.Fatal(err)
		}
		for id := 1; id <= 8; id++ {
			var want []string
			for _, o := range []string{"apples", "zebras"} {
				if g.shownIn(id, o) {
					want = append(want, o)
				}
			}
			if !slices.Equal(got[id], want) {
				t.Errorf("concept %d: %v, want %v", id, got[id], want)
			}
		}
	})
	t.Run("the quotes that were read first, in the order of ontology, document, chunk and place", func(t *testing.T) {
		got, err := g.now.ConceptEvidence(t.Context(), []int{1, 2, 3, 4}, 3)
		if err != nil {
			t.Fatal(err)
		}
		for id := 1; id <= 4; id++ {
			all := g.quotesOf(id)
			read := slices.Clone(all)
			slices.SortStableFunc(read, func(a, b quote) int { return cmp.Or(a.source-b.source, a.start-b.start) })
			read = read[:min(3, len(read))]
			want := slices.DeleteFunc(all, func(q quote) bool { return !slices.Contains(read, q) })
			if !slices.EqualFunc(got[id], want, func(e knowledge.Evidence, q quote) bool {
				return e.Document == ontologyOf(q.source) && e.Start == q.start && e.Paragraph == (q.source-1)%chunksPerDocument+1
			}) {
				t.Errorf("concept %d: %+v, want %+v", id, got[id], want)
			}
		}
		if e := got[1][0]; *e.Filename == "" || *e.SourcePath != "/docs" || e.SourceHostname != nil || e.DocumentID == "" || e.SourceID == "" {
			t.Errorf("got %+v", e)
		}
	})
}

func TestConceptRelationships(t *testing.T) {
	g := newRandomGraph(t, 30, 400)
	got, err := g.now.ConceptRelationships(t.Context(), 7, 1000)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{}
	for _, e := range g.edges {
		if e.From == 7 {
			want[e.Type+" "+conceptIDOf(e.To)] = e.Confidence
		}
	}
	found := map[string]float64{}
	for _, r := range got {
		found[r.Type+" "+r.ToID] = *r.Confidence
	}
	if len(got) != len(want) || !maps.Equal(found, want) {
		t.Errorf("got %v, want %v", found, want)
	}
	if !slices.IsSortedFunc(got, func(a, b questions.ConceptRelationship) int {
		return cmp.Or(cmp.Compare(weak(a.Type), weak(b.Type)), cmp.Compare(*b.Confidence, *a.Confidence))
	}) {
		t.Errorf("not in order: %+v", got)
	}
	if few, err := g.now.ConceptRelationships(t.Context(), 7, 2); err != nil || !slices.EqualFunc(few, got[:2], func(a, b questions.ConceptRelationship) bool { return a.ToID == b.ToID }) {
		t.Errorf("the first two: %v, %v", few, err)
	}
}

func TestEdgesAround(t *testing.T) {
	g := newRandomGraph(t, 120, 700)
	random := rand.New(rand.NewPCG(3, 4))
	for _, types := range [][]string{nil, {"CAUSES"}, {"CAUSES", vocabulary.TypeRelatedTo}, {"UNKNOWN"}} {
		for range 5 {
			var concepts []int
			for c := 1; c <= g.concepts; c++ {
				if random.IntN(4) == 0 {
					concepts = append(concepts, c)
				}
			}
			got, err := g.now.EdgesAround(t.Context(), concepts, types, 100_000)
			if err != nil {
				t.Fatal(err)
			}
			want := g.edgesAround(concepts, types)
			if !sameEdges(got, want) {
				t.Fatalf("types %v: %d edges, want %d: %v, want %v", types, len(got), len(want), got, want)
			}
			if !slices.IsSortedFunc(got, func(a, b knowledge.Edge) int {
				return cmp.Or(cmp.Compare(weak(a.Type), weak(b.Type)), cmp.Compare(b.Confidence, a.Confidence))
			}) {
				t.Fatal("the strongest do not come first")
			}
			few, err := g.now.EdgesAround(t.Context(), concepts, types, 10)
			if err != nil || !slices.Equal(few, got[:min(10, len(got))]) {
				t.Fatalf("a limit of 10 gives %v, want the beginning of %v, err %v", few, got, err)
			}
		}
	}
}

// TestHideWeak reads without weak relationships whatever is around and between concepts.
func TestHideWeak(t *testing.T) {
	g := newRandomGraph(t, 40, 400)
	var concepts []int
	var numbers []int32
	for c := 1; c <= g.concepts; c += 2 {
		concepts, numbers = append(concepts, c), append(numbers, int32(c))
	}
	hidden := func(e knowledge.Edge) bool {
		return e.Type == vocabulary.TypeRelatedTo && e.Confidence < vocabulary.LeastRelated
	}
	g.now.HideWeak()
	want := slices.DeleteFunc(g.edgesAround(concepts, nil), hidden)
	if len(want) == len(g.edgesAround(concepts, nil)) {
		t.Fatal("nothing is weak")
	}
	around, err := g.now.EdgesAround(t.Context(), concepts, nil, 100_000)
	if err != nil || !sameEdges(around, want) {
		t.Errorf("around: %d, want %d; %v", len(around), len(want), err)
	}
	ends, err := g.now.q.Neighbors(t.Context(), g.now.neighborParams(questions.NeighborQuery{Concepts: numbers, Most: 100_000}))
	if err != nil || len(ends) != len(want) {
		t.Errorf("neighbours: %d, want %d; %v", len(ends), len(want), err)
	}
	inside := slices.DeleteFunc(slices.Clone(want), func(e knowledge.Edge) bool { return e.To%2 == 0 })
	between, err := g.now.EdgesBetween(t.Context(), questions.BetweenQuery{From: numbers, To: numbers})
	if err != nil || !sameEdges(between, inside) {
		t.Errorf("between: %d, want %d; %v", len(between), len(inside), err)
	}
	among, err := g.now.EdgesAmong(t.Context(), concepts, nil, 100_000)
	if err != nil || 2*len(among) != len(inside) || slices.ContainsFunc(among, hidden) {
		t.Errorf("among: %d, want half of %d; %v", len(among), len(inside), err)
	}
	strongest, err := g.now.StrongestNeighbors(t.Context(), concepts, nil, 100)
	if err != nil || len(strongest) == 0 || slices.ContainsFunc(strongest, func(e questions.NeighborEdge) bool { return hidden(e.Edge) }) {
		t.Errorf("strongest: %d, some weak; %v", len(strongest), err)
	}
	if _, err := g.pool.Exec(t.Context(), `UPDATE kg_api.relationship_types SET name = 'OTHER' WHERE name = $1`, vocabulary.TypeRelatedTo); err != nil {
		t.Fatal(err)
	}
	all, err := g.now.q.Neighbors(t.Context(), g.now.neighborParams(questions.NeighborQuery{Concepts: numbers, Most: 100_000}))
	if err != nil || len(all) != len(g.edgesAround(concepts, nil)) {
		t.Errorf("without the weakest type: %d neighbours, want %d; %v", len(all), len(g.edgesAround(concepts, nil)), err)
	}
}

// TestEdgesBetween probes pairs, and scans what is around the first ones.
func TestEdgesBetween(t *testing.T) {
	g := newRandomGraph(t, 120, 700)
	random := rand.New(rand.NewPCG(5, 6))
	draw := func() (list []int32) {
		for range 40 {
			list = append(list, int32(1+random.IntN(g.concepts)))
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	for _, types := range [][]string{nil, {"CAUSES"}, {"UNKNOWN"}} {
		for _, around := range []int{0, 1_000_000} {
			q := questions.BetweenQuery{From: draw(), To: draw(), Types: types, Around: around}
			got, err := g.now.EdgesBetween(t.Context(), q)
			want := slices.DeleteFunc(g.edgesAround(toInts(q.From), types), func(e knowledge.Edge) bool { return !slices.Contains(q.To, int32(e.To)) })
			if err != nil || !sameEdges(got, want) {
				t.Errorf("types %v, around %d: %d edges, want %d, %v", types, around, len(got), len(want), err)
			}
		}
	}
}

// edgesAround is EdgesAround over the fixture's own list.
func (g *randomGraph) edgesAround(concepts []int, types []string) (found []knowledge.Edge) {
	for _, e := range g.edges {
		if len(types) > 0 && !slices.Contains(types, e.Type) {
			continue
		}
		if slices.Contains(concepts, e.From) {
			found = append(found, e)
		}
		if slices.Contains(concepts, e.To) {
			found = append(found, knowledge.Edge{From: e.To, To: e.From, Type: e.Type, Confidence: e.Confidence})
		}
	}
	return found
}

func sameEdges(a, b []knowledge.Edge) bool {
	counts := map[knowledge.Edge]int{}
	for _, e := range a {
		counts[e]++
	}
	for _, e := range b {
		counts[e]--
	}
	for _, n := range counts {
		if n != 0 {
			return false
		}
	}
	return true
}

// support counts what the fixture has for a concept.
func (g *randomGraph) support(concept int) knowledge.Support {
	types, sources := map[string]bool{}, map[int]bool{}
	var s knowledge.Support
	for _, e := range g.edgesAround([]int{concept}, nil) {
		s.Relationships++
		types[e.Type] = true
	}
	for _, q := range g.quotes {
		if q.concept == concept {
			s.Instances++
			sources[q.source] = true
		}
	}
	s.Types, s.Sources = len(types), len(sources)
	return s
}

// quotesOf returns the quotes of a concept in the order in which they are shown.
func (g *randomGraph) quotesOf(concept int) (found []quote) {
	for _, q := range g.quotes {
		if q.concept == concept {
			found = append(found, q)
		}
	}
	slices.SortStableFunc(found, func(a, b quote) int {
		return cmp.Or(cmp.Compare(ontologyOf(a.source), ontologyOf(b.source)), cmp.Compare(a.source, b.source), cmp.Compare(a.start, b.start))
	})
	return found
}

func weak(relationship string) int {
	if relationship == vocabulary.TypeRelatedTo {
		return 1
	}
	return 0
}
