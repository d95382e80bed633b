package graph

import (
	"context"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// Connect returns a page of the paths between two concepts, in either direction of
// the relationships or in one: all the shortest ones first and, when the page ends behind
// them and the way is not too wide, some that are one hop longer. Of equally long
// paths those that say most come first: stated relationships before mere
// co-occurrence, certain ones before uncertain ones. No two paths visit the same
// concepts in the same order; of several relationships between two concepts the
// one that says most is shown. A concept is connected with itself by one path of
// no hops.
//
// At most 20,000 concepts are visited; when that ends the search, Truncated says
// so, and there may be other or shorter paths. Of tables that do not answer in time it
// returns the paths that were found, and says what is missing. It returns a CodeInvalid Error
// that names every broken rule, CodeNotFound for an unknown concept,
// CodeUnavailable after the deadline. That there is no path is not an error.
func (g *Graph) Connect(ctx context.Context, q questions.ConnectQuery) (result questions.ConnectResult, err error) {
	if err := q.Validate(); err != nil {
		return questions.ConnectResult{}, err
	}
	err = g.readIn(ctx, "searching for a path", q.MinEpoch, q.Ontology, func(ctx context.Context, v view) error {
		result, err = v.connect(ctx, q)
		return err
	})
	return result, err
}

func (v view) connect(ctx context.Context, q questions.ConnectQuery) (questions.ConnectResult, error) {
	v, ends, err := v.locate(ctx, q.FromID, q.ToID)
	if err != nil {
		return questions.ConnectResult{}, err
	}
	if v, err = v.narrowed(ctx, q.EpistemicFilter, q.RelationshipFilter); err != nil {
		return questions.ConnectResult{}, err
	}
	v.measures = q.Measures
	epoch, err := v.epoch(ctx)
	if err != nil {
		return questions.ConnectResult{}, err
	}
	found, err := v.routes(ctx, ends[0], ends[1], q.MaxHops, q.PathPage)
	if err != nil {
		return questions.ConnectResult{}, err
	}
	paths, err := v.paths(ctx, ends[0], found.routes, q.IncludeEvidence)
	if err != nil {
		return questions.ConnectResult{}, err
	}
	return questions.ConnectResult{
		FromID: q.FromID, ToID: q.ToID, MaxHops: q.MaxHops, Count: len(paths), Paths: paths, Epoch: epoch,
		ShownPaths: found.ShownPaths, Statistics: v.statistics(q.IncludeStatistics, found.levels), Completeness: found.Completeness,
	}, nil
}

// otherPaths is what may be missing when a search for paths was cut.
const otherPaths = "the search was cut at its limit of concepts; there may be other or shorter paths"

// foundRoutes is a page of the routes between two concepts, the best first, and what could
// not be searched.
type foundRoutes struct {
	routes []route
	levels *levels
	questions.ShownPaths
	questions.Completeness
}

// routes finds a page of the routes between two concepts. One route more than the page has
// says whether there is another page.
func (v view) routes(ctx context.Context, from, to, maxHops int, page questions.PathPage) (foundRoutes, error) {
	defer func() { v.heading(v.direction) }() // a side that searches from the end follows relationships the other way
	f := foundRoutes{levels: newLevels(ctx, maxHops, v.tables.settings()), ShownPaths: questions.ShownPaths{Offset: page.Offset, Limit: page.Size()}}
	all, truncated, err := v.allRoutes(ctx, f.levels, from, to, maxHops, page.Offset+page.Size()+1)
	all = all[min(page.Offset, len(all)):]
	f.More = len(all) > page.Size()
	f.routes, f.Completeness = all[:min(page.Size(), len(all))], f.levels.completeness(truncated, otherPaths)
	return f, err
}

func (v view) allRoutes(ctx context.Context, l *levels, from, to, maxHops, most int) (found []route, truncated bool, err error) {
	if from == to {
		return []route{{}}, false, nil
	}
	if v.perHop > 0 {
		return v.routesOneWay(ctx, l, from, to, maxHops, most)
	}
	found, truncated, wide, err := v.routesByNumber(ctx, l, from, to, maxHops, most)
	if err == nil && wide {
		l.gaps = gaps{}
		return v.routesByWalks(ctx, l, from, to, maxHops, most)
	}
	return found, truncated, err
}

// routesByWalks is routes between two different concepts, with all the relationships of
// each level.
func (v view) routesByWalks(ctx context.Context, l *levels, from, to, maxHops, most int) (found []route, truncated bool, err error) {
	m := newMeeting(from, to)
	met := false
	for m.hops() < maxHops && !met && !truncated && !l.over() {
		last, other := m.smaller()
		if len(last.frontier) == 0 {
			return nil, false, nil // all that is connected with one of them has been seen
		}
		if truncated, err = v.approach(ctx, l, m, last, other); err != nil {
			return nil, false, err
		}
		met = m.met(last)
	}
	if !met {
		return nil, truncated, nil
	}
	found = m.routes(0, most)
	if truncated || len(found) == most || m.hops() == maxHops || l.over() {
		return found, truncated, nil
	}
	detours, err := v.detours(ctx, l, m, most-len(found))
	return append(found, detours...), false, err
}

// routesOneWay is routesByWalks from the first concept alone, of which each hop takes only the
// concepts with the paths that say most, and the other end: so what it finds does not depend
// on where two sides would meet.
func (v view) routesOneWay(ctx context.Context, l *levels, from, to, maxHops, most int) (found []route, truncated bool, err error) {
	m := newMeeting(from, to)
	isEnd := func(c int) bool { return c == to }
	step := func(l *levels) (cut bool, err error) {
		return v.step(ctx, l, m.from, v.only, max(0, v.limits.visited-m.visited()), isEnd)
	}
	for len(found) == 0 && m.hops() < maxHops && len(m.from.frontier) > 0 && !truncated && !l.over() {
		if truncated, err = step(l); err != nil {
			return nil, false, err
		}
		found = m.routes(0, most)
	}
	if len(found) == 0 || truncated || len(found) == most || m.hops() == maxHops || l.over() || len(m.from.frontier) > v.limits.detour {
		return found, truncated, nil
	}
	addition := *l
	if cut, err := step(&addition); err != nil || cut {
		return found, false, err
	}
	l.asked, l.work = addition.asked, addition.work
	return append(found, m.routes(1, most-len(found))...), false, nil
}

// detours returns up to most routes that are one hop longer than m's. They are
// an addition: when they cost much there are none, and nothing is missing.
func (v view) detours(ctx context.Context, l *levels, m *meeting, most int) ([]route, error) {
	w, other := m.smaller()
	if len(w.frontier) > v.limits.detour {
		return nil, nil
	}
	addition := *l
	cut, err := v.approach(ctx, &addition, m, w, other)
	if l.asked, l.work = addition.asked, addition.work; err != nil || cut {
		return nil, err
	}
	return m.routes(1, most), nil
}

// approach lets one of the walks take a level towards the other one.
func (v view) approach(ctx context.Context, l *levels, m *meeting, w, other *walk) (cut bool, err error) {
	v = v.heading(v.from(w == m.from))
	return v.step(ctx, l, w, v.only, max(0, v.limits.visited-m.visited()), other.reached)
}

// from is the way in which a search follows relationships from its start, or from its end.
func (v view) from(start bool) questions.Heading {
	if start {
		return v.direction
	}
	return v.direction.Reversed()
}

// paths shows routes as paths, with the sentences of their relationships when evidence is
// wanted. One that leads over a concept that is gone is left out.
func (v view) paths(ctx context.Context, start int, routes []route, evidence bool) ([]questions.Path, error) {
	paths, shown, err := v.shownPaths(ctx, start, routes, evidence)
	if err != nil || !evidence {
		return paths, err
	}
	return paths, v.addStatements(ctx, paths, shown, nil)
}

// shownPaths shows routes as paths, and returns those that it shows: not those over a
// concept that is gone.
func (v view) shownPaths(ctx context.Context, start int, routes []route, samples bool) (paths []questions.Path, shown []route, err error) {
	var all []int
	for _, r := range routes {
		all = append(all, r.concepts(start)...)
	}
	nodes, err := v.pathNodes(ctx, distinct(all), samples)
	if err != nil {
		return nil, nil, err
	}
	paths, shown = make([]questions.Path, 0, len(routes)), make([]route, 0, len(routes))
	for _, r := range routes {
		if p, ok := path(r, start, nodes); ok {
			paths, shown = append(paths, p), append(shown, r)
		}
	}
	return paths, shown, nil
}

func path(r route, start int, nodes map[int]questions.PathNode) (questions.Path, bool) {
	p := questions.Path{Relationships: []string{}, Forward: []bool{}, Hops: len(r.edges)}
	for _, c := range r.concepts(start) {
		node, ok := nodes[c]
		if !ok {
			return questions.Path{}, false
		}
		p.Nodes = append(p.Nodes, node)
	}
	for _, e := range r.edges {
		p.Relationships = append(p.Relationships, e.Type)
		p.Forward = append(p.Forward, e.Forward)
	}
	return p, true
}

func (v view) pathNodes(ctx context.Context, ids []int, evidence bool) (map[int]questions.PathNode, error) {
	summaries, err := v.summaries(ctx, ids)
	if err != nil {
		return nil, err
	}
	samples, err := v.samples(ctx, ids, evidence)
	if err != nil {
		return nil, err
	}
	groundings, err := v.groundings(ctx, summaries)
	if err != nil {
		return nil, err
	}
	nodes := make(map[int]questions.PathNode, len(summaries))
	for id, s := range summaries {
		nodes[id] = questions.PathNode{
			ID: s.ConceptID, Label: s.Label, Description: s.Description, Sample: samples[id], Grounding: groundings[id],
		}
	}
	return nodes, nil
}
