package library

import (
	"context"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// placesOf is how many questions are answered at once for each processor: while one waits for
// the database another one is found. More would hold connections without getting on.
const placesOf = 4

// take waits for a place, no longer than ctx.
func (a *Asker) take(ctx context.Context, x *asked) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case a.places <- struct{}{}:
		x.placed = true
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave gives up the place of a question that holds one.
func (a *Asker) leave(x *asked) {
	if x.placed {
		<-a.places
		x.placed = false
	}
}

// aside does what may wait for a model, and leaves the place to others meanwhile.
func (a *Asker) aside(ctx context.Context, x *asked, do func()) error {
	a.leave(x)
	do()
	return a.take(ctx, x)
}

// asksModels reports whether a model is asked for a question, which is then answered from the
// index as it is, and not a second time when that turns out to be old.
func (a *Asker) asksModels(q *questions.Question) bool {
	return a.meaning != nil && a.meaning.Compares() || a.reranker.Order != nil && !q.Plain
}
