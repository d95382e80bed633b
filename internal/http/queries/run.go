package queries

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/programs"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// runWithin is as long as the longest question, an analysis of polarity, takes at most.
const runWithin = questions.MaxPolaritySeconds*time.Second + 20*time.Second

type runInput struct {
	ID   string `path:"id" doc:"The number of a saved query"`
	Body runRequest
}

type runRequest struct {
	_          struct{}                   `additionalProperties:"false"`
	Parameters map[string]json.RawMessage `json:"parameters,omitempty" doc:"The values of its parameters, by name"`
}

type runByNameInput struct{ Body runByNameRequest }

type runByNameRequest struct {
	_          struct{}                   `additionalProperties:"false"`
	Name       string                     `json:"name" doc:"One's own query of this name comes first"`
	Parameters map[string]json.RawMessage `json:"parameters,omitempty" doc:"The values of its parameters, by name"`
}

func (a *API) run(ctx context.Context, in *runInput) (api.SavedQueryAnswer, error) {
	q, err := a.permitted(ctx, access.QueriesRead, in.ID)
	if err != nil {
		return api.SavedQueryAnswer{}, err
	}
	return a.answer(ctx, q, in.Body.Parameters)
}

func (a *API) runByName(ctx context.Context, in *runByNameInput) (api.SavedQueryAnswer, error) {
	q, err := a.named(ctx, in.Body.Name)
	if err != nil {
		return api.SavedQueryAnswer{}, err
	}
	return a.answer(ctx, q, in.Body.Parameters)
}

// answer asks a query.
func (a *API) answer(ctx context.Context, q programs.SavedQuery, values map[string]json.RawMessage) (api.SavedQueryAnswer, error) {
	out := api.SavedQueryAnswer{ID: q.ID, Name: q.Name, Type: q.Type, Request: json.RawMessage("null")}
	if q.Type == programs.QueryProgram {
		p, err := programRun(q.Definition, values)
		if err != nil {
			return out, err
		}
		chain, err := a.runDeck(ctx, []programs.Run{p})
		if err == nil {
			out.Answer = http.EncodeJSON(chain.Programs[0])
		}
		return out, err
	}
	request, err := q.Bind(values)
	if err != nil {
		return out, err
	}
	out.Request = request
	out.Answer, err = a.routes.Ask(ctx, "POST", routeOf(q.Type, q.Definition), request)
	return out, err
}

// named returns the query of a name that the caller means: one's own, or the only one that
// was shared.
func (a *API) named(ctx context.Context, name string) (programs.SavedQuery, error) {
	if name == "" {
		return programs.SavedQuery{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "name", Rule: "must not be empty"})
	}
	const shown = 20
	me := http.PrincipalOf(ctx).User.ID
	own, _, err := a.visible(ctx, programs.SavedQueryFilter{Name: name, OwnerID: &me, Limit: 1})
	if err != nil || len(own) == 1 {
		return first(own), err
	}
	found, _, err := a.visible(ctx, programs.SavedQueryFilter{Name: name, Limit: shown})
	switch {
	case err != nil:
		return programs.SavedQuery{}, err
	case len(found) == 0:
		return programs.SavedQuery{}, kappa.NewError(kappa.CodeNotFound, "Saved query not found: "+http.Printable(name))
	case len(found) > 1:
		ids := make([]string, len(found))
		for i, q := range found {
			ids[i] = strconv.Itoa(q.ID)
		}
		slices.Reverse(ids)
		return programs.SavedQuery{}, kappa.NewError(kappa.CodeConflict, fmt.Sprintf("%d saved queries are called %s: run one by its number, %s", len(found), http.Printable(name), strings.Join(ids, ", ")))
	}
	return found[0], nil
}

func first(list []programs.SavedQuery) (q programs.SavedQuery) {
	if len(list) > 0 {
		q = list[0]
	}
	return q
}
