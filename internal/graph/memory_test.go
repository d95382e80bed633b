package graph

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"time"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// viewOf shows the same all the time.
func viewOf(s Snapshot) Viewer {
	return func(_ context.Context, read func(s Snapshot) error) error {
		if m, is := s.(*memory); is {
			m.hidesWeak, m.floor, m.heading = false, 0, ""
		}
		return read(s)
	}
}

// memory is a graph of concepts and edges for tests of walks. Concept n has the
// id "c_n".
type memory struct {
	Snapshot
	concepts int
	edges    []knowledge.Edge
	queries  int   // levels that were loaded
	at       int64 // its epoch; 7 at least

	hidesWeak  bool              // until the next view
	floor      float64           // likewise
	heading    questions.Heading // likewise
	unmeasured bool              // the grounding of its concepts is not known
	statuses   map[string]string // of relationship types
	embeddings int               // queries of embeddings
	named      int               // queries of names alone
	summed     int               // queries of summaries
	vectors    func(concept int) models.Embedding
}

// HideWeak is GraphSnapshot.HideWeak.
func (m *memory) HideWeak() { m.hidesWeak = true }

// LeastConfidence is GraphSnapshot.LeastConfidence.
func (m *memory) LeastConfidence(least float64) { m.floor = least }

// Heading is GraphSnapshot.Heading.
func (m *memory) Heading(d questions.Heading) { m.heading = d }

// hidden reports that e is not read.
func (m *memory) hidden(e knowledge.Edge) bool {
	return e.Confidence < m.floor || m.hidesWeak && e.Type == vocabulary.TypeRelatedTo && e.Confidence < vocabulary.LeastRelated
}

func (m *memory) TypeStatuses(context.Context) (map[string]string, error) { return m.statuses, nil }

func (m *memory) ConceptEmbeddings(_ context.Context, _ string, ids []int) ([]knowledge.EmbeddedConcept, error) {
	m.embeddings++
	var found []knowledge.EmbeddedConcept
	for _, id := range ids {
		if v := m.vectors(id); v != nil {
			found = append(found, knowledge.EmbeddedConcept{ID: id, ConceptID: conceptID(id), Embedding: v})
		}
	}
	return found, nil
}

func (m *memory) ConceptNumber(_ context.Context, id string) (int, error) {
	n, err := strconv.Atoi(id[len("c_"):])
	if err != nil || n >= m.concepts {
		return 0, kappa.NewError(kappa.CodeNotFound, "Concept '"+id+"' not found")
	}
	return n, nil
}

func (m *memory) ConceptSummaries(_ context.Context, ids []int) (map[int]knowledge.ConceptSummary, error) {
	m.summed++
	found := map[int]knowledge.ConceptSummary{}
	for _, id := range ids {
		s := named(id)
		s.Relationships, s.Types, s.Strength = m.support(id)
		found[id] = s
	}
	return found, nil
}

func named(id int) knowledge.ConceptSummary {
	return knowledge.ConceptSummary{ID: id, ConceptID: conceptID(id), Label: fmt.Sprintf("label %03d", id)}
}

// support sums up the relationships of a concept.
func (m *memory) support(id int) (relationships, types int, grounding *float64) {
	seen := map[string]bool{}
	var sum, weights float64
	for _, e := range m.edges {
		if e.From != id && e.To != id {
			continue
		}
		relationships++
		seen[e.Type] = true
		if p, known := m.projections()[int32(slices.Index(typesOf, e.Type))]; known && e.To == id {
			sum += p * float64(float32(e.Confidence))
			weights += float64(float32(e.Confidence))
		}
	}
	switch {
	case m.unmeasured:
		return relationships, len(seen), nil
	case weights == 0:
		return relationships, len(seen), new(0.0)
	}
	return relationships, len(seen), knowledge.Rounded(sum / weights)
}

// projections are those of the types, apart from the last one.
func (m *memory) projections() map[int32]float64 { return map[int32]float64{0: 0.5, 1: -0.25} }

func (m *memory) TypeProjections(context.Context) (map[int32]float64, error) {
	return m.projections(), nil
}

