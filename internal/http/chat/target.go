package chat

import (
	"context"
	"encoding/json"
	"fmt"
	nethttp "net/http"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/check"
	"github.com/kappagraph/kappa/internal/http"
)

// all is the model that stands for all documents, unless an ontology has that name.
const all = "kappa"

// passages, after the name of a model, has no model of a provider called for an answer.
const passages = ":passages"

// target is what a conversation is answered from.
type target struct {
	ontologies []string // none: all
	free       bool     // no model of a provider may be called
}

// names returns the ontologies that the caller may read, by name, and whether they are known: a
// role may read documents and not the list of ontologies.
func (a *API) names(ctx context.Context) (names []string, known bool, err error) {
	data, err := a.ask(ctx, nethttp.MethodGet, "/ontology/", nil)
	if kappa.ErrorCode(err) == kappa.CodeForbidden {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var list api.OntologyList
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, false, fmt.Errorf("read the list of ontologies: %w", err)
	}
	for _, o := range list.Ontologies {
		names = append(names, o.Name)
	}
	slices.Sort(names)
	return names, true, nil
}

// models are the names that a client may choose among.
func (a *API) models(ctx context.Context) ([]string, error) {
	names, _, err := a.names(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, all) {
		names = append([]string{all}, names...)
	}
	if !a.mayCall(ctx) {
		return names, nil
	}
	for _, n := range slices.Clone(names) {
		names = append(names, n+passages)
	}
	return names, nil
}

// mayCall reports whether a model of a provider answers the caller: there is one, and the caller
// may have it paid for.
func (a *API) mayCall(ctx context.Context) bool {
	return a.cfg.Model().Answer != nil && http.PrincipalOf(ctx).Permit(access.IngestCreate) == nil
}

// target returns what a model stands for. An unknown one is CodeNotFound.
func (a *API) target(ctx context.Context, model string) (target, error) {
	if model == "" {
		return target{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "model", Rule: "must be an ontology, or " + all + " for all documents"})
	}
	names, known, err := a.names(ctx)
	if err != nil {
		return target{}, err
	}
	base, free := strings.CutSuffix(model, passages)
	base = strings.TrimSuffix(base, ":latest") // as clients of Ollama add it
	t := target{free: free || !a.mayCall(ctx)}
	switch {
	case slices.Contains(names, model):
		t.ontologies, t.free = []string{model}, !a.mayCall(ctx)
	case slices.Contains(names, base):
		t.ontologies = []string{base}
	case base == all:
	case !known:
		t.ontologies = []string{base} // the question says whether it may be read
	default:
		return target{}, kappa.NewError(kappa.CodeNotFound, "There is no model "+check.Quote(model)+": a model is the name of an ontology, or "+all+" for all documents")
	}
	return t, nil
}
