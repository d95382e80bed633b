package graph

import (
	"context"
	"slices"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// noType is a name that no relationship type has: a list of it selects nothing, where
// an empty list would select all.
const noType = "-"

// permitted returns which of some relationship types a filter allows, by their stored
// status; no types stand for all of the vocabulary. Whatever walks the graph is then
// narrowed by the types alone. Without a filter it reads nothing.
func (v view) permitted(ctx context.Context, types []string, f questions.EpistemicFilter) ([]string, error) {
	if f.IsZero() {
		return types, nil
	}
	statuses, err := v.TypeStatuses(ctx)
	if err != nil {
		return nil, err
	}
	var allowed []string
	for name, status := range statuses {
		if f.Allows(status) && (len(types) == 0 || slices.Contains(types, name)) {
			allowed = append(allowed, name)
		}
	}
	if len(allowed) == 0 {
		return []string{noType}, nil
	}
	slices.Sort(allowed)
	return allowed, nil
}

// narrowed returns v whose paths lead over relationships that two filters allow.
func (v view) narrowed(ctx context.Context, f questions.EpistemicFilter, r questions.RelationshipFilter) (view, error) {
	v = v.followingWeak(f.IncludeWeak).filtered(r)
	var err error
	v.only, err = v.permitted(ctx, typeNames(r.Types), f)
	return v, err
}

// filtered returns v that reads around and between concepts what a filter allows, its types
// apart.
func (v view) filtered(r questions.RelationshipFilter) view {
	v.direction, v.perHop = r.Direction, r.PerHop
	return v.certain(r.MinConfidence).heading(r.Direction)
}

// heading returns v that follows relationships one way, or both. It holds until the next call:
// the Snapshot is the same.
func (v view) heading(d questions.Heading) view {
	v.Snapshot.Heading(d)
	v.memory.heading = d
	return v
}

// unfiltered returns v that reads around concepts what they have by themselves, whatever the
// question follows.
func (v view) unfiltered() view {
	v.Snapshot.LeastConfidence(0)
	v.memory.floor, v.perHop = 0, 0
	return v.heading(questions.HeadingBoth)
}

// certain returns v that reads no relationships below a confidence around and between
// concepts; 0 stands for any.
func (v view) certain(least float64) view {
	if least > 0 {
		v.Snapshot.LeastConfidence(least)
		v.memory.floor = float32(least)
	}
	return v
}

// followingWeak returns v that reads weak relationships around and between concepts, or
// not: those of the type RELATED_TO below vocabulary.LeastRelated.
func (v view) followingWeak(weak bool) view {
	if !weak {
		v.Snapshot.HideWeak()
		v.memory.hidesWeak = true
	}
	return v
}
