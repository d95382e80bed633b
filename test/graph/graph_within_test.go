package graph_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/graph"
	"github.com/kappagraph/kappa/internal/graphgen"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

var errInjected = errors.New("injected")

// narrow cuts every level into chunks of two concepts.
func narrow() knowledge.GraphSettings {
	s := knowledge.DefaultGraphSettings()
	s.ParallelFrom, s.ChunkSize, s.MaxWorkers = 1, 2, 3
	return s
}

// narrowAndBrief gives a question a second besides.
func narrowAndBrief() knowledge.GraphSettings {
	s := narrow()
	s.TimeoutSeconds = 1
	return s
}

// ballOf is a naive search.
func ballOf(edges []graphgen.Edge, seeds []int, hops int) map[int]int {
	distance := map[int]int{}
	for _, s := range seeds {
		distance[s] = 0
	}
	for hop := 1; hop <= hops; hop++ {
		for _, e := range edges {
			for _, ends := range [][2]int{{int(e.Src), int(e.Dst)}, {int(e.Dst), int(e.Src)}} {
				from, known := distance[ends[0]]
				if _, seen := distance[ends[1]]; known && from == hop-1 && !seen {
					distance[ends[1]] = hop
				}
			}
		}
	}
	maps.DeleteFunc(distance, func(_, d int) bool { return d == 0 })
	return distance
}

func distances(w questions.Within) map[int]int {
	found := map[int]int{}
	for i, n := range w.Numbers {
		found[n] = w.Distances[i]
	}
	return found
}

// TestWithin compares the tables, cut into chunks of two, with a naive search, and
// lets chunks fail.
func TestWithin(t *testing.T) {
	var failing atomic.Int64 // every so many queries one fails; 0 = none
	var asked, failed atomic.Int64
	g := newRealGraphOn(t, postgres.Config{GraphConns: 4, Hook: func(_ context.Context, point string) error {
		if every := failing.Load(); point == "before Neighbors" && every > 0 && asked.Add(1)%every == 0 {
			failed.Add(1)
			return errInjected
		}
		return nil
	}}, graph.Config{Settings: narrow})
	rapid.Check(t, func(r *rapid.T) {
		s := graphgen.Shape{Concepts: rapid.IntRange(8, 60).Draw(r, "concepts"), Types: 2, Seed: rapid.Uint64().Draw(r, "seed")}
		s.Edges = rapid.IntRange(1, min(2*s.Concepts, s.Concepts*(s.Concepts-1)/4)).Draw(r, "edges")
		edges := s.Make()
		g.exec(t, "TRUNCATE kg_api.concepts CASCADE")
		if err := graphgen.Fill(t.Context(), g.dsn, s.Concepts, edges); err != nil {
			r.Fatal(err)
		}
		seeds := rapid.SliceOfN(rapid.IntRange(1, s.Concepts), 1, 3).Draw(r, "seeds") // the same one may come twice
		ids := make([]string, len(seeds))
		for i, n := range seeds {
			ids[i] = conceptID(n)
		}
		hops := rapid.IntRange(1, 5).Draw(r, "hops")
		want := ballOf(edges, seeds, hops)
		failed.Store(0)
		failing.Store(rapid.SampledFrom([]int64{0, 0, 2, 3, 7}).Draw(r, "failing"))
		got, err := g.Within(t.Context(), questions.WithinQuery{SeedIDs: ids, MaxHops: hops, OnTables: true})
		found := distances(got)
		switch n := int(failed.Load()); {
		case err != nil:
			if n == 0 || !errors.Is(err, errInjected) {
				r.Fatalf("%d failures injected: %v", n, err)
			}
		case n == 0:
			if !got.Complete || !maps.Equal(found, want) || len(got.Numbers) != len(want) {
				r.Fatalf("got %v, %+v, want %v", found, got.Completeness, want)
			}
		default:
			if got.Complete || got.FailedChunks != n || !strings.Contains(got.Missing, "could not be read") {
				r.Fatalf("%d chunks failed: %+v", n, got.Completeness)
			}
			for c, d := range found {
				if nearest, reached := want[c]; !reached || d < nearest {
					r.Fatalf("concept %d in %d hops, want %v", c, d, want)
				}
			}
		}
	})
	if inUse := acquired(g.db); inUse != 0 {
		t.Errorf("%d connections are left in use", inUse)
	}
}

// acquired is how many connections of the pool for the graph are in use.
func acquired(db *postgres.DB) int {
	for _, p := range db.PoolFigures() {
		if p.Name == "graph" {
			return p.Acquired
		}
	}
	return -1
}

