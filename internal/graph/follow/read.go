package follow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/graph/adjacency"
	"github.com/kappagraph/kappa/knowledge"
)

// errApply is why a graph that cannot take a change is loaded anew.
var errApply = fmt.Errorf("%w: a change does not fit to it", knowledge.ErrGraphReload)

// follow reads what has changed, again and again, until ctx ends or the graph must
// be loaded anew.
func (f *Follower) follow(ctx context.Context) error {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	away := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-f.wake: // a hint, which may be lost
		case <-poll.C: // the guarantee
			if !away && f.current() {
				continue
			}
		}
		err := f.read(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, knowledge.ErrGraphReload), errors.Is(err, adjacency.ErrMemory):
			return err
		case err != nil && !away:
			f.cfg.Log.WarnContext(ctx, "changes of the graph not read: the graph in memory gets old", "err", err, "used_for", usableFor)
		case err == nil && away:
			f.cfg.Log.InfoContext(ctx, "changes of the graph are read again")
		}
		away = err != nil
		kappa.Sleep(ctx, readAtMost)
	}
}

// current reports whether nothing need be read, for a change would have woken us.
func (f *Follower) current() bool {
	return f.cfg.Heard != nil && f.cfg.Heard() && time.Since(f.now.Load().at) < pollHeard
}

// read applies what has changed since the last read.
func (f *Follower) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	r := *f.now.Load()
	before := r.mark
	changes, err := f.catchUp(ctx, &r)
	if err != nil {
		return err
	}
	if len(changes.Changes) == 0 && before.Epoch == r.mark.Epoch {
		f.now.Store(&r) // nobody waits for this
		return nil
	}
	f.took(&r, func(s *knowledge.GraphStatus) { count(s, changes) })
	return nil
}

// catchUp brings a reading up to now.
func (f *Follower) catchUp(ctx context.Context, r *reading) (knowledge.GraphChanges, error) {
	began := time.Now()
	changes, err := f.cfg.Store.GraphChanges(ctx, r.mark, max(mostChanges, r.graph.View().Stats().Edges/4))
	if err != nil {
		return changes, err
	}
	if len(changes.Changes) > 0 || changes.Until.Epoch != r.mark.Epoch {
		d := delta(changes)
		if d.Types, err = f.newTypes(ctx, r.graph.View(), d.Changes); err != nil {
			return changes, err
		}
		if err := r.graph.Apply(d); errors.Is(err, adjacency.ErrMemory) {
			return changes, err
		} else if err != nil {
			return changes, fmt.Errorf("%w: %w", errApply, err)
		}
	}
	r.mark, r.at = changes.Until, began
	return changes, nil
}

// delta puts changes into the words of package adjacency. Of what happened to one
// concept the last counts.
func delta(changes knowledge.GraphChanges) adjacency.Delta {
	d := adjacency.Delta{Epoch: changes.Until.Epoch}
	last := map[int32]knowledge.GraphChange{}
	for _, c := range changes.Changes {
		switch c.Op {
		case knowledge.OpSetEdge:
			d.Changes = append(d.Changes, adjacency.Change{Op: adjacency.Put, Edge: adjacency.Edge(c.Edge)})
		case knowledge.OpRemoveEdge:
			d.Changes = append(d.Changes, adjacency.Change{Op: adjacency.Delete, Edge: adjacency.Edge(c.Edge)})
		case knowledge.OpAddConcept, knowledge.OpRemoveConcept:
			last[c.Concept.Number] = c
		}
	}
	for number, c := range last {
		if c.Op == knowledge.OpAddConcept {
			d.New = append(d.New, adjacency.Concept(c.Concept))
		} else {
			d.Gone = append(d.Gone, number)
		}
	}
	return d
}

// newTypes returns every relationship type when a change has one that is not known.
func (f *Follower) newTypes(ctx context.Context, v *adjacency.View, changes []adjacency.Change) ([]adjacency.Type, error) {
	if !slices.ContainsFunc(changes, func(c adjacency.Change) bool { return v.TypeName(c.Edge.Type) == "" }) {
		return nil, nil
	}
	types, err := f.cfg.Store.GraphTypes(ctx)
	list := make([]adjacency.Type, len(types))
	for i, t := range types {
		list[i] = adjacency.Type(t)
	}
	return list, err
}
