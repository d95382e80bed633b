package projection

import (
	"context"
	"math/rand/v2"
)

const (
	trees     = 6
	leafItems = 40 // that are compared each with each
)

// forest cuts the items by planes, each between two of them, into groups of near ones
// (Dasgupta and Freund, "Random projection trees and low dimensional manifolds", 2008).
// Near items may be on two sides of a plane, hence there are several trees.
type forest struct {
	ctx    context.Context //nolint:containedctx // of the one call that it lives for
	space  *Space
	random *rand.Rand
	lists  neighbors
	plane  []float32
}

// grow makes the items of a group neighbours of each other, once it is small enough.
func (f *forest) grow(items []int32) error {
	if f.ctx.Err() != nil {
		return context.Cause(f.ctx)
	}
	if len(items) <= leafItems {
		for a, i := range items {
			for _, j := range items[:a] {
				f.lists.meet(f.space, i, j)
			}
		}
		return nil
	}
	cut := f.cut(items)
	if cut == 0 || cut == len(items) { // all of them are alike
		f.random.Shuffle(len(items), func(a, b int) { items[a], items[b] = items[b], items[a] })
		cut = len(items) / 2
	}
	if err := f.grow(items[:cut]); err != nil {
		return err
	}
	return f.grow(items[cut:])
}

// cut puts the items on one side of a plane first, and returns how many they are. The
// plane is in the middle between two items.
func (f *forest) cut(items []int32) int {
	one, other := items[f.random.IntN(len(items))], items[f.random.IntN(len(items))]
	a, b := f.space.at(int(one)), f.space.at(int(other))
	for k := range f.plane {
		f.plane[k] = a[k] - b[k]
	}
	middle := (f.space.squares[one] - f.space.squares[other]) / 2
	cut := 0
	for at, i := range items {
		if at%checkedEvery == 0 && f.ctx.Err() != nil {
			return 0 // grow finds the context ended
		}
		if dot(f.plane, f.space.at(int(i))) > middle {
			items[at], items[cut] = items[cut], items[at]
			cut++
		}
	}
	return cut
}
