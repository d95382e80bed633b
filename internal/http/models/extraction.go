package models

import (
	"cmp"
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http"
)

// extractionDetail is what reads documents, as the client of the service before reads it.
type extractionDetail struct {
	ID        int               `json:"id" doc:"0: the environment of the server or a default says"`
	Provider  string            `json:"provider"`
	Model     string            `json:"model_name"`
	Vision    bool              `json:"supports_vision"`
	JSONMode  bool              `json:"supports_json_mode"`
	MaxTokens int               `json:"max_tokens"`
	BaseURL   string            `json:"base_url,omitempty"`
	Calls     int               `json:"max_concurrent_requests,omitempty"`
	Active    bool              `json:"active"`
	CreatedAt *kappa.Time       `json:"created_at"`
	UpdatedAt *kappa.Time       `json:"updated_at"`
	UpdatedBy string            `json:"updated_by"`
	Fixed     map[string]string `json:"fixed" doc:"Members that the environment of this server sets, with the setting"`
}

type extractionInput struct {
	Body struct {
		_         struct{} `additionalProperties:"false"`
		Provider  *string  `json:"provider,omitempty"`
		Model     *string  `json:"model_name,omitempty"`
		Vision    *bool    `json:"supports_vision,omitempty" doc:"Only true: who describes images is set at /admin/vision/config"`
		JSONMode  *bool    `json:"supports_json_mode,omitempty" doc:"Only true: every model is asked for JSON in the way that it knows"`
		MaxTokens *int     `json:"max_tokens,omitempty"`
		BaseURL   *string  `json:"base_url,omitempty" doc:"Where the provider is reached"`
		Calls     *int     `json:"max_concurrent_requests,omitempty"`
		UpdatedBy *string  `json:"updated_by,omitempty" doc:"Not heeded: it is whoever asks"`
	}
}

type modelStoredAnswer struct {
	Success  bool   `json:"success"`
	Message  string `json:"message"`
	ConfigID int    `json:"config_id"`
	Reload   bool   `json:"reload_required" doc:"Always false: every server uses it at once"`
	JobID    string `json:"job_id,omitempty" doc:"That embeds the graph anew"`
}

func (a *API) registerExtraction(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/admin/extraction/config", Permission: access.ExtractionConfigRead, ID: "extraction.detail", Summary: "Show what reads documents, in full"}, a.extraction)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/extraction/config", Permission: access.ExtractionConfigWrite, ID: "extraction.set", AnswerWithin: triedWithin, Summary: "Try a model and have it read documents, on every server"}, a.setExtraction)
	http.Register(r, http.Route{Method: "PUT", Path: "/admin/extraction/config", Permission: access.ExtractionConfigWrite, ID: "extraction.put", AnswerWithin: triedWithin, Summary: "The same as POST"}, a.setExtraction)
}

func (a *API) extraction(ctx context.Context, _ *struct{}) (extractionDetail, error) {
	is, slot := a.cfg.Providers.Extraction(), a.cfg.Chooser.InUse().Slots[models.SlotExtraction]
	d := extractionDetail{
		ID: slot.ConfigID, Provider: is.Provider, Model: is.Model, Vision: is.Vision, JSONMode: is.JSONMode, MaxTokens: is.MaxTokens,
		BaseURL: is.BaseURL, Calls: is.MaxCalls, Active: true, Fixed: slot.Fixed,
	}
	if slot.ConfigID == 0 {
		return d, nil
	}
	p, err := a.cfg.Profiles.Profile(ctx, models.SlotExtraction, slot.ConfigID)
	d.CreatedAt, d.UpdatedAt, d.UpdatedBy = &p.CreatedAt, &p.UpdatedAt, p.UpdatedBy
	return d, err
}

func (a *API) setExtraction(ctx context.Context, in *extractionInput) (modelStoredAnswer, error) {
	b := in.Body
	for name, may := range map[string]*bool{"supports_vision": b.Vision, "supports_json_mode": b.JSONMode} {
		if may != nil && !*may {
			return modelStoredAnswer{}, kappa.Invalid(kappa.FieldError{In: "body", Name: name, Rule: "must be true or left out: it is found out by itself, and cannot be switched off here; see /admin/vision/config for images"})
		}
	}
	c := models.Choice{Profile: models.Profile{Slot: models.SlotExtraction, Active: true}, URL: b.BaseURL, Calls: b.Calls}
	if b.Provider != nil {
		c.Provider = *b.Provider
	}
	if b.Model != nil {
		c.Model = *b.Model
	}
	if b.MaxTokens != nil {
		c.MaxTokens = *b.MaxTokens
	}
	chosen, err := a.cfg.Chooser.Choose(ctx, c)
	is := a.cfg.Chooser.InUse().Slots[models.SlotExtraction]
	return modelStoredAnswer{Success: err == nil, Message: fmt.Sprintf("Documents are read by %s on every server", modelOf(is)), ConfigID: chosen.Profile.ID}, err
}

// modelOf names the model of a slot.
func modelOf(is models.SlotInUse) string {
	if is.Model == "" {
		return cmp.Or(is.Provider, "nobody")
	}
	return is.Provider + "/" + is.Model
}
