package programs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge/programs"
)

// Asker asks one question as whoever runs the program, and returns the answer of its route.
// body is nil for a question without one.
type Asker func(ctx context.Context, method, path string, body any) (json.RawMessage, error)

// Caller is whoever runs a program.
type Caller struct {
	Ask Asker
	// Within returns the ontology that a question is narrowed to by what the caller may read,
	// "" for none, or CodeForbidden.
	Within func(ontology string) (string, error)
}

// concepts shows what is stored of concepts that a question has named.
type concepts interface {
	NewestConcepts(ctx context.Context, ontology string, most int) ([]programs.NewestConcept, error)
	ConceptsByID(ctx context.Context, ids []string, ontology string) ([]programs.NewestConcept, error)
}

// Runner runs programs.
type Runner struct{ concepts concepts }

// New returns a runner.
func New(c concepts) *Runner { return &Runner{concepts: c} }

// errTime ends a run that takes too long.
var errTime = errors.New("run took too long")

// Run runs the programs of a deck, of which each begins with the graph of the one before. A
// program that ends early ends the chain: the answer says where and why. An error is of a
// caller who may not ask a question, or who has gone.
func (r *Runner) Run(ctx context.Context, deck []programs.Run, caller Caller) (programs.Chain, error) {
	within, cancel := context.WithTimeoutCause(ctx, programs.MaxTime, errTime)
	defer cancel()
	x := &run{concepts: r.concepts, caller: caller}
	chain := programs.Chain{Programs: []programs.Result{}}
	for i, p := range deck {
		result, err := x.program(within, p)
		if ctx.Err() != nil {
			return chain, context.Cause(ctx)
		}
		if err != nil {
			return chain, err
		}
		if result.Aborted == nil && len(deck) > 1 {
			result.Aborted = x.account(x.graph.Bytes(), last(p.Program))
		}
		chain.Programs = append(chain.Programs, result)
		if result.Aborted != nil {
			aborted := *result.Aborted
			aborted.Program = &i
			chain.Aborted = &aborted
			break
		}
	}
	chain.Result = x.graph.Clone()
	return chain, nil
}

// last returns the number of the last statement of a program.
func last(p programs.Program) int { return max(0, len(p.Statements)-1) }

// run is one run of a deck.
type run struct {
	concepts concepts
	caller   Caller

	graph     programs.Graph
	questions int // that were asked
	gathered  int // bytes

	values map[string]any // of the program that runs
	log    []programs.Step
}

// aborted ends a program early.
type aborted struct{ programs.Abort }

// Error returns the reason.
func (a *aborted) Error() string { return a.Reason }

func abort(statement int, format string, args ...any) error {
	return &aborted{programs.Abort{Statement: statement, Reason: fmt.Sprintf(format, args...)}}
}

// program runs one program.
func (x *run) program(ctx context.Context, p programs.Run) (programs.Result, error) {
	x.values, x.log = p.Values, []programs.Step{}
	err := x.statements(ctx, p.Program.Statements)
	result := programs.Result{Log: x.log, Result: x.graph.Clone()}
	if a, ok := errors.AsType[*aborted](err); ok {
		result.Aborted = &a.Abort
		return result, nil
	}
	return result, err
}

