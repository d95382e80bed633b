package graph

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// steps are the strongest relationships that a question follows from a concept, one to each
// neighbour, by looking at all there are.
func (m *memory) steps(c int, f questions.RelationshipFilter) map[int]knowledge.Edge {
	best := map[int]knowledge.Edge{}
	for _, e := range m.edges {
		if e.To == c {
			e = reversed(e)
		}
		if e.From != c || e.Confidence < f.MinConfidence || len(f.Types) > 0 && !slices.Contains(typeNames(f.Types), e.Type) {
			continue
		}
		symmetric, away := e.Type == vocabulary.TypeRelatedTo, e.Forward
		if !symmetric && (f.Direction == questions.HeadingOut && !away || f.Direction == questions.HeadingIn && away) {
			continue
		}
		if old, known := best[e.To]; !known || compareEdges(e, old) < 0 {
			best[e.To] = e
		}
	}
	return best
}

// naiveLevels are the concepts at each distance from some others, with the costs of their
// cheapest shortest paths, by looking at everything.
func (m *memory) naiveLevels(starts []int, hops int, f questions.RelationshipFilter, avoid, keep func(int) bool) []map[int]int {
	seen, last := map[int]bool{}, map[int]int{}
	for _, s := range starts {
		seen[s], last[s] = true, 0
	}
	levels := []map[int]int{last}
	for range hops {
		next := map[int]int{}
		for c, spent := range levels[len(levels)-1] {
			for far, e := range m.steps(c, f) {
				old, known := next[far]
				if total := spent + cost(e); !seen[far] && !avoid(far) && (!known || total < old) {
					next[far] = total
				}
			}
		}
		ordered := slices.SortedFunc(maps.Keys(next), func(a, b int) int { return cmp.Or(cmp.Compare(next[a], next[b]), cmp.Compare(a, b)) })
		for i, c := range ordered {
			if f.PerHop > 0 && i >= f.PerHop && !keep(c) {
				delete(next, c)
				continue
			}
			seen[c] = true
		}
		levels = append(levels, next)
	}
	return levels
}

func never(int) bool { return false }

// drawNaive draws a graph, and what a question follows in it.
func drawNaive(t *rapid.T) (*memory, questions.RelationshipFilter) {
	f := drawFilter(t)
	f.Types = rapid.SampledFrom([][]string{nil, nil, {"CAUSES", "RELATED_TO"}}).Draw(t, "types") // those of drawFilter leave little to be found
	f.MinConfidence = rapid.SampledFrom([]float64{0, 0.3}).Draw(t, "confidence")
	return randomMemory(t), f
}

// TestFiltersAgreeWithANaiveSearch compares what questions find in one direction, of some types
// and with a limit a hop, with a search that looks at everything.
func TestFiltersAgreeWithANaiveSearch(t *testing.T) {
	weak := questions.EpistemicFilter{IncludeWeak: true}
	t.Run("around", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			m, f := drawNaive(r)
			seeds := rapid.SliceOfNDistinct(rapid.IntRange(0, m.concepts-1), 1, 3, rapid.ID).Draw(r, "seeds")
			hops := rapid.IntRange(1, 4).Draw(r, "hops")
			want := map[string]int{}
			for distance, level := range m.naiveLevels(seeds, hops, f, never, never) {
				for c := range level {
					want[conceptID(c)] = distance
				}
			}
			q := questions.AroundQuery{MaxHops: hops, Limit: questions.MaxAround, EpistemicFilter: weak, RelationshipFilter: f}
			for _, s := range seeds {
				q.SeedIDs = append(q.SeedIDs, conceptID(s))
				delete(want, conceptID(s))
			}
			for _, g := range m.eachWay(t) {
				found, err := g.Around(r.Context(), q)
				got := map[string]int{}
				for _, c := range found.Results {
					got[c.ConceptID] = c.Distance
				}
				if err != nil || !maps.Equal(got, want) {
					r.Fatalf("got %v, %v, want %v", got, err, want)
				}
			}
		})
	})
	t.Run("related", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			m, f := drawNaive(r)
			start, hops := rapid.IntRange(0, m.concepts-1).Draw(r, "concept"), rapid.IntRange(1, 4).Draw(r, "hops")
			want := map[string]int{}
			for distance, level := range m.naiveLevels([]int{start}, hops, f, never, never) {
				for c := range level {
					want[conceptID(c)] = distance
				}
			}
			delete(want, conceptID(start))
			for _, g := range m.eachWay(t) {
				got := map[string]int{}
				for offset, total := 0, 1; offset < total; offset += 2 { // page by page
					found, err := g.Related(r.Context(), questions.RelatedQuery{
						ConceptID: conceptID(start), MaxDepth: hops, Limit: 2, Offset: offset, EpistemicFilter: weak, RelationshipFilter: f,
					})
					if err != nil {
						r.Fatal(err)
					}
					total = found.Total
					for _, c := range found.Results {
						got[c.ConceptID] = c.Distance
					}
				}
				if !maps.Equal(got, want) {
					r.Fatalf("got %v, want %v", got, want)
				}
			}
		})
	})
}

