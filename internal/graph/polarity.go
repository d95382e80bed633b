package graph

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/questions"
	"github.com/kappagraph/kappa/work"
)

// discoveryShare is the part of the time for an analysis after which the search for
// candidates ends; the rest is for placing what was found.
const discoveryShare = 0.75

// Polarity returns where concepts stand between two opposite ones: the candidates that
// q names, or those that a search around the poles finds. yield, unless nil, is called
// between the steps; its error ends the analysis and is returned.
//
// The analysis ends after q.Timeout at the latest, and without yield, as the question of
// somebody who waits for it, also when any other question would; see knowledge.GraphSettings.
// Up to eight run at once, fewer over few connections, and others wait for their turn. A
// search that has not ended after
// three quarters of its time is ended, in the database too: what it had found is used, and
// the answer says that it is not complete. It may then show the graph as of two moments.
//
// It returns a CodeInvalid Error that names every broken rule, CodeMalformed for poles
// that are unknown, the same, without an embedding, or too similar for an axis, and
// CodeUnavailable when its turn did not come, or not even the poles could be read in time.
func (g *Graph) Polarity(ctx context.Context, q questions.PolarityQuery, yield func(p work.Progress) error) (questions.PolarityResult, error) {
	if err := q.Validate(); err != nil {
		return questions.PolarityResult{}, err
	}
	limit := q.Timeout()
	kept := yield != nil
	if !kept {
		limit = min(limit, g.deadline())
		yield = func(work.Progress) error { return nil }
	}
	whole, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	end, err := g.turn(whole)
	if err != nil && ctx.Err() != nil {
		return questions.PolarityResult{}, ctx.Err()
	}
	if err != nil {
		return questions.PolarityResult{}, err
	}
	defer end()
	a := &analysis{query: q, model: g.embedder.Model().Name, yield: yield, kept: kept}
	err = g.analyse(whole, a)
	switch {
	case err == nil:
		return a.result, nil
	case whole.Err() == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded):
		return questions.PolarityResult{}, err
	}
	g.log.WarnContext(ctx, "question took too long", "question", "polarity", "deadline", limit, "err", err)
	return questions.PolarityResult{}, &kappa.Error{
		Code: kappa.CodeUnavailable, RetryAfter: retryAfter, Err: err,
		Message: fmt.Sprintf("the analysis of the axis took longer than %s; give it more time, which a job may have, or name fewer candidates or hops", limit),
	}
}

// analyse takes the steps of an analysis. When the time for the search is over it
// places what was found.
func (g *Graph) analyse(ctx context.Context, a *analysis) error {
	deadline, _ := ctx.Deadline() // it may have waited for its turn until now
	searching, cancel := context.WithTimeout(ctx, time.Duration(float64(time.Until(deadline))*discoveryShare))
	defer cancel()
	err := g.analyseSince(searching, a)
	if searching.Err() == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	steps := []step{a.late, a.choose, a.place}
	if a.line == nil {
		steps = append([]step{a.begin}, steps...)
	}
	return g.askIn(ctx, a.query.Ontology, func(ctx context.Context, v view) error { return a.run(ctx, v, steps...) })
}

// analyseSince takes the steps of an analysis. What a job keeps is judged by the epoch of
// what it was made from, so that a job reads nothing that is older than the job: memory may
// know the concepts of a document that was just ingested, and not yet that it was.
func (g *Graph) analyseSince(ctx context.Context, a *analysis) error {
	var least *int64
	if a.kept {
		least = new(int64)
		err := g.ask(ctx, func(ctx context.Context, v view) (err error) {
			*least, err = v.GraphEpoch(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return g.askSince(ctx, least, func(ctx context.Context, v view) error {
		v, err := v.in(ctx, a.query.Ontology)
		if err != nil {
			return err
		}
		return a.run(ctx, v, a.begin, a.discover, a.choose, a.place)
	})
}
