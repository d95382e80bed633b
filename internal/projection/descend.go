package projection

import (
	"context"
	"math/rand/v2"
	"slices"
)

const (
	introducedAtOnce = 16    // neighbours of an item that are introduced to each other in one round
	rounds           = 10    // at most
	settled          = 0.002 // the share of neighbours that change in the last round
)

// descend finds neighbours by introducing the neighbours of each item to each other: they
// are often near themselves (Dong and others, "Efficient k-nearest neighbor graph
// construction for generic similarity measures", 2011). A forest gives the first ones.
func descend(ctx context.Context, s *Space, k int, seed uint64, report Report) (neighbors, error) {
	n := s.Len()
	random := rand.New(rand.NewPCG(seed, 0x6e656172))
	f := &forest{ctx: ctx, space: s, random: random, lists: newNeighbors(n, k), plane: make([]float32, s.width)}
	items := make([]int32, n)
	for tree := range trees {
		if err := report("comparing", comparingShare*tree/(2*trees)); err != nil {
			return nil, err
		}
		for i := range items {
			items[i] = int32(i)
		}
		if err := f.grow(items); err != nil {
			return nil, err
		}
	}
	d := &introductions{space: s, lists: f.lists, random: random, fresh: newMet(n), known: newMet(n)}
	for round := range rounds {
		changed, err := d.round(func(done int) error {
			return report("comparing", comparingShare/2+comparingShare/2*(round*n+done)/(rounds*n))
		})
		if err != nil {
			return nil, err
		}
		if float64(changed) < settled*float64(n*k) {
			break
		}
	}
	return d.lists, nil
}

// introductions are what one round after the other has to do.
type introductions struct {
	space        *Space
	lists        neighbors
	random       *rand.Rand
	fresh, known *met
}

// round introduces neighbours to each other that have not met, and returns how many
// neighbours have changed.
func (d *introductions) round(report func(done int) error) (changed int, err error) {
	d.choose()
	for i := range d.lists {
		if i%checkedEvery == 0 {
			if err := report(i); err != nil {
				return 0, err
			}
		}
		fresh, known := d.fresh.of(i), d.known.of(i)
		for a, one := range fresh {
			for _, other := range fresh[:a] {
				if one != other {
					changed += d.lists.meet(d.space, one, other)
				}
			}
			for _, other := range known {
				if one != other {
					changed += d.lists.meet(d.space, one, other)
				}
			}
		}
	}
	return changed, nil
}

// choose draws who is introduced: of each item some of its neighbours, and of those whose
// neighbour it is.
func (d *introductions) choose() {
	d.fresh.clear()
	d.known.clear()
	for i, list := range d.lists {
		for _, other := range list {
			to := d.known
			if other.fresh {
				to = d.fresh
			}
			to.draw(i, other.item, d.random)
			to.draw(int(other.item), int32(i), d.random)
		}
	}
	for i, list := range d.lists {
		chosen := d.fresh.of(i)
		for at := range list {
			list[at].fresh = list[at].fresh && !slices.Contains(chosen, list[at].item)
		}
	}
}

// met are up to introducedAtOnce others of each item, drawn from any number.
type met struct {
	offered []int32 // to each item
	items   []int32
}

func newMet(n int) *met {
	return &met{offered: make([]int32, n), items: make([]int32, n*introducedAtOnce)}
}

func (m *met) clear() { clear(m.offered) }

// of returns those that were drawn for an item.
func (m *met) of(i int) []int32 {
	return m.items[i*introducedAtOnce:][:min(m.offered[i], introducedAtOnce)]
}

// draw offers an other to an item: each one that is offered is as likely to stay.
func (m *met) draw(i int, other int32, random *rand.Rand) {
	at := m.offered[i]
	m.offered[i]++
	if at >= introducedAtOnce {
		if at = random.Int32N(at + 1); at >= introducedAtOnce {
			return
		}
	}
	m.items[i*introducedAtOnce+int(at)] = other
}
