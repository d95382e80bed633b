package adjacency_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/internal/graphgen"
)

// builder returns a Builder that holds a generated graph.
func builder(tb testing.TB, concepts int, edges []graphgen.Edge) *adjacency.Builder {
	tb.Helper()
	b := adjacency.NewBuilder(0)
	for t := range int32(20) {
		b.AddType(adjacency.Type{Number: t + 1, Name: fmt.Sprintf("TYPE_%d", t+1)})
	}
	for c := range int32(concepts) {
		if err := b.AddConcept(adjacency.Concept{Number: c + 1, ID: fmt.Sprintf("c_%d", c+1)}); err != nil {
			tb.Fatal(err)
		}
	}
	for _, e := range edges {
		if err := b.AddEdge(adjacency.Edge(e)); err != nil {
			tb.Fatal(err)
		}
	}
	return b
}

// hub is a graph in which the concepts 1 to n are all neighbours of concept 0,
// with as many confidences.
func hub(t testing.TB, n int) *adjacency.Graph {
	t.Helper()
	b := adjacency.NewBuilder(0)
	b.AddType(types[0])
	for i := range int32(n) {
		if err := b.AddEdge(adjacency.Edge{Src: i + 1, Type: 1, Confidence: float32(i) / float32(n)}); err != nil {
			t.Fatal(err)
		}
	}
	g, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestManyKinds(t *testing.T) {
	const n = 100_000
	g := hub(t, n)
	if err := g.Apply(adjacency.Delta{Epoch: 2, Changes: []adjacency.Change{
		{Op: adjacency.Put, Edge: adjacency.Edge{Src: 5, Type: 1, Confidence: 0.25}},
		{Op: adjacency.Delete, Edge: adjacency.Edge{Src: n, Type: 1}},
	}}); err != nil {
		t.Fatal(err)
	}
	i := int32(0)
	for neighbour := range g.View().Around(0) {
		i++
		want := adjacency.Neighbour{Concept: i, Type: 1, Confidence: float32(i-1) / n}
		if i == 5 {
			want.Confidence = 0.25
		}
		if neighbour != want {
			t.Fatalf("got %+v, want %+v", neighbour, want)
		}
	}
	if i != n-1 || g.View().Degree(n) != 0 {
		t.Errorf("a hub with %d neighbours has %d", n-1, i)
	}
	path, err := g.View().Shortest(t.Context(), 7, 99_000, 2, g.View().Types([]string{"CAUSES"}))
	if err != nil || len(path) != 3 || path[1] != 0 {
		t.Errorf("got %v, %v", path, err)
	}
}

func TestBounds(t *testing.T) {
	empty, err := adjacency.NewBuilder(0).Build(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]*adjacency.Graph{"empty": empty, "hub": hub(t, 3)} {
		for _, c := range []int32{-1, 99, 1 << 20, math.MaxInt32, math.MinInt32} {
			v := g.View()
			b, err := v.Ball(t.Context(), adjacency.BallQuery{Seeds: []int32{c, c}, Hops: 5})
			path, pathErr := v.Shortest(t.Context(), c, 1, 5, adjacency.TypeSet{})
			_, known := v.Number("c_99")
			if err != nil || pathErr != nil || len(b.Concepts) > 0 || path != nil || v.ID(c) != "" || v.Degree(c) != 0 || known {
				t.Errorf("%s: concept %d is known", name, c)
			}
		}
	}
	t.Run("the same seed twice, or both ends the same", func(t *testing.T) {
		v := hub(t, 3).View()
		b, err := v.Ball(t.Context(), adjacency.BallQuery{Seeds: []int32{1, 1}, Hops: 2})
		path, pathErr := v.Shortest(t.Context(), 1, 1, 1, adjacency.TypeSet{})
		if err != nil || pathErr != nil || len(b.Concepts) != 3 || len(path) != 1 {
			t.Errorf("got %v and %v", b, path)
		}
	})
	t.Run("a context that has ended", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		v := hub(t, 3).View()
		b, err := v.Ball(ctx, adjacency.BallQuery{Seeds: []int32{1}, Hops: 2})
		_, pathErr := v.Shortest(ctx, 1, 2, 2, adjacency.TypeSet{})
		if !errors.Is(err, context.Canceled) || !errors.Is(pathErr, context.Canceled) || len(b.Concepts) > 0 {
			t.Errorf("got %v, %v, %v", b, err, pathErr)
		}
	})
	t.Run("a deadline of 1 ms on a graph where the answer takes longer", func(t *testing.T) {
		v := buildSmall(t, graphgen.Shape{Concepts: 100_000, Edges: 300_000, Types: 3, Seed: 1}).View()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		begin := time.Now()
		var err error
		for err == nil && time.Since(begin) < 10*time.Second {
			_, err = v.Ball(ctx, adjacency.BallQuery{Seeds: []int32{1, 2, 3}, Hops: 5})
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestRules(t *testing.T) {
	edge := adjacency.Edge{Src: 1, Dst: 2, Type: 1, Confidence: 1}
	for name, change := range map[string]func(e *adjacency.Edge){
		"a negative number": func(e *adjacency.Edge) { e.Src = -1 },
		"a negative type":   func(e *adjacency.Edge) { e.Type = -1 },
		"both ends":         func(e *adjacency.Edge) { e.Dst = 1 },
		"above 1":           func(e *adjacency.Edge) { e.Confidence = 1.5 },
		"not a number":      func(e *adjacency.Edge) { e.Confidence = float32(math.NaN()) },
		"a type unknown":    func(e *adjacency.Edge) { e.Type = 9 },
	} {
		e := edge
		change(&e)
		g := naive{}.build(t, 1)
		if err := g.Apply(adjacency.Delta{Epoch: 2, Changes: []adjacency.Change{{Edge: edge}, {Edge: e}}}); err == nil || g.View().Epoch() != 1 || g.View().Stats().Edges != 0 {
			t.Errorf("%s: got %v, %+v", name, err, g.View().Stats())
		}
		b := adjacency.NewBuilder(0)
		err := b.AddEdge(e)
		if err == nil {
			_, err = b.Build(t.Context(), 1)
		}
		if err == nil {
			t.Errorf("%s: it is built", name)
		}
	}
	for _, c := range []adjacency.Concept{{Number: -1, ID: "a"}, {Number: 1}, {Number: 1, ID: string(make([]byte, 201))}} {
		g := naive{}.build(t, 1)
		if adjacency.NewBuilder(0).AddConcept(c) == nil || g.Apply(adjacency.Delta{New: []adjacency.Concept{c}}) == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	if naive := (naive{}); naive.build(t, 1).Apply(adjacency.Delta{Gone: []int32{-1}}) == nil {
		t.Error("concept -1 is gone")
	}
}

func buildSmall(t testing.TB, s graphgen.Shape) *adjacency.Graph {
	t.Helper()
	g, err := builder(t, s.Concepts, s.Make()).Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestMemory(t *testing.T) {
	shape := graphgen.Shape{Concepts: 20_000, Edges: 200_000, Types: 20, Seed: 1}
	edges := shape.Make()
	before := heap()
	g, err := builder(t, shape.Concepts, edges).Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	stats := g.View().Stats()
	took := heap() - before
	if took > stats.Bytes*11/10 || took < stats.Bytes*8/10 {
		t.Errorf("the heap has grown by %d bytes, and %d are reported", took, stats.Bytes)
	}
	if perEdge := float64(stats.EdgeBytes) / float64(stats.Edges); perEdge > 16 {
		t.Errorf("%.1f bytes an edge", perEdge)
	}
	runtime.KeepAlive(g)

	t.Run("a graph above its limit is not built", func(t *testing.T) {
		b := adjacency.NewBuilder(stats.Bytes)
		b.AddType(types[0])
		var err error
		for i := 0; err == nil && i < len(edges); i++ {
			e := adjacency.Edge(edges[i])
			e.Type = 1
			err = b.AddEdge(e)
		}
		if err == nil {
			_, err = b.Build(t.Context(), 1)
		}
		if !errors.Is(err, adjacency.ErrMemory) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("what would exceed the limit is not taken", func(t *testing.T) {
		b := adjacency.NewBuilder(100_000)
		b.AddType(types[0])
		g, err := b.Build(t.Context(), 1)
		taken := 0
		for err == nil && taken < 100_000 {
			var d adjacency.Delta
			for i := range int32(1000) {
				c := int32(taken) + i
				d.Changes = append(d.Changes, adjacency.Change{Edge: adjacency.Edge{Src: c, Dst: c + 1, Type: 1}})
			}
			if err = g.Apply(d); err == nil {
				taken += len(d.Changes)
			}
			if g.View().Stats().Edges != taken {
				t.Fatalf("%d edges were taken, the graph has %+v", taken, g.View().Stats())
			}
		}
		if !errors.Is(err, adjacency.ErrMemory) || taken == 0 {
			t.Errorf("after %d edges: %v", taken, err)
		}
	})
}

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestReadersWhileItChanges holds that every view is one moment: the edges that
// each delta moves are all in one place.
func TestReadersWhileItChanges(t *testing.T) {
	const deltas, concepts = 300, 600
	b := adjacency.NewBuilder(0)
	b.AddType(types[0])
	g, err := b.Build(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				v := g.View()
				hub := int32(v.Epoch() % concepts)
				ball, err := v.Ball(t.Context(), adjacency.BallQuery{Seeds: []int32{hub}, Hops: 1})
				if err != nil || v.Epoch() > 0 && len(ball.Concepts) != 50 {
					t.Errorf("epoch %d: %d concepts around %d, %v", v.Epoch(), len(ball.Concepts), hub, err)
					return
				}
				if n, known := v.Number(id(hub)); v.Epoch() > 0 && (!known || n != hub) {
					t.Errorf("epoch %d: concept %d is not known", v.Epoch(), hub)
					return
				}
			}
		})
	}
	for epoch := int64(1); epoch <= deltas; epoch++ {
		hub := int32(epoch % concepts)
		d := adjacency.Delta{Epoch: epoch, New: []adjacency.Concept{{Number: hub, ID: id(hub)}}}
		for i := range int32(50) {
			if epoch > 1 {
				d.Changes = append(d.Changes, adjacency.Change{Op: adjacency.Delete, Edge: adjacency.Edge{Src: hub - 1, Dst: (hub + i) % concepts, Type: 1}})
			}
			d.Changes = append(d.Changes, adjacency.Change{Edge: adjacency.Edge{Src: hub, Dst: (hub + 1 + i) % concepts, Type: 1}})
		}
		if epoch > 1 {
			d.Gone = []int32{hub - 1}
		}
		if err := g.Apply(d); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	readers.Wait()
}
