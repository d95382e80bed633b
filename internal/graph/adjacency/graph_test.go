package adjacency_test

import (
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/internal/graph/adjacency"
)

func TestApply(t *testing.T) {
	t.Run("what changes is as if it had been built so, and a view stays as it was", func(t *testing.T) {
		rapid.Check(t, func(r *rapid.T) {
			n := drawNaive(r)
			g := n.build(t, 1)
			n.compare(r, g.View())
			for epoch := range int64(rapid.IntRange(1, 4).Draw(r, "deltas")) {
				before, old := naive{maps.Clone(n.edges), maps.Clone(n.concepts)}, g.View()
				d := n.change(r)
				d.Epoch = epoch + 2
				if err := g.Apply(d); err != nil {
					r.Fatal(err)
				}
				n.compare(r, g.View())
				n.compare(r, n.build(t, 1).View())
				before.compare(r, old)
				if g.View().Epoch() != d.Epoch || old.Epoch() == d.Epoch {
					r.Fatalf("epochs: %d then %d", old.Epoch(), g.View().Epoch())
				}
			}
		})
	})
}

// change draws a delta and changes n likewise.
func (n naive) change(t *rapid.T) adjacency.Delta {
	var d adjacency.Delta
	for range rapid.IntRange(0, 8).Draw(t, "changes") {
		e := drawEdge(t)
		op := rapid.SampledFrom([]adjacency.Op{adjacency.Put, adjacency.Delete}).Draw(t, "op")
		if op == adjacency.Put {
			n.put(e)
		} else {
			delete(n.edges, edgeKey{e.Src, e.Dst, e.Type})
		}
		d.Changes = append(d.Changes, adjacency.Change{Op: op, Edge: e})
	}
	for _, c := range numbers {
		switch rapid.IntRange(0, 3).Draw(t, "concept") {
		case 0:
			n.concepts[c] = id(c)
			d.New = append(d.New, adjacency.Concept{Number: c, ID: id(c)})
		case 1:
			delete(n.concepts, c)
			d.Gone = append(d.Gone, c)
		}
	}
	return d
}
