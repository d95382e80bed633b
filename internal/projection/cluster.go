package projection

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/spatial/kdtree"
	"gonum.org/v1/gonum/stat"
)

const (
	// Noise is the cluster of places that belong to none.
	Noise = -1
	// leastCluster is how many places within the radius make a place the core of a
	// cluster.
	leastCluster = 5
	// mostShare is which share of the places a cluster may have.
	mostShare = 0.5
)

// place is a point of a layout that knows its row.
type place struct {
	kdtree.Point
	row int
}

// Compare returns the distance to the plane through c along a dimension.
func (p place) Compare(c kdtree.Comparable, d kdtree.Dim) float64 {
	return p.Point[d] - c.(place).Point[d] //nolint:forcetypeassert // there are only places
}

// Distance returns the squared distance to c.
func (p place) Distance(c kdtree.Comparable) float64 {
	return p.Point.Distance(c.(place).Point) //nolint:forcetypeassert // there are only places
}

// places are a tree's points.
type places []place

func (p places) Index(i int) kdtree.Comparable         { return p[i] }
func (p places) Len() int                              { return len(p) }
func (p places) Slice(start, end int) kdtree.Interface { return p[start:end] }

// Pivot orders the places along a dimension, and returns the middle.
func (p places) Pivot(d kdtree.Dim) int {
	slices.SortFunc(p, func(a, b place) int {
		switch {
		case a.Point[d] < b.Point[d]:
			return -1
		case a.Point[d] > b.Point[d]:
			return 1
		}
		return a.row - b.row
	})
	return len(p) / 2
}

// Clusters returns the number of the cluster of each place, from 0, or Noise, and how
// many clusters there are. Clusters are places that are dense together (Ester and others,
// "A density-based algorithm for discovering clusters", 1996). The radius comes from the
// layout: the widest one by which no cluster has more than half of the places, since such
// a one says nothing; the widest of all where there is none.
func Clusters(ctx context.Context, layout [][]float64) (of []int, count int, err error) {
	list := make(places, len(layout))
	for i, row := range layout {
		list[i] = place{kdtree.Point(row), i}
	}
	d := &density{ctx: ctx, list: list, tree: kdtree.New(slices.Clone(list), false)}
	median, err := d.median()
	if err != nil {
		return nil, 0, err
	}
	for _, factor := range radii() {
		found, clusters, err := d.clusters(factor * factor * median)
		if err != nil {
			return nil, 0, err
		}
		if of == nil {
			of, count = found, clusters
		}
		if largestShare(found, clusters) <= mostShare {
			return found, clusters, nil
		}
	}
	return of, count, nil
}

// radii are the radii that are tried, in medians of the distances to the last of
// leastCluster neighbours.
func radii() []float64 { return []float64{2, 1.6, 1.3, 1.1, 0.95, 0.8, 0.65} }

// density finds clusters in one layout.
type density struct {
	ctx  context.Context //nolint:containedctx // of the one call that it lives for
	list places
	tree *kdtree.Tree
}

// clusters returns the clusters of places that lie within a squared radius.
func (d *density) clusters(radius float64) (of []int, count int, err error) {
	of, seen := make([]int, len(d.list)), make([]bool, len(d.list))
	for i := range of {
		of[i] = Noise
	}
	for i := range d.list {
		if seen[i] {
			continue
		}
		if d.ctx.Err() != nil {
			return nil, 0, context.Cause(d.ctx)
		}
		seen[i] = true
		around := within(d.tree, d.list[i], radius)
		if len(around) < leastCluster {
			continue
		}
		of[i] = count
		if err := d.grow(around, radius, of, seen); err != nil {
			return nil, 0, err
		}
		count++
	}
	return of, count, nil
}

// grow adds what is around the core of the newest cluster, and around its other cores.
func (d *density) grow(around []int, radius float64, of []int, seen []bool) error {
	cluster := Noise
	for _, i := range around {
		cluster = max(cluster, of[i]) // the core's own: it is the newest
	}
	for len(around) > 0 {
		if d.ctx.Err() != nil {
			return context.Cause(d.ctx)
		}
		i := around[len(around)-1]
		around = around[:len(around)-1]
		if of[i] == Noise {
			of[i] = cluster
		}
		if seen[i] {
			continue
		}
		seen[i] = true
		if more := within(d.tree, d.list[i], radius); len(more) >= leastCluster {
			around = append(around, more...)
		}
	}
	return nil
}

// largestShare returns which share of the places the largest cluster has.
func largestShare(of []int, clusters int) float64 {
	sizes := make([]int, clusters)
	for _, cluster := range of {
		if cluster != Noise {
			sizes[cluster]++
		}
	}
	most := 0
	for _, size := range sizes {
		most = max(most, size)
	}
	return float64(most) / float64(len(of))
}

// median returns the median of the squared distances to the last of leastCluster
// neighbours.
func (d *density) median() (float64, error) {
	distances := make([]float64, len(d.list))
	for i, p := range d.list {
		if d.ctx.Err() != nil {
			return 0, context.Cause(d.ctx)
		}
		keeper := kdtree.NewNKeeper(min(len(d.list), leastCluster))
		d.tree.NearestSet(keeper, p)
		for _, found := range keeper.Heap {
			if found.Comparable != nil {
				distances[i] = max(distances[i], found.Dist)
			}
		}
	}
	slices.Sort(distances)
	return stat.Quantile(0.5, stat.Empirical, distances, nil), nil
}

// within returns the rows of the places within a squared distance, itself among them, in
// order.
func within(tree *kdtree.Tree, p place, radius float64) []int {
	keeper := kdtree.NewDistKeeper(radius)
	tree.NearestSet(keeper, p)
	var rows []int
	for _, found := range keeper.Heap {
		if other, ok := found.Comparable.(place); ok {
			rows = append(rows, other.row)
		}
	}
	slices.Sort(rows)
	return rows
}