func (m *memory) ConceptNames(_ context.Context, ids []int) (map[int]knowledge.ConceptSummary, error) {
	m.named++
	found := map[int]knowledge.ConceptSummary{}
	for _, id := range ids {
		found[id] = named(id)
	}
	return found, nil
}

func (m *memory) EdgesAround(_ context.Context, concepts []int, types []string, most int) ([]knowledge.Edge, error) {
	m.queries++
	var found []knowledge.Edge
	for _, e := range m.edges {
		if len(types) > 0 && !slices.Contains(types, e.Type) || m.hidden(e) {
			continue
		}
		if slices.Contains(concepts, e.From) && m.heading.Follows(true, e.Type) {
			found = append(found, e)
		}
		if slices.Contains(concepts, e.To) && m.heading.Follows(false, e.Type) {
			found = append(found, reversed(e))
		}
	}
	slices.SortFunc(found, func(a, b knowledge.Edge) int {
		return cmp.Or(
			cmp.Compare(cost(a), cost(b)), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To),
			cmp.Compare(slices.Index(typesOf, a.Type), slices.Index(typesOf, b.Type)), compareBool(a.Forward, b.Forward),
		)
	})
	return found[:min(most, len(found))], nil
}

func (m *memory) EdgesBetween(ctx context.Context, q questions.BetweenQuery) ([]knowledge.Edge, error) {
	edges, err := m.EdgesAround(ctx, toInts(q.From), q.Types, math.MaxInt)
	return slices.DeleteFunc(edges, func(e knowledge.Edge) bool { return !slices.Contains(q.To, int32(e.To)) }), err
}

func (m *memory) ConceptNumbers(ctx context.Context, ids []string) (map[string]int, error) {
	numbers := map[string]int{}
	for _, id := range ids {
		if n, err := m.ConceptNumber(ctx, id); err == nil {
			numbers[id] = n
		}
	}
	return numbers, nil
}

// EdgesAmong selects and sorts as the database does.
func (m *memory) EdgesAmong(_ context.Context, concepts []int, types []string, most int) ([]knowledge.Edge, error) {
	edges := m.pointing(concepts, concepts, types)
	slices.SortFunc(edges, func(a, b knowledge.Edge) int {
		return cmp.Or(
			compareBool(a.Type == vocabulary.TypeRelatedTo, b.Type == vocabulary.TypeRelatedTo), cmp.Compare(b.Confidence, a.Confidence),
			cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Type, b.Type),
		)
	})
	return edges[:min(most, len(edges))], nil
}

// EdgesFrom selects and sorts as the database does.
func (m *memory) EdgesFrom(_ context.Context, q questions.EdgeSelection) ([]questions.SubgraphEdge, error) {
	edges := m.pointing(q.From, q.To, q.Types)
	slices.SortFunc(edges, func(a, b knowledge.Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Type, b.Type))
	})
	list := make([]questions.SubgraphEdge, len(edges))
	for i, e := range edges {
		list[i] = questions.SubgraphEdge{
			From: e.From, To: e.To, FromID: conceptID(e.From), ToID: conceptID(e.To), Type: e.Type, Confidence: e.Confidence,
		}
	}
	return list, nil
}

// pointing returns the edges that point from some concepts to some others; none are all.
func (m *memory) pointing(from, to []int, types []string) []knowledge.Edge {
	var list []knowledge.Edge
	for _, e := range m.edges {
		if slices.Contains(from, e.From) && (len(to) == 0 || slices.Contains(to, e.To)) && (len(types) == 0 || slices.Contains(types, e.Type)) && !m.hidden(e) {
			list = append(list, e)
		}
	}
	return list
}

func (m *memory) GraphEpoch(context.Context) (int64, error) { return max(7, m.at), nil }

// Neighbors reads a level by EdgesAround.
func (m *memory) Neighbors(ctx context.Context, q questions.NeighborQuery) ([]int32, error) {
	return farEnds(m.EdgesAround(ctx, toInts(q.Concepts), q.Types, q.Most))
}

