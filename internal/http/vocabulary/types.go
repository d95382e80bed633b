package vocabulary

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// additions stores relationship types that nobody has read yet.
type additions interface {
	AddType(ctx context.Context, n vocabulary.NewType) error
}

func (a *API) registerTypes(r *http.Router) {
	http.Register(r, http.Route{Method: "POST", Path: "/vocabulary/types", Permission: access.VocabularyWrite, ID: "vocabulary.add-type", Summary: "Add a relationship type", Status: 201, Submits: true}, a.addType)
	http.Register(r, http.Route{Method: "POST", Path: "/vocabulary/sync", Permission: access.VocabularyWrite, ID: "vocabulary.sync", Summary: "Say which types relationships have that the vocabulary lacks: none ever"}, a.sync)
}

type newTypeInput struct{ Body newTypeRequest }

type newTypeRequest struct {
	Name        string  `json:"relationship_type" doc:"Capital letters, digits and _, at most 100; other letters are made capital"`
	Category    string  `json:"category,omitempty" doc:"A word in lower case; without one it is computed"`
	Description *string `json:"description,omitempty" doc:"What it means, at most 500 characters: it is compared by it"`
	Builtin     *bool   `json:"is_builtin,omitempty" doc:"Only false: the built-in types are the same in every installation"`
}

func (a *API) addType(ctx context.Context, in *newTypeInput) (vocabulary.Type, error) {
	n := vocabulary.NewType{
		Name: strings.ToUpper(in.Body.Name), Category: in.Body.Category, Description: in.Body.Description, By: http.PrincipalOf(ctx).User.Username,
	}
	if err := n.Validate(); err != nil {
		return vocabulary.Type{}, err
	}
	if in.Body.Builtin != nil && *in.Body.Builtin {
		return vocabulary.Type{}, kappa.Invalid(kappa.FieldError{In: "body", Name: "is_builtin", Rule: "must be false: the built-in types are the same in every installation"})
	}
	if err := a.cfg.Additions.AddType(ctx, n); err != nil {
		return vocabulary.Type{}, err
	}
	types, err := a.cfg.Vocabulary.Types(ctx)
	for _, t := range types {
		if t.Name == n.Name {
			return t, err
		}
	}
	return vocabulary.Type{}, err
}

type syncInput struct{ Body syncTypesRequest }

type syncTypesRequest struct {
	DryRun *bool `json:"dry_run,omitempty" default:"true"`
}

type failedType struct {
	Type  string `json:"type"`
	Error string `json:"error"`
}

type syncTypesReport struct {
	Success bool         `json:"success"`
	DryRun  bool         `json:"dry_run"`
	InGraph int          `json:"total_graph_types" doc:"How many types relationships have"`
	Known   int          `json:"total_vocab_types"`
	Missing []string     `json:"missing" doc:"Always empty: no relationship is stored without its type"`
	System  []string     `json:"system_types" doc:"Always empty"`
	Synced  []string     `json:"synced" doc:"Always empty"`
	Failed  []failedType `json:"failed" doc:"Always empty"`
	Message string       `json:"message"`
}

func (a *API) sync(ctx context.Context, in *syncInput) (syncTypesReport, error) {
	types, err := a.cfg.Vocabulary.Types(ctx)
	report := syncTypesReport{
		Success: true, DryRun: *in.Body.DryRun, Missing: []string{}, System: []string{}, Synced: []string{}, Failed: []failedType{},
		Message: "The vocabulary has every type that a relationship has",
	}
	for _, t := range types {
		if t.Active {
			report.Known++
		}
		if t.EdgeCount != nil && *t.EdgeCount > 0 {
			report.InGraph++
		}
	}
	return report, err
}
