package models

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

// chooser changes which models are used, on every server.
type chooser interface {
	InUse() kappa.ModelsInUse
	Choose(ctx context.Context, c kappa.ModelChoice) (kappa.ChosenModel, error)
	Reset(ctx context.Context, slot kappa.ModelSlot, reembed bool) (jobID string, err error)
	Try(ctx context.Context, t kappa.ModelTrial) (kappa.ProviderCheck, error)
	// Load reads the settings anew.
	Load(ctx context.Context) error
}

// limiter changes how providers are reached, limited and priced, on every server.
type limiter interface {
	SetProvider(ctx context.Context, provider string, c kappa.ProviderChange) (kappa.ProviderInUse, error)
	SetMaxCalls(ctx context.Context, most *int) (kappa.ModelsInUse, error)
	SetPrice(ctx context.Context, p kappa.ModelPrice) error
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

type modelSlotAnswer struct {
	Slot     kappa.ModelSlot `json:"slot"`
	Previous int             `json:"previous_config_id"`
	JobID    string          `json:"job_id,omitempty" doc:"That embeds the graph anew"`
	kappa.SlotInUse
}

type resetInput struct {
	Slot    string    `path:"slot" doc:"extraction, embedding or vision"`
	Reembed http.Flag `query:"reembed" doc:"Have the graph embedded anew if it is with another model"`
}

type tryInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		kappa.ModelTrial

		Key *string `json:"api_key,omitempty" doc:"Left out: the one that the server has, which is sent to no other address"`
	}
}

type providerInput struct {
	Provider string `path:"provider"`
	Body     struct {
		_ struct{} `additionalProperties:"false"`
		kappa.ProviderChange
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
		kappa.ModelPrice
	}
}

type noPriceInput struct {
	Provider string `query:"provider"`
	Model    string `query:"model"`
}

func (a *API) registerSettings(r *http.Router) {
	read, write := kappa.ExtractionConfigRead, kappa.ExtractionConfigWrite
	http.Register(r, http.Route{Method: "GET", Path: "/admin/models", Permission: read, ID: "models.show", Summary: "Show which models are used, how their providers are reached, and what the environment fixes"},
		func(context.Context, *struct{}) (kappa.ModelsInUse, error) { return a.cfg.Chooser.InUse(), nil })
	http.Register(r, http.Route{Method: "PUT", Path: "/admin/models/slots/{slot}", Permission: write, ID: "models.set", AnswerWithin: triedWithin, Summary: "Try a model and use it on every server, for reading, embedding or describing images"}, a.setSlot)
	http.Register(r, http.Route{Method: "DELETE", Path: "/admin/models/slots/{slot}", Permission: write, ID: "models.reset", Summary: "Use what the environment of the servers says, or the default"}, a.resetSlot)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/models/try", Permission: write, ID: "models.try", AnswerWithin: triedWithin, Summary: "Make one call of a model that need not be in use, and change nothing"},
		func(ctx context.Context, in *tryInput) (kappa.ProviderCheck, error) {
			t := in.Body.ModelTrial
			t.Key = in.Body.Key
			return a.cfg.Chooser.Try(ctx, t)
		})
	http.Register(r, http.Route{Method: "PUT", Path: "/admin/models/providers/{provider}", Permission: write, ID: "models.set-provider", AnswerWithin: triedWithin, Summary: "Change how a provider is reached and limited, on every server; what is left out stays"},
		func(ctx context.Context, in *providerInput) (kappa.ProviderInUse, error) {
			return a.cfg.Limiter.SetProvider(ctx, in.Provider, in.Body.ProviderChange)
		})
	http.Register(r, http.Route{Method: "PUT", Path: "/admin/models/limits", Permission: write, ID: "models.set-limits", Summary: "Set how many calls to all providers run at once"},
		func(ctx context.Context, in *limitsInput) (kappa.ModelsInUse, error) {
			return a.cfg.Limiter.SetMaxCalls(ctx, in.Body.MaxCalls)
		})
	http.Register(r, http.Route{Method: "PUT", Path: "/admin/models/prices", Permission: write, ID: "models.set-price", Summary: "Set what a model costs, on every server"},
		func(ctx context.Context, in *priceInput) (kappa.ModelPrice, error) {
			return in.Body.ModelPrice, a.cfg.Limiter.SetPrice(ctx, in.Body.ModelPrice)
		})
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/admin/models/prices", Permission: write, ID: "models.delete-price", Summary: "Have a model cost what it did before a price was set"},
		func(ctx context.Context, in *noPriceInput) error {
			return a.cfg.Limiter.DeletePrice(ctx, in.Provider, in.Model)
		})
}

func (a *API) setSlot(ctx context.Context, in *slotInput) (modelSlotAnswer, error) {
	slot := kappa.ModelSlot(in.Slot)
	if err := permitSlot(ctx, slot); err != nil {
		return modelSlotAnswer{}, err
	}
	c := kappa.ModelChoice{ModelProfile: kappa.ModelProfile{Slot: slot, Provider: in.Body.Provider, Active: true}, Reembed: *in.Body.Reembed}
	if in.Body.Model != nil {
		c.Model = *in.Body.Model
	}
	if in.Body.MaxTokens != nil {
		c.MaxTokens = *in.Body.MaxTokens
	}
	chosen, err := a.cfg.Chooser.Choose(ctx, c)
	return modelSlotAnswer{Slot: slot, Previous: chosen.Previous, JobID: chosen.JobID, SlotInUse: a.cfg.Chooser.InUse().Slots[slot]}, err
}

func (a *API) resetSlot(ctx context.Context, in *resetInput) (modelSlotAnswer, error) {
	slot := kappa.ModelSlot(in.Slot)
	if err := permitSlot(ctx, slot); err != nil {
		return modelSlotAnswer{}, err
	}
	before, known := a.cfg.Chooser.InUse().Slots[slot]
	if !known {
		return modelSlotAnswer{}, kappa.NewError(kappa.CodeNotFound, "A model is set for extraction, embedding or vision")
	}
	jobID, err := a.cfg.Chooser.Reset(ctx, slot, in.Reembed.On())
	return modelSlotAnswer{Slot: slot, Previous: before.ConfigID, JobID: jobID, SlotInUse: a.cfg.Chooser.InUse().Slots[slot]}, err
}

// permitSlot returns an error for who may not choose the model of a slot: the one that
// embeds has a permission of its own.
func permitSlot(ctx context.Context, slot kappa.ModelSlot) error {
	if slot == kappa.SlotEmbedding {
		return http.PrincipalOf(ctx).Permit(kappa.EmbeddingConfigWrite)
	}
	return nil
}
