package models

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http"
)

// effectiveVision is who describes images.
type effectiveVision struct {
	Provider *string `json:"provider"`
	Model    *string `json:"model"`
	Source   string  `json:"source" doc:"vision_config: it was set; environment: a setting of the server; extraction_default: the provider that reads documents; unresolved: nobody"`
}

type visionDetail struct {
	Config    *models.Profile   `json:"config" doc:"What was set; null: nothing"`
	Effective effectiveVision   `json:"effective"`
	Fixed     map[string]string `json:"fixed"`
}

type visionInput struct {
	Body struct {
		_         struct{} `additionalProperties:"false"`
		Provider  string   `json:"provider" doc:"openai, anthropic, ollama, extractor: the provider that reads documents, or off"`
		Model     *string  `json:"model_name,omitempty"`
		Active    *bool    `json:"active,omitempty" default:"true" doc:"false only stores it"`
		UpdatedBy *string  `json:"updated_by,omitempty" doc:"Not heeded: it is whoever asks"`
	}
}

type visionAnswer struct {
	Status    string          `json:"status"`
	Provider  string          `json:"provider"`
	ConfigID  int             `json:"config_id"`
	Effective effectiveVision `json:"effective"`
}

type visionProvider struct {
	Provider string   `json:"provider"`
	Supports bool     `json:"supports_vision"`
	Models   []string `json:"vision_models" doc:"The model unless another one is named"`
}

type visionProviders struct {
	Providers []visionProvider `json:"providers"`
}

func (a *API) registerVision(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/vision/config", Permission: access.GraphRead, ID: "vision.config", Summary: "Show who describes images"},
		func(context.Context, *struct{}) (effectiveVision, error) { return a.vision(), nil })
	http.Register(r, http.Route{Method: "GET", Path: "/admin/vision/config", Permission: access.ExtractionConfigRead, ID: "vision.detail", Summary: "Show who describes images, and what was set"}, a.visionDetail)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/vision/config", Permission: access.ExtractionConfigWrite, ID: "vision.set", AnswerWithin: triedWithin, Summary: "Try a model and have it describe images, on every server"}, a.setVision)
	http.Register(r, http.Route{Method: "GET", Path: "/admin/vision/providers", Permission: access.ExtractionConfigRead, ID: "vision.providers", Summary: "List who can describe images"},
		func(context.Context, *struct{}) (visionProviders, error) {
			out := visionProviders{Providers: []visionProvider{}}
			for _, name := range a.cfg.SlotProviders(models.SlotVision) {
				if model := a.cfg.DefaultModel(models.SlotVision, name); model != "" {
					out.Providers = append(out.Providers, visionProvider{Provider: name, Supports: true, Models: []string{model}})
				}
			}
			return out, nil
		})
}

func (a *API) vision() effectiveVision {
	in := a.cfg.Chooser.InUse()
	is := in.Slots[models.SlotVision]
	switch {
	case is.Provider == "":
		return effectiveVision{Source: "unresolved"}
	case is.ConfigID != 0:
		return effectiveVision{&is.Provider, &is.Model, "vision_config"}
	case is.Fixed["provider"] != "":
		return effectiveVision{&is.Provider, &is.Model, "environment"}
	}
	return effectiveVision{&is.Provider, &is.Model, "extraction_default"}
}

func (a *API) visionDetail(ctx context.Context, _ *struct{}) (visionDetail, error) {
	slot := a.cfg.Chooser.InUse().Slots[models.SlotVision]
	d := visionDetail{Effective: a.vision(), Fixed: slot.Fixed}
	if slot.ConfigID == 0 {
		return d, nil
	}
	p, err := a.cfg.Profiles.Profile(ctx, models.SlotVision, slot.ConfigID)
	d.Config = &p
	return d, err
}

func (a *API) setVision(ctx context.Context, in *visionInput) (visionAnswer, error) {
	c := models.Choice{Profile: models.Profile{Slot: models.SlotVision, Provider: in.Body.Provider, Active: *in.Body.Active}}
	if in.Body.Model != nil {
		c.Model = *in.Body.Model
	}
	chosen, err := a.cfg.Chooser.Choose(ctx, c)
	return visionAnswer{Status: "success", Provider: in.Body.Provider, ConfigID: chosen.Profile.ID, Effective: a.vision()}, err
}