// eachWay returns a Graph that reads the tables, and one that reads memory.
func (m *memory) eachWay(t *testing.T) []*Graph {
	a, b := m.both(t, defaultLimits())
	return []*Graph{a, b}
}

// naiveRoutes are the routes of the fewest hops between two concepts over the concepts that each
// hop takes, the best first.
func (m *memory) naiveRoutes(from, to, hops int, f questions.RelationshipFilter) []route {
	levels := m.naiveLevels([]int{from}, hops, f, never, func(c int) bool { return c == to })
	last := slices.IndexFunc(levels, func(level map[int]int) bool { _, there := level[to]; return there })
	if last < 1 {
		return nil
	}
	routes := []route{{}}
	for distance := 1; distance <= last; distance++ {
		var longer []route
		for _, before := range routes {
			at := from
			if len(before.edges) > 0 {
				at = before.end(from)
			}
			for far, e := range m.steps(at, f) {
				if _, taken := levels[distance][far]; taken && (distance < last || far == to) {
					longer = append(longer, route{append(slices.Clone(before.edges), e), before.cost + cost(e)})
				}
			}
		}
		routes = longer
	}
	slices.SortFunc(routes, compareRoutes)
	return routes
}

// TestPathsAgreeWithANaiveSearch turns the pages of the shortest paths between two concepts, and
// compares them with all there are.
func TestPathsAgreeWithANaiveSearch(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m, f := drawNaive(r)
		from, hops, limit := rapid.IntRange(0, m.concepts-1).Draw(r, "from"), rapid.IntRange(1, 6).Draw(r, "hops"), rapid.IntRange(1, 3).Draw(r, "limit")
		for to := range m.concepts {
			if to == from {
				continue
			}
			want := m.naiveRoutes(from, to, hops, f)
			for _, g := range m.eachWay(t) {
				samePaths(r, m.turnPages(r, g, questions.ConnectQuery{
					FromID: conceptID(from), ToID: conceptID(to), MaxHops: hops, PathPage: questions.PathPage{Limit: limit}, RelationshipFilter: f,
				}, len(want)), want, from)
			}
		}
	})
}

// turnPages asks for page after page, until there are as many paths as there must be.
func (m *memory) turnPages(r *rapid.T, g *Graph, q questions.ConnectQuery, most int) []questions.Path {
	q.IncludeWeak = true
	for got := []questions.Path(nil); ; {
		q.Offset = len(got)
		found, err := g.Connect(r.Context(), q)
		if err != nil || found.Count != len(found.Paths) || found.More && found.Count < q.Limit {
			r.Fatalf("got %+v, %v", found, err)
		}
		if got = append(got, found.Paths...); !found.More || len(got) >= most {
			return got
		}
	}
}

// samePaths wants the routes first, and behind them only paths that are one hop longer.
func samePaths(r *rapid.T, got []questions.Path, want []route, from int) {
	if len(got) < len(want) || len(want) == 0 && len(got) > 0 {
		r.Fatalf("%d paths, want %d", len(got), len(want))
	}
	for i, w := range want {
		if visited := idsOn(got[i]); !slices.Equal(visited, w.ids(from)) {
			r.Fatalf("path %d visits %v, want %v", i, visited, w.ids(from))
		}
	}
	for _, p := range got[len(want):] {
		if p.Hops != len(want[0].edges)+1 {
			r.Fatalf("%d hops behind paths of %d", p.Hops, len(want[0].edges))
		}
	}
}

func idsOn(p questions.Path) []string {
	var ids []string
	for _, n := range p.Nodes {
		ids = append(ids, n.ID)
	}
	return ids
}

func (r route) ids(start int) []string {
	var ids []string
	for _, c := range r.concepts(start) {
		ids = append(ids, conceptID(c))
	}
	return ids
}

