package projection

import (
	"context"
	"slices"
)

// exactUpTo is how many items are compared each with each.
const exactUpTo = 2000

// neighbor is another item and its squared distance.
type neighbor struct {
	item     int32
	fresh    bool // it has not been introduced to the other neighbours yet
	distance float32
}

// neighbors are the nearest other items of each item that are known, the nearest first.
type neighbors [][]neighbor

// newNeighbors returns lists that are empty, of up to k neighbours for each of n items.
func newNeighbors(n, k int) neighbors {
	all, lists := make([]neighbor, n*k), make(neighbors, n)
	for i := range lists {
		lists[i] = all[i*k : i*k : (i+1)*k]
	}
	return lists
}

// add makes j a neighbour of i, unless it is one or there are enough that are nearer. It
// returns how many lists have changed.
func (l neighbors) add(i, j int32, distance float32) int {
	list := l[i]
	if len(list) == cap(list) && distance >= list[len(list)-1].distance {
		return 0
	}
	at := len(list)
	for at > 0 && list[at-1].distance > distance {
		at--
	}
	for k := range list {
		if list[k].item == j {
			return 0
		}
	}
	if len(list) < cap(list) {
		list = append(list, neighbor{})
	}
	copy(list[at+1:], list[at:])
	list[at] = neighbor{item: j, fresh: true, distance: distance}
	l[i] = list
	return 1
}

// meet makes two items neighbours of each other where they are near enough.
func (l neighbors) meet(s *Space, i, j int32) int {
	d := s.distance(int(i), int(j))
	return l.add(i, j, d) + l.add(j, i, d)
}

// nearest returns the k nearest other items of each, the nearest first: exactly for few
// items, and of many nearly all of them.
func nearest(ctx context.Context, s *Space, k int, seed uint64, report Report) (neighbors, error) {
	if s.Len() > exactUpTo {
		return descend(ctx, s, k, seed, report)
	}
	lists := newNeighbors(s.Len(), k)
	for i := range int32(s.Len()) {
		if i%checkedEvery == 0 {
			if err := report("comparing", int(i)*comparingShare/s.Len()); err != nil {
				return nil, err
			}
		}
		for j := range i {
			lists.meet(s, i, j)
		}
	}
	return lists, nil
}

// least returns the k items at the least distances, apart from one itself, the nearest
// first; of two at the same distance the one with the lower number.
func least(distances []float32, self, k int) []neighbor {
	list := make([]neighbor, 0, 2*k+1)
	limit := float32(-1) // of what is kept; negative: anything
	for j, d := range distances {
		if j == self || limit >= 0 && d >= limit {
			continue
		}
		if list = append(list, neighbor{item: int32(j), distance: d}); len(list) == cap(list) {
			slices.SortFunc(list, nearer)
			list = list[:k]
			limit = list[k-1].distance
		}
	}
	slices.SortFunc(list, nearer)
	return list[:min(k, len(list))]
}

func nearer(a, b neighbor) int {
	switch {
	case a.distance < b.distance:
		return -1
	case a.distance > b.distance:
		return 1
	}
	return int(a.item - b.item)
}
