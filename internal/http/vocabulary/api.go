// Package vocabulary is the part of the HTTP API that shows the relationship types,
// how large their vocabulary is, and what was measured of them.
package vocabulary

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// Config is what an API needs. Every field is required.
type Config struct {
	Vocabulary vocabularyService
	Words      comparer
	Merges     merges
	Reviews    reviews
	Settings   settings
	Profiles   profiles
	Additions  additions
	Jobs       submitter
	Ends       awaiter
}

// vocabulary knows the relationship types. An unknown one is CodeNotFound.
type vocabularyService interface {
	Status(ctx context.Context) (vocabulary.Status, error)
	// Model is the name of the model whose embeddings of types are compared.
	Model() string
	Types(ctx context.Context) ([]vocabulary.Type, error)
	// Statuses returns the types of a status, all for "", and when they were
	// measured: nil when they never were.
	Statuses(ctx context.Context, status string) ([]vocabulary.TypeEpistemic, *vocabulary.Measurement, error)
	StatusOf(ctx context.Context, name string) (vocabulary.TypeEpistemic, *vocabulary.Measurement, error)
	Measure(ctx context.Context, sampleSize int, store bool) (vocabulary.Measured, error)
}

// API shows the vocabulary.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes of the vocabulary.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "GET", Path: "/vocabulary/status", Permission: access.VocabularyRead, ID: "vocabulary.status", Summary: "How large the vocabulary is, and whether it should be merged"},
		func(ctx context.Context, _ *struct{}) (vocabulary.Status, error) {
			return a.cfg.Vocabulary.Status(ctx)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/vocabulary/types", Permission: access.VocabularyRead, ID: "vocabulary.types", Summary: "List the relationship types"}, a.types)
	http.Register(r, http.Route{Method: "GET", Path: "/vocabulary/epistemic-status", Permission: access.VocabularyRead, ID: "vocabulary.statuses", Summary: "List the epistemic status of the relationship types"}, a.statuses)
	http.Register(r, http.Route{Method: "GET", Path: "/vocabulary/epistemic-status/{type}", Permission: access.VocabularyRead, ID: "vocabulary.status-of", Summary: "Show the epistemic status of a relationship type"}, a.statusOf)
	http.Register(r, http.Route{Method: "POST", Path: "/vocabulary/epistemic-status/measure", Permission: access.VocabularyWrite, ID: "vocabulary.measure", Summary: "Measure the epistemic status of the relationship types now"}, a.measure)
	a.registerCurating(r)
	return http.CheckConfig("http/vocabulary", a.cfg)
}

type typesInput struct {
	IncludeInactive http.Flag `query:"include_inactive" doc:"Also types that were merged into others; default: false"`
	IncludeBuiltin  http.Flag `query:"include_builtin" doc:"Also those that every installation knows; default: true"`
}

func (a *API) types(ctx context.Context, in *typesInput) (api.TypeList, error) {
	all, err := a.cfg.Vocabulary.Types(ctx)
	list := api.TypeList{Types: []vocabulary.Type{}}
	for _, t := range all {
		if !t.Active && !in.IncludeInactive.Unless(false) {
			continue
		}
		list.Total++
		if t.Active {
			list.Active++
		}
		if t.Builtin {
			list.Builtin++
		} else {
			list.Custom++
		}
		if !t.Builtin || in.IncludeBuiltin.Unless(true) {
			list.Types = append(list.Types, t)
		}
	}
	return list, err
}

type statusesInput struct {
	Status string `query:"status_filter" doc:"Only types of this status"`
}

func asMeasuredAt(m *vocabulary.Measurement) api.MeasuredAt {
	if m == nil {
		return api.MeasuredAt{}
	}
	return api.MeasuredAt{Last: &m.At, Changes: &m.Changes, Epoch: &m.Epoch}
}

func (a *API) statuses(ctx context.Context, in *statusesInput) (api.EpistemicStatuses, error) {
	status := strings.ToUpper(strings.TrimSpace(in.Status))
	if status != "" {
		if err := knowledge.CheckEpistemicStatus("query", "status_filter", status); err != nil {
			return api.EpistemicStatuses{}, err
		}
	}
	list, m, err := a.cfg.Vocabulary.Statuses(ctx, status)
	return api.EpistemicStatuses{Total: len(list), Types: list, MeasuredAt: asMeasuredAt(m)}, err
}

type statusOfInput struct {
	Type string `path:"type" doc:"A relationship type"`
}

type oneStatus struct {
	vocabulary.TypeEpistemic
	Changes *int `json:"vocabulary_changes_since_measurement" doc:"How many types were added since"`
}

func (a *API) statusOf(ctx context.Context, in *statusOfInput) (oneStatus, error) {
	if !http.Storable(in.Type) {
		return oneStatus{}, kappa.NewError(kappa.CodeNotFound, "Relationship type '"+http.Printable(in.Type)+"' not found")
	}
	t, m, err := a.cfg.Vocabulary.StatusOf(ctx, in.Type)
	return oneStatus{TypeEpistemic: t, Changes: asMeasuredAt(m).Changes}, err
}