// TestSurroundingsAgreeWithANaiveSearch compares what is around each concept of an enriched path
// with all that is within the depth of it without another concept of the paths on the way.
func TestSurroundingsAgreeWithANaiveSearch(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m, f := drawNaive(r)
		q := questions.EnrichedPathQuery{
			FromID: conceptID(rapid.IntRange(0, m.concepts-1).Draw(r, "from")), ToID: conceptID(rapid.IntRange(0, m.concepts-1).Draw(r, "to")),
			MaxHops: 4, PerNode: questions.MaxNeighborsPerNode, Depth: rapid.IntRange(1, questions.MaxPathDepth).Draw(r, "depth"), RelationshipFilter: f,
		}
		q.IncludeWeak = true
		for _, g := range m.eachWay(t) {
			found, err := g.EnrichedPath(r.Context(), q)
			if err != nil {
				r.Fatal(err)
			}
			onPaths := map[string]bool{}
			for _, p := range found.Paths {
				for _, n := range p.Nodes {
					onPaths[n.ID] = true
				}
			}
			if len(found.Surroundings) != len(onPaths) {
				r.Fatalf("%d surroundings of %d concepts", len(found.Surroundings), len(onPaths))
			}
			for _, s := range found.Surroundings {
				number, _ := m.ConceptNumber(r.Context(), s.ConceptID)
				want := map[string]int{}
				for distance, level := range m.naiveLevels([]int{number}, q.Depth, f, func(c int) bool { return onPaths[conceptID(c)] }, never)[1:] {
					for c := range level {
						want[conceptID(c)] = distance + 1
					}
				}
				got := map[string]int{}
				for _, n := range s.Neighbors {
					got[n.ConceptID] = n.Distance
				}
				if s.Count != len(want) || !maps.Equal(got, want) {
					r.Fatalf("around %s are %v, %d in all, want %v", s.ConceptID, got, s.Count, want)
				}
			}
		}
	})
}

// TestStatistics wants of each question what it has asked about, hop by hop, and nothing unless
// it was asked for.
func TestStatistics(t *testing.T) {
	m := &memory{concepts: 8}
	for c := 1; c < 4; c++ {
		m.edges = append(m.edges, knowledge.Edge{From: 0, To: c, Type: "CAUSES", Confidence: 1, Forward: true}, knowledge.Edge{From: c, To: c + 3, Type: "CAUSES", Confidence: 1, Forward: true})
	}
	for way, g := range m.eachWay(t) {
		inMemory := way == 1
		for _, wanted := range []bool{false, true} {
			related, err1 := g.Related(t.Context(), questions.RelatedQuery{ConceptID: "c_0", MaxDepth: 2, IncludeStatistics: wanted})
			drawn, err2 := g.Neighborhood(t.Context(), questions.NeighborhoodQuery{ConceptID: "c_0", MaxHops: 2, Limit: 100, IncludeStatistics: wanted})
			around, err3 := g.Around(t.Context(), questions.AroundQuery{SeedIDs: []string{"c_0"}, MaxHops: 2, Limit: 100, IncludeStatistics: wanted})
			connected, err4 := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_0", ToID: "c_4", MaxHops: 4, IncludeStatistics: wanted})
			enriched, err5 := g.EnrichedPath(t.Context(), questions.EnrichedPathQuery{FromID: "c_0", ToID: "c_4", MaxHops: 4, PerNode: 5, IncludeStatistics: wanted})
			for name, s := range map[string]*questions.QuestionStatistics{
				"related": related.Statistics, "neighborhood": drawn.Statistics, "around": around.Statistics, "connect": connected.Statistics, "enriched path": enriched.Statistics,
			} {
				switch {
				case !wanted && s != nil:
					t.Errorf("%s says %+v, and was not asked", name, s)
				case wanted && (s == nil || s.InMemory != inMemory || s.Microseconds < 0 || len(s.Frontier) == 0 || s.Frontier[0] != 1):
					t.Errorf("%s says %+v", name, s)
				case wanted && !inMemory && (s.Rows == 0 || s.Chunks == 0 || s.Rows > math.MaxInt32):
					t.Errorf("%s has read %+v of the tables", name, s)
				case wanted && (name == "related" || name == "neighborhood" || name == "around") && !slices.Equal(s.Frontier, []int{1, 3}):
					t.Errorf("%s asked about %v", name, s.Frontier)
				}
			}
			for _, err := range []error{err1, err2, err3, err4, err5} {
				if err != nil {
					t.Error(err)
				}
			}
		}
	}
}
