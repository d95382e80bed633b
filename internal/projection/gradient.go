package projection

// How the gradient is followed: with momentum, and steps that grow while their direction
// stays, as in the published algorithm. The rate is that of Belkina and others, "Automated
// optimized parameters for t-SNE" (2019). Towards the end it falls.
const (
	turnsOfFresh = 160
	turnsOfKnown = 80 // from the layout before
	momentum     = 0.8
	rateOfItem   = 1
	leastGain    = 0.01
	mostStep     = 5
	restShare    = 0.25 // of the turns, in which the rate falls
	// A group of places counts as one where its width is less than this share of its
	// distance.
	groupShare = 0.8
)

// gradient is how the places move.
type gradient struct {
	*layout

	tree            *placeTree
	force           []point
	velocity, gains []point
}

// follow moves the places along the gradient of t-SNE's cost.
func (l *layout) follow(turns int, report func(percent int) error) error {
	n := len(l.places)
	g := &gradient{layout: l, tree: newPlaceTree(n), force: make([]point, n), velocity: make([]point, n), gains: make([]point, n)}
	for i := range g.gains {
		g.gains[i] = point{1, 1, 1}
	}
	for turn := range turns {
		percent := 100 * turn / turns
		rate := rateOfItem * float32(n) * min(1, float32(turns-turn)/(restShare*float32(turns)))
		if err := g.turn(rate, func() error { return report(percent) }); err != nil {
			return err
		}
	}
	return nil
}

// turn moves every item once.
func (g *gradient) turn(rate float32, check func() error) error {
	g.tree.build(g.places, groupShare)
	all := 0.0
	for at, i := range g.tree.order {
		if at%checkedEvery == 0 {
			if err := check(); err != nil {
				return err
			}
		}
		var total float32
		g.force[i], total = g.tree.force(g.tree.places[at])
		all += float64(total) - 1
	}
	share := float32(1 / max(all, 1e-30))
	pull := 1 / float32(len(g.links.item))
	for i := range g.places {
		g.steer(i, pull, share, rate)
	}
	for i := range g.places {
		for k := range g.dimensions {
			g.places[i][k] += g.velocity[i][k]
		}
	}
	return nil
}

// steer gives item i its velocity: against the gradient, which draws it to its neighbours
// and away from all.
func (g *gradient) steer(i int, pull, share, rate float32) {
	p := &g.places[i]
	var drawn point
	for _, j := range g.links.row(i) {
		q := &g.places[j]
		near := pull / (1 + squareOf(p, q))
		drawn[0], drawn[1], drawn[2] = drawn[0]+near*(p[0]-q[0]), drawn[1]+near*(p[1]-q[1]), drawn[2]+near*(p[2]-q[2])
	}
	velocity, gains := &g.velocity[i], &g.gains[i]
	for k := range g.dimensions {
		slope := 4 * (drawn[k] - share*g.force[i][k])
		if (slope > 0) != (velocity[k] > 0) {
			gains[k] += 0.2
		} else {
			gains[k] = max(leastGain, gains[k]*0.8)
		}
		velocity[k] = max(-mostStep, min(mostStep, momentum*velocity[k]-rate*gains[k]*slope))
	}
}
