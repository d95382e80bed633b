package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

func TestConnectAgreesWithEveryPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomMemory(t)
		from := rapid.IntRange(0, m.concepts-1).Draw(t, "from")
		to := rapid.IntRange(0, m.concepts-1).Draw(t, "to")
		hops := rapid.IntRange(1, questions.MaxConnectHops).Draw(t, "hops")

		var all, shortest []route
		for _, r := range m.simplePaths(from, nil) {
			if r.end(from) == to && len(r.edges) <= hops {
				all = append(all, r)
			}
		}
		slices.SortFunc(all, func(a, b route) int {
			if len(a.edges) != len(b.edges) {
				return len(a.edges) - len(b.edges)
			}
			return compareRoutes(a, b)
		})
		for _, r := range all {
			if len(r.edges) == len(all[0].edges) {
				shortest = append(shortest, r)
			}
		}
		shortest = shortest[:min(len(shortest), questions.MaxPaths)]

		result, err := New(Config{View: viewOf(m)}).Connect(t.Context(), questions.ConnectQuery{
			EpistemicFilter: questions.EpistemicFilter{IncludeWeak: true},
			FromID:          conceptID(from), ToID: conceptID(to), MaxHops: hops,
		})
		if err != nil {
			t.Fatal(err)
		}
		if result.Truncated || result.Count != len(result.Paths) || result.Count > questions.MaxPaths {
			t.Fatalf("truncated %v, count %d of %d", result.Truncated, result.Count, len(result.Paths))
		}
		if len(result.Paths) < len(shortest) {
			t.Fatalf("%d paths, want at least %d", len(result.Paths), len(shortest))
		}
		for i, p := range result.Paths {
			checkPath(t, p, all, from)
			if i < len(shortest) && describe(p) != describeRoute(shortest[i], from) {
				t.Fatalf("path %d: %s, want %s", i, describe(p), describeRoute(shortest[i], from))
			}
		}
		checkDetours(t, result.Paths, shortest, all)
	})
}

// checkPath checks that p is one of the paths that exist.
func checkPath(t *rapid.T, p questions.Path, all []route, from int) {
	if len(p.Nodes) != p.Hops+1 || len(p.Relationships) != p.Hops || len(p.Forward) != p.Hops {
		t.Fatalf("lengths do not agree: %+v", p)
	}
	if !slices.ContainsFunc(all, func(r route) bool { return describe(p) == describeRoute(r, from) }) {
		t.Fatalf("there is no path %s", describe(p))
	}
}

// checkDetours checks the paths after the shortest: one hop longer, and as many
// as there are.
func checkDetours(t *rapid.T, paths []questions.Path, shortest, all []route) {
	if len(shortest) == 0 || len(shortest[0].edges) == 0 {
		return
	}
	longer := 0
	for _, r := range all {
		if len(r.edges) == len(shortest[0].edges)+1 {
			longer++
		}
	}
	want := min(longer, questions.MaxPaths-len(shortest))
	detours := paths[len(shortest):]
	if len(detours) != want {
		t.Fatalf("%d detours, want %d", len(detours), want)
	}
	for _, p := range detours {
		if p.Hops != len(shortest[0].edges)+1 {
			t.Fatalf("a detour of %d hops beside a shortest path of %d", p.Hops, len(shortest[0].edges))
		}
	}
}

// describe shows a path as "c_0 -CAUSES> c_1 <PART_OF- c_2".
func describe(p questions.Path) string {
	s := p.Nodes[0].ID
	for i, relationship := range p.Relationships {
		s += arrow(relationship, p.Forward[i]) + p.Nodes[i+1].ID
	}
	return s
}

func describeRoute(r route, start int) string {
	s := conceptID(start)
	for _, e := range r.edges {
		s += arrow(e.Type, e.Forward) + conceptID(e.To)
	}
	return s
}

func arrow(relationship string, forward bool) string {
	if forward {
		return fmt.Sprintf(" -%s> ", relationship)
	}
	return fmt.Sprintf(" <%s- ", relationship)
}

