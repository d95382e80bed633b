package graph

import (
	"context"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// typesOf are the relationship types of drawn graphs, by their numbers.
var typesOf = []string{"CAUSES", "PART_OF", vocabulary.TypeRelatedTo}

// load returns m in memory, at epoch 7.
func (m *memory) load(t testing.TB) *adjacency.Graph {
	b := adjacency.NewBuilder(0)
	for i, name := range typesOf {
		b.AddType(adjacency.Type{Number: int32(i), Name: name})
	}
	for c := range m.concepts {
		if err := b.AddConcept(adjacency.Concept{Number: int32(c), ID: conceptID(c)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range m.edges {
		err := b.AddEdge(adjacency.Edge{
			Src: int32(e.From), Dst: int32(e.To), Type: int32(slices.Index(typesOf, e.Type)), Confidence: float32(e.Confidence),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Build(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// both returns a Graph that reads the tables, and one that reads memory.
func (m *memory) both(t testing.TB, l limits) (tables, inMemory *Graph) {
	v := m.load(t).View()
	tables = New(Config{View: viewOf(m)})
	inMemory = New(Config{View: viewOf(m), Memory: func() *adjacency.View { return v }})
	tables.limits, inMemory.limits = l, l
	return tables, inMemory
}

// drawLimits draws limits of which some are reached.
func drawLimits(t *rapid.T) limits {
	l := defaultLimits()
	l.related = rapid.SampledFrom([]int{2, 5, 1000}).Draw(t, "related")
	l.visited = rapid.SampledFrom([]int{3, 6, 20_000}).Draw(t, "visited")
	l.edges = rapid.SampledFrom([]int{3, 8, 200_000}).Draw(t, "edges read")
	l.counted = rapid.SampledFrom([]int{0, 3, 1000}).Draw(t, "counted")
	l.detour = rapid.SampledFrom([]int{1, 500}).Draw(t, "detour")
	return l
}

// drawFilter draws which relationships a question follows.
func drawFilter(t *rapid.T) questions.RelationshipFilter {
	return questions.RelationshipFilter{
		Types:         rapid.SampledFrom([][]string{nil, {"causes"}, {"CAUSES", "RELATED_TO"}, {"UNKNOWN"}}).Draw(t, "types"),
		MinConfidence: rapid.SampledFrom([]float64{0, 0.3, 0.5, 1}).Draw(t, "confidence"),
		Direction:     rapid.SampledFrom([]questions.Heading{"", questions.HeadingBoth, questions.HeadingOut, questions.HeadingIn}).Draw(t, "direction"),
		PerHop:        rapid.SampledFrom([]int{0, 0, 1, 2, 1000}).Draw(t, "per hop"),
	}
}

func drawPage(t *rapid.T) questions.PathPage {
	return questions.PathPage{Limit: rapid.IntRange(0, 3).Draw(t, "limit"), Offset: rapid.IntRange(0, 3).Draw(t, "offset")}
}

// TestMemoryAgreesWithTables compares whole answers, with their order, what is cut
// and which paths are chosen.
func TestMemoryAgreesWithTables(t *testing.T) {
	types := rapid.SampledFrom([][]string{nil, {"causes"}, {"CAUSES", "RELATED_TO"}, {"UNKNOWN"}})
	t.Run("related", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			m := randomMemory(r)
			a, b := m.both(t, drawLimits(r))
			q := questions.RelatedQuery{
				ConceptID: conceptID(rapid.IntRange(0, m.concepts-1).Draw(r, "concept")),
				MaxDepth:  rapid.IntRange(1, 5).Draw(r, "hops"), RelationshipFilter: drawFilter(r),
				Limit: rapid.SampledFrom([]int{0, 2}).Draw(r, "limit"), Offset: rapid.IntRange(0, 2).Draw(r, "offset"),
			}
			q.IncludeWeak = rapid.Bool().Draw(r, "weak")
			sameAnswer(r, q, a.Related, b.Related)
		})
	})
	t.Run("connect", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			m := randomMemory(r)
			a, b := m.both(t, drawLimits(r))
			concept := rapid.IntRange(0, m.concepts-1)
			q := questions.ConnectQuery{
				FromID: conceptID(concept.Draw(r, "from")), ToID: conceptID(concept.Draw(r, "to")),
				MaxHops: rapid.IntRange(1, 10).Draw(r, "hops"),
			}
			q.IncludeWeak = rapid.Bool().Draw(r, "weak")
			q.RelationshipFilter, q.PathPage = drawFilter(r), drawPage(r)
			sameAnswer(r, q, a.Connect, b.Connect)
		})
	})
	t.Run("around", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			m := randomMemory(r)
			a, b := m.both(t, drawLimits(r))
			q := questions.AroundQuery{
				SeedIDs: rapid.SliceOfN(rapid.Map(rapid.IntRange(0, m.concepts-1), conceptID), 1, 3).Draw(r, "seeds"), MaxHops: rapid.IntRange(1, 5).Draw(r, "hops"),
				Limit: rapid.IntRange(1, 9).Draw(r, "limit"), Offset: rapid.IntRange(0, 9).Draw(r, "offset"),
			}
			q.IncludeWeak = rapid.Bool().Draw(r, "weak")
			q.RelationshipFilter = drawFilter(r)
			sameAnswer(r, q, a.Around, b.Around)
		})
	})
	t.Run("enriched path", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			m := randomMemory(r)
			a, b := m.both(t, drawLimits(r))
			concept := rapid.IntRange(0, m.concepts-1)
			q := questions.EnrichedPathQuery{
				FromID: conceptID(concept.Draw(r, "from")), ToID: conceptID(concept.Draw(r, "to")), MaxHops: rapid.IntRange(1, 5).Draw(r, "hops"),
				PerNode: rapid.IntRange(1, 4).Draw(r, "per node"), Depth: rapid.IntRange(1, 3).Draw(r, "depth"), PathPage: drawPage(r),
			}
			q.IncludeWeak = rapid.Bool().Draw(r, "weak")
			q.RelationshipFilter = drawFilter(r)
			sameAnswer(r, q, a.EnrichedPath, b.EnrichedPath)
		})
	})
	t.Run("neighborhood", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			m := randomMemory(r)
			l := drawLimits(r)
			l.drawn = rapid.SampledFrom([]int{1, 4, 20_000}).Draw(r, "drawn")
			a, b := m.both(t, l)
			q := questions.NeighborhoodQuery{
				ConceptID: conceptID(rapid.IntRange(0, m.concepts-1).Draw(r, "concept")), MaxHops: rapid.IntRange(1, 4).Draw(r, "hops"),
				RelationshipFilter: drawFilter(r), Limit: rapid.SampledFrom([]int{1, 3, 1000}).Draw(r, "limit"),
			}
			q.IncludeWeak = rapid.Bool().Draw(r, "weak")
			sameAnswer(r, q, a.Neighborhood, b.Neighborhood)
		})
	})
	t.Run("export", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			m := randomMemory(r)
			a, b := m.both(t, drawLimits(r))
			concept := rapid.Map(rapid.IntRange(0, m.concepts-1), conceptID)
			q := questions.ExportQuery{
				Format: questions.ExportJSON, Seeds: rapid.SliceOfN(concept, 1, 3).Draw(r, "seeds"), MaxHops: rapid.IntRange(1, 4).Draw(r, "hops"),
				Types: types.Draw(r, "types"), Limit: rapid.SampledFrom([]int{0, 3}).Draw(r, "limit"),
			}
			export := func(g *Graph) func(context.Context, questions.ExportQuery) (string, error) {
				return func(ctx context.Context, q questions.ExportQuery) (string, error) {
					var file strings.Builder
					err := g.Export(ctx, q, func(questions.Completeness) io.Writer { return &file })
					return file.String(), err
				}
			}
			sameAnswer(r, q, export(a), export(b))
		})
	})
	t.Run("hops", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			m := randomMemory(r)
			q := nhopQuery{
				seeds: rapid.SliceOfN(rapid.IntRange(0, m.concepts-1), 1, 3).Draw(r, "seeds"),
				hops:  rapid.IntRange(1, 5).Draw(r, "hops"), types: types.Draw(r, "types"),
				most: rapid.SampledFrom([]int{0, 1, 3}).Draw(r, "most"),
			}
			v := viewOver(m)
			want, err := v.nhop(r.Context(), q)
			v.memory = inMemory{View: m.load(t).View()}
			got, errInMemory := v.nhop(r.Context(), q)
			if err != nil || errInMemory != nil || !reflect.DeepEqual(got.distances(), want.distances()) ||
				!slices.Equal(got.concepts, want.concepts) || got.Completeness != want.Completeness {
				r.Fatalf("in memory %+v, %v, from the tables %+v, %v", got, errInMemory, want, err)
			}
		})
	})
}

// distances returns the hops from the nearest seed to each concept of b.
func (b ball) distances() map[int]int {
	hops := make(map[int]int, len(b.concepts))
	begin := 0
	for h, end := range b.ends {
		for _, c := range b.concepts[begin:end] {
			hops[c] = h + 1
		}
		begin = end
	}
	return hops
}

func sameAnswer[Q, A any](t *rapid.T, q Q, tables, inMemory func(context.Context, Q) (A, error)) {
	want, err := tables(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	got, err := inMemory(t.Context(), q)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("in memory %+v, %v, from the tables %+v", got, err, want)
	}
}
