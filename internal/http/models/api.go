// Package models is the part of the HTTP API that shows and sets which models read, embed and
// describe images, how their providers are reached, and their keys. Some of its routes and
// members are those of the client of the service before; see docs/moving-over.md.
package models

import (
	"context"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// providers are the models of this server, and the APIs behind them.
type providers interface {
	// Status returns how every provider is, for all processes together.
	Status(ctx context.Context) ([]models.ProviderStatus, error)
	// Check makes a small real call of every model that is used.
	Check(ctx context.Context) []models.ProviderCheck
	Extraction() models.ExtractionConfig
	// MaxCalls returns how many calls to all providers together run at once.
	MaxCalls() int
	// Embedding returns what embeds, and what the graph was embedded with.
	Embedding(ctx context.Context) (models.EmbeddingConfig, error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	Providers providers
	Chooser   chooser
	Profiles  profiles
	Limiter   limiter
	Keys      keys
	Jobs      submitter
	Ends      awaiter
	// Coverage counts what is embedded with the model that embeds.
	Coverage func(ctx context.Context, ontology string) (models.EmbeddingCoverage, error)
	// Spent returns what jobs have used of each model that have called one within a time.
	Spent func(ctx context.Context, within time.Duration) ([]work.ModelUsage, error)
	// SlotProviders are those that can be chosen for a slot, and DefaultModel the models that
	// they use unless another one is named.
	SlotProviders func(slot models.Slot) []string
	DefaultModel  func(slot models.Slot, provider string) string
}

// triedWithin is how long the answer of a route may take that tries models.
const triedWithin = 3 * time.Minute

// API shows models and their providers, and changes them.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/providers", Permission: access.AdminStatus, ID: "providers.list", Summary: "Show the providers of models, and the calls to them in all processes"}, a.list)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/providers/check", Permission: access.WorkersManage, ID: "providers.check", Summary: "Make a small real call of every model that is used"}, a.check)
	http.Register(r, http.Route{Method: "GET", Path: "/extraction/config", Permission: access.GraphRead, ID: "extraction.config", Summary: "Show what reads documents"},
		func(context.Context, *struct{}) (models.ExtractionConfig, error) {
			return a.cfg.Providers.Extraction(), nil
		})
	http.Register(r, http.Route{Method: "GET", Path: "/embedding/config", Permission: access.GraphRead, ID: "embedding.config", Summary: "Show what embeds concepts, and with what the graph was embedded"},
		func(ctx context.Context, _ *struct{}) (models.EmbeddingConfig, error) {
			return a.cfg.Providers.Embedding(ctx)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/admin/models/spending", Permission: access.AdminStatus, ID: "providers.spending", Summary: "Show what models have cost"}, a.spending)
	a.registerSettings(r)
	a.registerExtraction(r)
	a.registerEmbedding(r)
	a.registerVision(r)
	a.registerKeys(r)
	return http.CheckConfig("http/models", a.cfg)
}

type spendingInput struct {
	Days int `query:"days" default:"30" doc:"Of jobs that have called a model in the last so many days, 1 to 365"`
}

const day = 24 * time.Hour

// spending sums up what jobs have spent, as long as they are kept.
func (a *API) spending(ctx context.Context, in *spendingInput) (api.ModelSpending, error) {
	if in.Days < 1 || in.Days > 365 {
		return api.ModelSpending{}, kappa.Invalid(kappa.FieldError{In: "query", Name: "days", Rule: "must be from 1 to 365"})
	}
	usage, err := a.cfg.Spent(ctx, time.Duration(in.Days)*day)
	out := api.ModelSpending{Days: in.Days, Usage: usage}
	for _, u := range usage {
		out.USD += u.USD
	}
	return out, err
}

func (a *API) list(ctx context.Context, _ *struct{}) (api.ProviderList, error) {
	list, err := a.cfg.Providers.Status(ctx)
	out := api.ProviderList{Providers: list, MaxCalls: a.cfg.Providers.MaxCalls()}
	for _, p := range list {
		out.InFlight += p.InFlight
		out.Waiting += p.Waiting
	}
	if out.Providers == nil {
		out.Providers = []models.ProviderStatus{}
	}
	return out, err
}

func (a *API) check(ctx context.Context, _ *struct{}) (api.ProviderChecks, error) {
	out := api.ProviderChecks{OK: true, Checks: a.cfg.Providers.Check(ctx)}
	for _, c := range out.Checks {
		out.OK = out.OK && c.OK
	}
	if out.Checks == nil {
		out.Checks = []models.ProviderCheck{}
	}
	return out, nil
}
