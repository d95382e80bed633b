package queries

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/programs"
)

type executeInput struct{ Body executeRequest }

type executeRequest struct {
	api.ProgramChoice
	Deck *[]api.ProgramChoice `json:"deck,omitempty" doc:"In place of one program: up to 10, each with the graph of the one before"`
}

type chainInput struct{ Body chainRequest }

type chainRequest struct {
	_    struct{}            `additionalProperties:"false"`
	Deck []api.ProgramChoice `json:"deck" doc:"1 to 10"`
}

type executeAnswer struct {
	programs.Result
	Programs []programs.Result `json:"programs,omitempty" doc:"Of a deck: what each has built"`
}

func (a *API) executeProgram(ctx context.Context, in *executeInput) (executeAnswer, error) {
	b := in.Body
	if b.Deck != nil {
		if b.ID != nil || len(b.Program) > 0 {
			return executeAnswer{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "deck", Rule: "must not come with program or program_id"})
		}
		chain, err := a.chain(ctx, *b.Deck)
		return executeAnswer{Result: programs.Result{Result: chain.Result, Log: []programs.Step{}, Aborted: chain.Aborted}, Programs: chain.Programs}, err
	}
	run, err := a.chosen(ctx, b.ProgramChoice, "")
	if err != nil {
		return executeAnswer{}, err
	}
	chain, err := a.runDeck(ctx, []programs.Run{run})
	if err != nil {
		return executeAnswer{}, err
	}
	return executeAnswer{Result: chain.Programs[0]}, nil
}

func (a *API) chainPrograms(ctx context.Context, in *chainInput) (programs.Chain, error) {
	return a.chain(ctx, in.Body.Deck)
}

// chain checks all programs of a deck before it runs the first one.
func (a *API) chain(ctx context.Context, choices []api.ProgramChoice) (programs.Chain, error) {
	if len(choices) < 1 || len(choices) > programs.MaxDeck {
		return programs.Chain{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "deck", Rule: fmt.Sprintf("must have 1 to %d programs, got %d", programs.MaxDeck, len(choices))})
	}
	deck := make([]programs.Run, len(choices))
	for i, c := range choices {
		run, err := a.chosen(ctx, c, "deck["+strconv.Itoa(i)+"].")
		if err != nil {
			return programs.Chain{}, err
		}
		deck[i] = run
	}
	return a.runDeck(ctx, deck)
}

// chosen returns the program that c names or holds, which is at a place of the request.
func (a *API) chosen(ctx context.Context, c api.ProgramChoice, at string) (programs.Run, error) {
	has := len(c.Program) > 0 && string(c.Program) != "null"
	switch {
	case has == (c.ID != nil):
		return programs.Run{}, kappa.Invalid(kappa.FieldError{In: "body", Name: at + "program", Rule: "must be given, or program_id, and not both"})
	case !has:
		q, err := a.program(ctx, access.QueriesRead, strconv.Itoa(*c.ID))
		if err != nil {
			return programs.Run{}, err
		}
		c.Program = q.Definition
	}
	run, err := programRun(c.Program, c.Params)
	return run, within(at, err)
}

// programRun reads a program and binds its parameters.
func programRun(text json.RawMessage, values map[string]json.RawMessage) (programs.Run, error) {
	p, report := programs.Read(text)
	if err := report.Err(); err != nil {
		return programs.Run{}, err
	}
	bound, err := programs.BindParameters(p.Parameters, values)
	return programs.Run{Program: p, Values: bound}, err
}

// within says where in the request the fields of an error are.
func within(at string, err error) error {
	e, ok := err.(*kappa.Error) //nolint:errorlint // a wrapped one has other fields
	if !ok || at == "" || e.Code != kappa.CodeInvalid {
		return err
	}
	fields := make([]kappa.FieldError, len(e.Fields))
	for i, f := range e.Fields {
		fields[i] = kappa.FieldError{In: f.In, Name: at + f.Name, Rule: f.Rule}
	}
	return kappa.Invalid(fields...)
}

// runDeck runs programs, when not too many run.
func (a *API) runDeck(ctx context.Context, deck []programs.Run) (programs.Chain, error) {
	select {
	case a.runs <- struct{}{}:
		defer func() { <-a.runs }()
	default:
		return programs.Chain{}, &kappa.Error{Code: kappa.CodeUnavailable, Message: "Too many programs are running; try again in a few seconds", RetryAfter: 2 * time.Second}
	}
	return a.cfg.Run(ctx, deck, a.routes.Ask, func(ontology string) (string, error) {
		return ontology, http.Narrow(ctx, access.GraphRead, &ontology)
	})
}