func TestConnect(t *testing.T) {
	edge := func(from int, relationship string, to int) knowledge.Edge {
		return knowledge.Edge{From: from, To: to, Type: relationship, Confidence: 0.8, Forward: true}
	}
	m := &memory{concepts: 12, edges: []knowledge.Edge{
		edge(0, vocabulary.TypeRelatedTo, 1), edge(1, "CAUSES", 5), // 0 to 5 in two hops by a weak one
		edge(2, "CAUSES", 0), edge(2, "PART_OF", 5), // 0 to 5 in two hops by stated ones
		edge(0, "CAUSES", 3), edge(3, "CAUSES", 4), edge(4, "CAUSES", 5), // 0 to 5 in three
		edge(7, "CAUSES", 8), // apart
	}}
	for i := 8; i < 11; i++ {
		m.edges = append(m.edges, edge(i, "PRECEDES", i+1))
	}
	ask := func(t *testing.T, from, to string, hops int) questions.ConnectResult {
		t.Helper()
		result, err := New(Config{View: viewOf(m)}).Connect(t.Context(), questions.ConnectQuery{FromID: from, ToID: to, MaxHops: hops})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	paths := func(result questions.ConnectResult) (list []string) {
		for _, p := range result.Paths {
			list = append(list, describe(p))
		}
		return list
	}

	t.Run("stated before weak, shortest before longer, arrows as they point", func(t *testing.T) {
		got := paths(ask(t, "c_0", "c_5", 5))
		want := []string{
			"c_0 <CAUSES- c_2 -PART_OF> c_5",
			"c_0 -RELATED_TO> c_1 -CAUSES> c_5",
			"c_0 -CAUSES> c_3 -CAUSES> c_4 -CAUSES> c_5",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("the way back is the same", func(t *testing.T) {
		if got := paths(ask(t, "c_5", "c_0", 5)); len(got) != 3 || got[0] != "c_5 <PART_OF- c_2 -CAUSES> c_0" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("no path is longer than max_hops", func(t *testing.T) {
		if got := paths(ask(t, "c_0", "c_5", 2)); len(got) != 2 {
			t.Errorf("got %q", got)
		}
		if got := paths(ask(t, "c_0", "c_5", 1)); len(got) != 0 {
			t.Errorf("got %q", got)
		}
		if got := paths(ask(t, "c_7", "c_11", 4)); len(got) != 1 {
			t.Errorf("got %q", got)
		}
		if got := paths(ask(t, "c_7", "c_11", 3)); len(got) != 0 {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a longer way may leave the shortest one far from where the searches meet", func(t *testing.T) {
		early := &memory{concepts: 20, edges: []knowledge.Edge{
			edge(0, "CAUSES", 2), edge(2, "CAUSES", 3), edge(3, "CAUSES", 4), edge(4, "CAUSES", 5),
			edge(0, "CAUSES", 1), edge(1, "CAUSES", 2),
		}}
		early.edges = append(early.edges, star(5, 6, 7, 8, 9, 10)...) // so that all but one hop are searched from c_0
		result, err := New(Config{View: viewOf(early)}).Connect(t.Context(), questions.ConnectQuery{FromID: "c_0", ToID: "c_5", MaxHops: 6})
		if got := paths(result); err != nil || len(got) != 2 || !strings.HasPrefix(got[1], "c_0 -CAUSES> c_1 -CAUSES> c_2") {
			t.Errorf("got %q, %v", got, err)
		}
	})
	t.Run("unconnected concepts have no path, and that is seen early", func(t *testing.T) {
		m.queries = 0
		result := ask(t, "c_0", "c_6", 10)
		if result.Count != 0 || result.Paths == nil || result.Truncated {
			t.Errorf("got %+v", result)
		}
		if m.queries > 2 {
			t.Errorf("%d queries, want at most 2: c_6 has no relationship", m.queries)
		}
	})
	t.Run("a concept is connected with itself", func(t *testing.T) {
		result := ask(t, "c_0", "c_0", 3)
		if result.Count != 1 || result.Paths[0].Hops != 0 || len(result.Paths[0].Nodes) != 1 || result.Paths[0].Relationships == nil {
			t.Errorf("got %+v", result)
		}
	})
	t.Run("a search that is cut says so", func(t *testing.T) {
		g := New(Config{View: viewOf(m)})
		g.limits.visited = 3
		result, err := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_7", ToID: "c_11", MaxHops: 10})
		if err != nil || !result.Truncated {
			t.Errorf("truncated %v, err %v", result.Truncated, err)
		}
	})
	t.Run("a wide way has no detours", func(t *testing.T) {
		g := New(Config{View: viewOf(m)})
		g.limits.detour = 0
		result, err := g.Connect(t.Context(), questions.ConnectQuery{FromID: "c_0", ToID: "c_5", MaxHops: 5})
		if err != nil || len(result.Paths) != 2 || result.Truncated {
			t.Errorf("got %q, truncated %v, err %v", paths(result), result.Truncated, err)
		}
	})
	t.Run("an unknown concept is not found, at either end", func(t *testing.T) {
		for _, q := range []questions.ConnectQuery{{FromID: "c_99", ToID: "c_0", MaxHops: 1}, {FromID: "c_0", ToID: "c_99", MaxHops: 1}} {
			_, err := New(Config{View: viewOf(m)}).Connect(t.Context(), q)
			if kappa.ErrorMessage(err) != "Concept 'c_99' not found" {
				t.Errorf("got %v", err)
			}
		}
	})
}

// TestConnectPicksTheBest searches for the five best of 343 shortest paths: four
// hops through three full layers of seven concepts.
func TestConnectPicksTheBest(t *testing.T) {
	const width, target = 7, 22
	confidences := rand.New(rand.NewPCG(1, 2))
	m := &memory{concepts: target + 1}
	link := func(from, to int) {
		m.edges = append(m.edges, knowledge.Edge{From: from, To: to, Type: "CAUSES", Confidence: confidences.Float64(), Forward: true})
	}
	for a := 1; a <= width; a++ {
		link(0, a)
		for b := 1; b <= width; b++ {
			link(a, width+b)
			link(width+a, 2*width+b)
		}
		link(2*width+a, target)
	}
	price := map[[2]int]int{}
	for _, e := range m.edges {
		price[[2]int{e.From, e.To}] = cost(e)
	}
	var want []int
	for a := 1; a <= width; a++ {
		for b := width + 1; b <= 2*width; b++ {
			for c := 2*width + 1; c <= 3*width; c++ {
				want = append(want, price[[2]int{0, a}]+price[[2]int{a, b}]+price[[2]int{b, c}]+price[[2]int{c, target}])
			}
		}
	}
	slices.Sort(want)

	found, err := viewOver(m).routes(t.Context(), 0, target, 4, questions.PathPage{})
	if err != nil || found.Truncated {
		t.Fatalf("truncated %v, err %v", found.Truncated, err)
	}
	var got []int
	for _, r := range found.routes {
		got = append(got, r.cost)
	}
	if !slices.Equal(got, want[:questions.MaxPaths]) {
		t.Errorf("costs %v, want %v", got, want[:questions.MaxPaths])
	}
}