// TestWithinSeesOneMoment adds relationships while a query reads its chunks.
func TestWithinSeesOneMoment(t *testing.T) {
	var writing sync.Mutex
	written := 0
	var write func(n int)
	g := newRealGraphOn(t, postgres.Config{Hook: func(_ context.Context, point string) error {
		if point == "before Neighbors" {
			writing.Lock()
			defer writing.Unlock()
			written++
			write(written)
		}
		return nil
	}}, graph.Config{Settings: narrow})
	var edges []graphgen.Edge
	for leaf := range int32(20) {
		edges = append(edges, graphgen.Edge{Src: 1, Dst: 2 + leaf, Type: 1})
	}
	if err := graphgen.Fill(t.Context(), g.dsn, 200, edges); err != nil {
		t.Fatal(err)
	}
	write = func(n int) {
		for leaf := range 20 {
			_, err := g.conn.Exec(context.WithoutCancel(t.Context()), "INSERT INTO kg_api.edges (src, dst, type, confidence) VALUES ($1, $2, 1, 1)", 2+leaf, 50+n)
			if err != nil {
				t.Error(err)
			}
		}
	}
	got, err := g.Within(t.Context(), questions.WithinQuery{SeedIDs: []string{"c_1"}, MaxHops: 3, OnTables: true})
	if err != nil || !got.Complete || len(got.Numbers) != 20 || written < 10 {
		t.Errorf("after %d writes got %d concepts, %+v, %v", written, len(got.Numbers), got.Completeness, err)
	}
}

// TestWithinNeverDeadlocks asks three times as many queries at once as there are
// connections, each of which wants more of them.
func TestWithinNeverDeadlocks(t *testing.T) {
	const conns = 4
	g := newRealGraphOn(t, postgres.Config{GraphConns: conns, AcquireTimeout: 30 * time.Second}, graph.Config{Settings: narrow})
	s := graphgen.Shape{Concepts: 100, Edges: 300, Seed: 4}
	edges := s.Make()
	if err := graphgen.Fill(t.Context(), g.dsn, s.Concepts, edges); err != nil {
		t.Fatal(err)
	}
	want := ballOf(edges, []int{1, 2}, 3)
	for round := 0; round < 20 && g.Work().Sequential == 0; round++ { // until connections were short once
		var group sync.WaitGroup
		for range 3 * conns {
			group.Go(func() {
				got, err := g.Within(t.Context(), questions.WithinQuery{SeedIDs: []string{"c_1", "c_2"}, MaxHops: 3, OnTables: true})
				if err != nil || !got.Complete || !maps.Equal(distances(got), want) {
					t.Errorf("%+v, %v", got.Completeness, err)
				}
			})
		}
		group.Wait()
	}
	work := g.Work()
	if acquired(g.db) != 0 || work.Workers != 0 || work.Failed != 0 || work.Sequential == 0 {
		t.Errorf("%d connections in use, %+v", acquired(g.db), work)
	}
}

func TestWithinBounds(t *testing.T) {
	settings := knowledge.DefaultGraphSettings()
	settings.MaxResultsPerChunk = 5000 - 1
	g := newRealGraph(t, graph.Config{Settings: func() knowledge.GraphSettings { return settings }})
	ask := func(hops int, ids ...string) (questions.Within, error) {
		return g.Within(t.Context(), questions.WithinQuery{SeedIDs: ids, MaxHops: hops, OnTables: true})
	}
	if _, err := ask(1, "c_1"); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("an empty graph: %v", err)
	}
	for _, hops := range []int{0, 6} {
		if _, err := ask(hops, "c_1"); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("%d hops: %v", hops, err)
		}
	}
	if _, err := ask(1, "c'1"); kappa.ErrorCode(err) != kappa.CodeInvalid || !strings.Contains(fmt.Sprint(err), "seed_ids[0]") {
		t.Errorf("a broken id: %v", err)
	}
	hub := make([]graphgen.Edge, 5000)
	for i := range hub {
		hub[i] = graphgen.Edge{Src: 1, Dst: int32(i + 2), Type: 1}
	}
	if err := graphgen.Fill(t.Context(), g.dsn, len(hub)+1, hub); err != nil {
		t.Fatal(err)
	}
	if got, err := ask(1, "c_1", "c_1"); err != nil || got.Complete || !got.Truncated || len(got.Numbers) != len(hub)-1 || !strings.Contains(got.Missing, "max_results_per_chunk") {
		t.Errorf("a hub above the limit: %d, %+v, %v", len(got.Numbers), got.Completeness, err)
	}
	settings.MaxResultsPerChunk = 5000
	if got, err := ask(2, "c_1"); err != nil || !got.Complete || len(got.Numbers) != len(hub) {
		t.Errorf("a hub: %d, %+v, %v", len(got.Numbers), got.Completeness, err)
	}
}

// TestWithinDeadline lets the time run out, and checks that nothing goes on.
func TestWithinDeadline(t *testing.T) {
	var stall atomic.Bool
	g := newRealGraphOn(t, postgres.Config{Hook: func(ctx context.Context, point string) error {
		if point == "before Neighbors" && stall.Load() {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}}, graph.Config{Settings: narrowAndBrief})
	s := graphgen.Shape{Concepts: 100, Edges: 300, Seed: 4}
	if err := graphgen.Fill(t.Context(), g.dsn, s.Concepts, s.Make()); err != nil {
		t.Fatal(err)
	}
	stall.Store(true)
	begin := time.Now()
	got, err := g.Within(t.Context(), questions.WithinQuery{SeedIDs: []string{"c_1"}, MaxHops: 2, OnTables: true})
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
	if err == nil && (got.Complete || !got.TimedOut || got.Missing == "") || err != nil && kappa.ErrorCode(err) != kappa.CodeUnavailable {
		t.Errorf("%+v, %v", got, err)
	}
	if acquired(g.db) != 0 || g.Work().Workers != 0 {
		t.Errorf("%d connections in use, %+v", acquired(g.db), g.Work())
	}
}
