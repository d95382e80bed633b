package models

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http"
)

// chooser changes which models are used, on every server.
type chooser interface {
	InUse() models.InUse
	Choose(ctx context.Context, c models.Choice) (models.Chosen, error)
	Reset(ctx context.Context, slot models.Slot, reembed bool) (jobID string, err error)
	Try(ctx context.Context, t models.Trial) (models.ProviderCheck, error)
	// Load reads the settings anew.
	Load(ctx context.Context) error
}

// limiter changes how providers are reached, limited and priced, on every server.
type limiter interface {
	SetProvider(ctx context.Context, provider string, c models.ProviderChange) (models.ProviderInUse, error)
	SetMaxCalls(ctx context.Context, most *int) (models.InUse, error)
	SetPrice(ctx context.Context, p models.Price) error
	DeletePrice(ctx context.Context, provider, model string) error
}

type slotInput struct {
	Slot string `path:"slot" doc:"extraction, embedding or vision"`
	Body struct {
		_         struct{} `additionalProperties:"false"`
		Provider  string   `json:"provider"`
		Model     *string  `json:"model,omitempty" doc:"Left out: the provider's own"`
		MaxTokens *int     `json:"max_tokens,omitempty" doc:"Of an answer of the model that reads"`
		Reembed   *bool    `json:"reembed,omitempty" default:"false" doc:"Have the graph embedded anew if it is with another model"`
	}
}

type resetInput struct {
	Slot    string    `path:"slot" doc:"extraction, embedding or vision"`
	Reembed http.Flag `query:"reembed" doc:"Have the graph embedded anew if it is with another model"`
}

type tryInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		models.Trial

		Key *string `json:"api_key,omitempty" doc:"Left out: the one that the server has, which is sent to no other address"`
	}
}

type providerInput struct {
	Provider string `path:"provider" doc:"The name of a provider, as openai"`
	Body     struct {
		_ struct{} `additionalProperties:"false"`
		models.ProviderChange
	}
}

type limitsInput struct {
	Body struct {
		_        struct{} `additionalProperties:"false"`
		MaxCalls *int     `json:"max_calls,omitempty" doc:"Left out: as the servers begin"`
	}
}

type priceInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		models.Price
	}
}

type noPriceInput struct {
	Provider string `query:"provider" doc:"The name of a provider, as openai"`
	Model    string `query:"model" doc:"The name of a model, as its provider has it"`
}

func (a *API) registerSettings(r *http.Router) {
	read, write := access.ExtractionConfigRead, access.ExtractionConfigWrite
	http.Register(r, http.Route{Method: "GET", Path: "/admin/models", Permission: read, ID: "models.show", Summary: "Show which models are used, how their providers are reached, and what the environment fixes"},
		func(context.Context, *struct{}) (models.InUse, error) { return a.cfg.Chooser.InUse(), nil })
	http.Register(r, http.Route{Method: "PUT", Path: "/admin/models/slots/{slot}", Permission: write, ID: "models.set", AnswerWithin: triedWithin, Summary: "Try a model and use it on every server, for reading, embedding or describing images"}, a.setSlot)
	http.Register(r, http.Route{Method: "DELETE", Path: "/admin/models/slots/{slot}", Permission: write, ID: "models.reset", Summary: "Use what the environment of the servers says, or the default"}, a.resetSlot)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/models/try", Permission: write, ID: "models.try", AnswerWithin: triedWithin, Summary: "Make one call of a model that need not be in use, and change nothing"},
		func(ctx context.Context, in *tryInput) (models.ProviderCheck, error) {
			t := in.Body.Trial
			t.Key = in.Body.Key
			return a.cfg.Chooser.Try(ctx, t)
		})
	http.Register(r, http.Route{Method: "PUT", Path: "/admin/models/providers/{provider}", Permission: write, ID: "models.set-provider", AnswerWithin: triedWithin, Summary: "Change how a provider is reached and limited, on every server; what is left out stays"},
		func(ctx context.Context, in *providerInput) (models.ProviderInUse, error) {
			return a.cfg.Limiter.SetProvider(ctx, in.Provider, in.Body.ProviderChange)
		})
	http.Register(r, http.Route{Method: "PUT", Path: "/admin/models/limits", Permission: write, ID: "models.set-limits", Summary: "Set how many calls to all providers run at once"},
		func(ctx context.Context, in *limitsInput) (models.InUse, error) {
			return a.cfg.Limiter.SetMaxCalls(ctx, in.Body.MaxCalls)
		})
	http.Register(r, http.Route{Method: "PUT", Path: "/admin/models/prices", Permission: write, ID: "models.set-price", Summary: "Set what a model costs, on every server"},
		func(ctx context.Context, in *priceInput) (models.Price, error) {
			return in.Body.Price, a.cfg.Limiter.SetPrice(ctx, in.Body.Price)
		})
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/admin/models/prices", Permission: write, ID: "models.delete-price", Summary: "Have a model cost what it did before a price was set"},
		func(ctx context.Context, in *noPriceInput) error {
			return a.cfg.Limiter.DeletePrice(ctx, in.Provider, in.Model)
		})
}

func (a *API) setSlot(ctx context.Context, in *slotInput) (api.ModelSet, error) {
	slot := models.Slot(in.Slot)
	if err := permitSlot(ctx, slot); err != nil {
		return api.ModelSet{}, err
	}
	c := models.Choice{Profile: models.Profile{Slot: slot, Provider: in.Body.Provider, Active: true}, Reembed: *in.Body.Reembed}
	if in.Body.Model != nil {
		c.Model = *in.Body.Model
	}
	if in.Body.MaxTokens != nil {
		c.MaxTokens = *in.Body.MaxTokens
	}
	chosen, err := a.cfg.Chooser.Choose(ctx, c)
	return api.ModelSet{Slot: slot, Previous: chosen.Previous, JobID: chosen.JobID, SlotInUse: a.cfg.Chooser.InUse().Slots[slot]}, err
}

func (a *API) resetSlot(ctx context.Context, in *resetInput) (api.ModelSet, error) {
	slot := models.Slot(in.Slot)
	if err := permitSlot(ctx, slot); err != nil {
		return api.ModelSet{}, err
	}
	before, known := a.cfg.Chooser.InUse().Slots[slot]
	if !known {
		return api.ModelSet{}, kappa.NewError(kappa.CodeNotFound, "A model is set for extraction, embedding or vision")
	}
	jobID, err := a.cfg.Chooser.Reset(ctx, slot, in.Reembed.On())
	return api.ModelSet{Slot: slot, Previous: before.ConfigID, JobID: jobID, SlotInUse: a.cfg.Chooser.InUse().Slots[slot]}, err
}

// permitSlot returns an error for who may not choose the model of a slot: the one that
// embeds has a permission of its own.
func permitSlot(ctx context.Context, slot models.Slot) error {
	if slot == models.SlotEmbedding {
		return http.PrincipalOf(ctx).Permit(access.EmbeddingConfigWrite)
	}
	return nil
}