func (x *run) statements(ctx context.Context, list []programs.Statement) error {
	for _, s := range list {
		do := x.statement
		if s.Type == programs.Conditional {
			do = x.conditional
		}
		if err := do(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// conditional takes a branch.
func (x *run) conditional(ctx context.Context, s programs.Statement) error {
	branch, list := "then", s.Then
	if !s.Condition.Holds(&x.graph) {
		branch, list = "else", s.Else
	}
	step := x.step(s, 0, 0, time.Now())
	step.Branch = &branch
	x.log = append(x.log, step)
	return x.statements(ctx, list)
}

// statement asks the question of a statement, and joins the answer to the graph.
func (x *run) statement(ctx context.Context, s programs.Statement) error {
	began := time.Now()
	found, err := x.answer(ctx, s)
	if err != nil {
		return x.failed(ctx, s.Index, err)
	}
	if a := x.account(found.Bytes(), s.Index); a != nil {
		return &aborted{*a}
	}
	before := x.graph.Clone()
	nodes, links, ok := x.graph.Apply(s.Op, found)
	switch {
	case !ok:
		return abort(s.Index, "the assertion failed: nothing was found")
	case len(x.graph.Nodes) > programs.MaxNodes:
		x.graph = before
		return abort(s.Index, "the graph would have more than %d concepts; ask for fewer, or take some away first", programs.MaxNodes)
	case len(x.graph.Links) > programs.MaxLinks:
		x.graph = before
		return abort(s.Index, "the graph would have more than %d relationships; ask for fewer, or take some away first", programs.MaxLinks)
	}
	x.log = append(x.log, x.step(s, nodes, links, began))
	return nil
}

// account counts what was gathered, and ends a run that gathers too much.
func (x *run) account(bytes, statement int) *programs.Abort {
	if x.gathered += bytes; x.gathered <= programs.MaxGathered {
		return nil
	}
	return &programs.Abort{Statement: statement, Reason: "the answers of the run have more than " + corpus.HumanSize(programs.MaxGathered)}
}

// failed says why a question has no answer. A caller who may not ask it gets no answer at all.
func (x *run) failed(ctx context.Context, statement int, err error) error {
	if errors.Is(context.Cause(ctx), errTime) {
		return abort(statement, "the program took longer than %d seconds", programs.MaxSeconds)
	}
	if _, ok := errors.AsType[*aborted](err); ok || ctx.Err() != nil {
		return err
	}
	switch kappa.ErrorCode(err) {
	case kappa.CodeForbidden, kappa.CodeUnauthenticated, kappa.CodeInternal:
		return err
	}
	return abort(statement, "%s", kappa.ErrorMessage(err))
}

func (x *run) step(s programs.Statement, nodes, links int, began time.Time) programs.Step {
	step := programs.Step{
		Statement: s.Index, Op: s.Op, Type: s.Type, Nodes: nodes, Links: links,
		Size:       programs.Size{Nodes: len(x.graph.Nodes), Links: len(x.graph.Links)},
		DurationMS: float64(time.Since(began).Microseconds()) / 1000,
	}
	if s.Label != "" {
		step.Label = &s.Label
	}
	return step
}

// question asks one question and reads its answer. What does not exist is an empty answer.
func question[T any](ctx context.Context, x *run, s programs.Statement, method, path string, body any) (T, error) {
	var answer T
	if x.questions++; x.questions > programs.MaxQuestions {
		return answer, abort(s.Index, "the run would ask more than %d questions", programs.MaxQuestions)
	}
	text, err := x.caller.Ask(ctx, method, path, body)
	switch {
	case kappa.ErrorCode(err) == kappa.CodeNotFound:
		return answer, nil
	case err != nil:
		return answer, err
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return answer, fmt.Errorf("read the answer of %s: %w", path, err)
	}
	return answer, nil
}

// shown adds the concepts of these ids to found, in that order: those that the caller may read
// within an ontology.
func (x *run) shown(ctx context.Context, found programs.Graph, ids []string, ontology string) (programs.Graph, error) {
	within, err := x.caller.Within(ontology)
	if err != nil {
		return found, err
	}
	stored, err := x.concepts.ConceptsByID(ctx, ids, within)
	if err != nil {
		return found, err
	}
	byID := map[string]programs.NewestConcept{}
	for _, c := range stored {
		byID[c.ConceptID] = c
	}
	for _, id := range ids {
		if c, ok := byID[id]; ok {
			found.Nodes = append(found.Nodes, c.Node())
			delete(byID, id) // once
		}
	}
	return found, nil
}

// each asks a question about every concept of a list, and joins the answers.
func (x *run) each(ctx context.Context, ids []string, ask func(ctx context.Context, id string) (found answered, err error)) (all answered, err error) {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		found, err := ask(ctx, id)
		if err != nil {
			return all, err
		}
		all.ids, all.links = append(all.ids, found.ids...), append(all.links, found.links...)
		if len(all.links) > 2*programs.MaxLinks || len(all.ids) > 2*programs.MaxLinks {
			return all, kappa.NewError(kappa.CodeTooLarge, "the answers of the statement name too many concepts; ask for fewer")
		}
	}
	return all, nil
}