// StrongestNeighbors is naive: it looks at every relationship of each concept.
func (m *memory) StrongestNeighbors(ctx context.Context, concepts []int, types []string, most int) ([]questions.NeighborEdge, error) {
	var list []questions.NeighborEdge
	for _, c := range distinct(concepts) {
		all, err := m.EdgesAround(ctx, []int{c}, types, math.MaxInt)
		if err != nil {
			return nil, err
		}
		near := slices.DeleteFunc(strongest(all), func(e knowledge.Edge) bool { return e.From != c || slices.Contains(concepts, e.To) })
		slices.SortFunc(near, func(a, b knowledge.Edge) int { return cmp.Or(cmp.Compare(cost(a), cost(b)), cmp.Compare(a.To, b.To)) })
		for _, e := range near[:min(most, len(near))] {
			list = append(list, questions.NeighborEdge{Edge: e, Neighbors: len(near)})
		}
	}
	return list, nil
}

func farEnds(edges []knowledge.Edge, err error) ([]int32, error) {
	ends := make([]int32, len(edges))
	for i, e := range edges {
		ends[i] = int32(e.To)
	}
	return ends, err
}

func toInts(concepts []int32) []int {
	list := make([]int, len(concepts))
	for i, c := range concepts {
		list[i] = int(c)
	}
	return list
}

// Bounded ends the context of what is read.
func (m *memory) Bounded(ctx context.Context, within time.Duration, read func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return read(ctx)
}

// Share lets any number of others read.
func (m *memory) Share(context.Context) (questions.Beside, error) {
	return func(_ context.Context, read func(n questions.Neighbors) error) error { return read(m.Neighbors) }, nil
}

// viewOver is a view of m with the settings of a new database.
func viewOver(m *memory) view {
	return view{Snapshot: m, limits: defaultLimits(), tables: newTables(knowledge.DefaultGraphSettings, slog.New(slog.DiscardHandler))}
}

func conceptID(n int) string { return "c_" + strconv.Itoa(n) }

// randomMemory draws a small graph: small enough to try every path, and with
// parallel relationships, equal costs and unconnected parts.
func randomMemory(t *rapid.T) *memory {
	m := &memory{concepts: rapid.SampledFrom([]int{1, 2, 4, 6, 7, 8, 9}).Draw(t, "concepts")}
	numbers := make([]int, m.concepts)
	for i := range numbers {
		numbers[i] = i
	}
	concept := rapid.SampledFrom(numbers) // even, where a range would favour its ends
	for range rapid.SampledFrom([]int{m.concepts / 2, m.concepts, m.concepts + 2, 2 * m.concepts}).Draw(t, "edges") {
		e := knowledge.Edge{
			From: concept.Draw(t, "from"), To: concept.Draw(t, "to"), Forward: true,
			Type:       rapid.SampledFrom([]string{"CAUSES", "PART_OF", vocabulary.TypeRelatedTo}).Draw(t, "type"),
			Confidence: rapid.SampledFrom([]float64{0.25, 0.5, 0.9, 1}).Draw(t, "confidence"),
		}
		same := func(o knowledge.Edge) bool { return e.From == o.From && e.To == o.To && e.Type == o.Type }
		if e.From != e.To && !slices.ContainsFunc(m.edges, same) {
			m.edges = append(m.edges, e)
		}
	}
	return m
}

// simplePaths returns every path from one concept that visits none twice, over
// the strongest edge of each step: what the searches are compared with.
func (m *memory) simplePaths(from int, types []string) []route {
	var all []route
	var extend func(at int, seen []int, r route)
	extend = func(at int, seen []int, r route) {
		all = append(all, r)
		around, _ := m.EdgesAround(context.Background(), []int{at}, types, 1_000_000)
		for _, e := range strongest(around) {
			if !slices.Contains(seen, e.To) {
				extend(e.To, append(slices.Clone(seen), e.To), route{append(slices.Clone(r.edges), e), r.cost + cost(e)})
			}
		}
	}
	extend(from, []int{from}, route{})
	return all
}

// end returns the concept where r leads to.
func (r route) end(start int) int {
	if len(r.edges) == 0 {
		return start
	}
	return r.edges[len(r.edges)-1].To
}

// star is the relationships from one concept to others.
func star(hub int, others ...int) []knowledge.Edge {
	var edges []knowledge.Edge
	for _, o := range others {
		edges = append(edges, knowledge.Edge{From: hub, To: o, Type: "CAUSES", Confidence: 1, Forward: true})
	}
	return edges
}
