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

// profiles keeps the models that were chosen.
type profiles interface {
	Profiles(ctx context.Context, slot models.Slot) ([]models.Profile, error)
	Profile(ctx context.Context, slot models.Slot, id int) (models.Profile, error)
	Activate(ctx context.Context, slot models.Slot, id int, reembed bool) (models.Chosen, error)
	Protect(ctx context.Context, slot models.Slot, id int, deletion, change *bool) (models.Profile, error)
	DeleteProfile(ctx context.Context, slot models.Slot, id int) error
}

const floatPrecision = "float32"

// embeddingProfile is a model that embeds, as the client of the service before reads it.
type embeddingProfile struct {
	ID              int         `json:"id" doc:"0: the environment of the server or a default says"`
	Name            string      `json:"name"`
	Provider        string      `json:"provider"`
	Model           string      `json:"model_name"`
	Dimensions      *int        `json:"embedding_dimensions"`
	VectorSpace     string      `json:"vector_space" doc:"Embeddings of another one cannot be compared with its own"`
	Multimodal      bool        `json:"multimodal"`
	TextProvider    string      `json:"text_provider"`
	TextModel       string      `json:"text_model_name"`
	TextDimensions  *int        `json:"text_dimensions"`
	Precision       string      `json:"text_precision"`
	Loader          string      `json:"text_loader"`
	Active          bool        `json:"active"`
	DeleteProtected bool        `json:"delete_protected"`
	ChangeProtected bool        `json:"change_protected"`
	CreatedAt       *kappa.Time `json:"created_at"`
	UpdatedAt       *kappa.Time `json:"updated_at"`
	UpdatedBy       string      `json:"updated_by"`
}

type newEmbeddingInput struct {
	Body struct {
		_              struct{} `additionalProperties:"false"`
		Name           *string  `json:"name,omitempty"`
		Provider       *string  `json:"provider,omitempty"`
		TextProvider   *string  `json:"text_provider,omitempty" doc:"The same as provider"`
		Model          *string  `json:"model_name,omitempty"`
		TextModel      *string  `json:"text_model_name,omitempty" doc:"The same as model_name"`
		Dimensions     *int     `json:"embedding_dimensions,omitempty" doc:"That its embeddings must have when it is activated"`
		TextDimensions *int     `json:"text_dimensions,omitempty" doc:"The same as embedding_dimensions"`
		VectorSpace    *string  `json:"vector_space,omitempty" doc:"Must be that of the model, if it is given"`
		Precision      *string  `json:"text_precision,omitempty" doc:"float32"`
		Loader         *string  `json:"text_loader,omitempty" doc:"api, or builtin for local"`
		Multimodal     *bool    `json:"multimodal,omitempty" doc:"Only false"`
		Normalized     *bool    `json:"normalize_embeddings,omitempty" doc:"Only true"`
		UpdatedBy      *string  `json:"updated_by,omitempty" doc:"Not heeded: it is whoever asks"`
	}
}

type profileInput struct {
	ID int `path:"id" doc:"The number of a profile"`
}

type activateInput struct {
	ID    int       `path:"id" doc:"The number of a profile"`
	Force http.Flag `query:"force" doc:"Have the graph embedded anew if it is with another model"`
}

type protectInput struct {
	ID     int       `path:"id" doc:"The number of a profile"`
	Delete http.Flag `query:"delete_protected" doc:"Whether the profile cannot be deleted"`
	Change http.Flag `query:"change_protected" doc:"Whether the graph cannot be given another profile"`
}

type exportInput struct {
	ID   int       `path:"id" doc:"The number of a profile"`
	Only http.Flag `query:"profile_only" doc:"Without id and times"`
}

type modelActiveAnswer struct {
	Success    bool   `json:"success"`
	Message    string `json:"message"`
	ConfigID   int    `json:"config_id"`
	Previous   int    `json:"previous_config_id"`
	Provider   string `json:"provider"`
	Model      string `json:"model"`
	Dimensions *int   `json:"dimensions"`
	JobID      string `json:"job_id,omitempty" doc:"That embeds the graph anew"`
}

type modelDoneAnswer struct {
	Success  bool `json:"success"`
	ConfigID int  `json:"config_id"`
}

func (a *API) registerEmbedding(r *http.Router) {
	read, write := access.EmbeddingConfigRead, access.EmbeddingConfigWrite
	http.Register(r, http.Route{Method: "GET", Path: "/admin/embedding/config", Permission: read, ID: "embedding.detail", Summary: "Show the model that embeds, in full"}, a.activeEmbedding)
	http.Register(r, http.Route{Method: "GET", Path: "/admin/embedding/configs", Permission: read, ID: "embedding.list", Summary: "List the models that embed or may"}, a.embeddings)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/embedding/config", Permission: write, ID: "embedding.create", Summary: "Store a model that may embed; activating it tries it"}, a.newEmbedding)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/embedding/config/{id}/activate", Permission: write, ID: "embedding.activate", AnswerWithin: triedWithin, Summary: "Try a stored model and have it embed, on every server"}, a.activate)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/embedding/config/reload", Permission: write, ID: "embedding.reload", Summary: "Read the settings of models anew on this server; the others do so by themselves, as this one does"}, a.reload)
	http.Register(r, http.Route{Method: "POST", Path: "/admin/embedding/config/{id}/protect", Permission: write, ID: "embedding.protect", Summary: "Protect a stored model against being deleted or replaced, or no longer"}, a.protect)
	http.Register(r, http.Route{Method: "DELETE", Path: "/admin/embedding/config/{id}", Permission: write, ID: "embedding.delete", Summary: "Delete a stored model that is neither active nor protected"},
		func(ctx context.Context, in *profileInput) (modelDoneAnswer, error) {
			return modelDoneAnswer{true, in.ID}, a.cfg.Profiles.DeleteProfile(ctx, models.SlotEmbedding, in.ID)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/admin/embedding/export/{id}", Permission: read, ID: "embedding.export", Summary: "Show a stored model in the form that POST takes"}, a.export)
	a.registerCoverage(r)
}

// shownEmbedding is a model as it is shown.
func shownEmbedding(p models.Profile) embeddingProfile {
	e := embeddingProfile{
		ID: p.ID, Name: cmp.Or(p.Name, modelOf(models.SlotInUse{Provider: p.Provider, Model: p.Model})), Provider: p.Provider, Model: p.Model,
		VectorSpace: modelOf(models.SlotInUse{Provider: p.Provider, Model: p.Model}), TextProvider: p.Provider, TextModel: p.Model, Precision: floatPrecision, Loader: loaderOf(p.Provider),
		Active: p.Active, DeleteProtected: p.DeleteProtected, ChangeProtected: p.ChangeProtected, UpdatedBy: p.UpdatedBy,
	}
	if p.Dimensions > 0 {
		e.Dimensions, e.TextDimensions = &p.Dimensions, &p.Dimensions
	}
	if p.ID != 0 {
		e.CreatedAt, e.UpdatedAt = &p.CreatedAt, &p.UpdatedAt
	}
	return e
}

func loaderOf(provider string) string {
	if provider == "local" {
		return "builtin"
	}
	return "api"
}

// begunEmbedding is the model that embeds when none was set.
func (a *API) begunEmbedding(ctx context.Context) (embeddingProfile, error) {
	is := a.cfg.Chooser.InUse().Slots[models.SlotEmbedding]
	config, err := a.cfg.Providers.Embedding(ctx)
	by := "default"
	if is.Fixed["provider"] != "" {
		by = is.Fixed["provider"]
	}
	return shownEmbedding(models.Profile{Provider: is.Provider, Model: cmp.Or(is.Model, config.Model), Dimensions: config.Dimensions, Active: true, UpdatedBy: by}), err
}

func (a *API) activeEmbedding(ctx context.Context, _ *struct{}) (embeddingProfile, error) {
	id := a.cfg.Chooser.InUse().Slots[models.SlotEmbedding].ConfigID
	if id == 0 {
		return a.begunEmbedding(ctx)
	}
	p, err := a.cfg.Profiles.Profile(ctx, models.SlotEmbedding, id)
	return shownEmbedding(p), err
}

func (a *API) embeddings(ctx context.Context, _ *struct{}) ([]embeddingProfile, error) {
	list, err := a.cfg.Profiles.Profiles(ctx, models.SlotEmbedding)
	if err != nil {
		return nil, err
	}
	out := []embeddingProfile{}
	if a.cfg.Chooser.InUse().Slots[models.SlotEmbedding].ConfigID == 0 {
		begun, err := a.begunEmbedding(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, begun)
	}
	for _, p := range list {
		out = append(out, shownEmbedding(p))
	}
	return out, nil
}

func (a *API) newEmbedding(ctx context.Context, in *newEmbeddingInput) (modelStoredAnswer, error) {
	b := in.Body
	p := models.Profile{Slot: models.SlotEmbedding, Provider: either(b.TextProvider, b.Provider), Model: either(b.TextModel, b.Model), Name: either(b.Name), Dimensions: either(b.TextDimensions, b.Dimensions)}
	var wrong []kappa.FieldError
	for _, rule := range []struct {
		broken     bool
		name, rule string
	}{
		{p.Provider == "", "provider", "must be given, or text_provider"},
		{either(b.Multimodal), "multimodal", "must be false: images are described in words, which are embedded as any text"},
		{b.Normalized != nil && !*b.Normalized, "normalize_embeddings", "must be true: embeddings have the length 1"},
		{b.Precision != nil && *b.Precision != floatPrecision, "text_precision", "must be " + floatPrecision},
		{b.Loader != nil && *b.Loader != loaderOf(p.Provider), "text_loader", "must be " + loaderOf(p.Provider)},
		{p.Dimensions < 0 || p.Dimensions > 65536, "embedding_dimensions", "must be from 1 to 65536"},
		{len(p.Name) > 200, "name", "must have at most 200 bytes"},
	} {
		if rule.broken {
			wrong = append(wrong, kappa.FieldError{In: "body", Name: rule.name, Rule: rule.rule})
		}
	}
	if space := modelOf(models.SlotInUse{Provider: p.Provider, Model: p.Model}); b.VectorSpace != nil && *b.VectorSpace != space && p.Model != "" {
		wrong = append(wrong, kappa.FieldError{In: "body", Name: "vector_space", Rule: "must be " + space + " or left out: embeddings of two models are never comparable"})
	}
	if err := kappa.Invalid(wrong...); err != nil {
		return modelStoredAnswer{}, err
	}
	chosen, err := a.cfg.Chooser.Choose(ctx, models.Choice{Profile: p})
	id := chosen.Profile.ID
	return modelStoredAnswer{Success: err == nil, ConfigID: id, Message: fmt.Sprintf("The model %d is stored and not used: POST /admin/embedding/config/%d/activate does", id, id)}, err
}

// either returns the first value that was given, else the zero value.
func either[T any](values ...*T) (first T) {
	for _, v := range values {
		if v != nil {
			return *v
		}
	}
	return first
}

func (a *API) activate(ctx context.Context, in *activateInput) (modelActiveAnswer, error) {
	chosen, err := a.cfg.Profiles.Activate(ctx, models.SlotEmbedding, in.ID, in.Force.On())
	p := shownEmbedding(chosen.Profile)
	out := modelActiveAnswer{Success: err == nil, ConfigID: p.ID, Previous: chosen.Previous, Provider: p.Provider, Model: p.Model, Dimensions: p.Dimensions, JobID: chosen.JobID, Message: p.VectorSpace + " embeds on every server"}
	if out.JobID != "" {
		out.Message += "; the job " + out.JobID + " embeds the graph anew, and documents wait until it has"
	}
	return out, err
}

func (a *API) reload(ctx context.Context, _ *struct{}) (modelActiveAnswer, error) {
	if err := a.cfg.Chooser.Load(ctx); err != nil {
		return modelActiveAnswer{}, err
	}
	p, err := a.activeEmbedding(ctx, nil)
	return modelActiveAnswer{Success: err == nil, Message: "The settings are read anew", ConfigID: p.ID, Previous: p.ID, Provider: p.Provider, Model: p.Model, Dimensions: p.Dimensions}, err
}

func (a *API) protect(ctx context.Context, in *protectInput) (modelDoneAnswer, error) {
	deletion, change := in.Delete.Given(), in.Change.Given()
	if deletion == nil && change == nil {
		return modelDoneAnswer{}, kappa.Invalid(kappa.FieldError{In: "query", Name: "delete_protected", Rule: "must be given, or change_protected"})
	}
	_, err := a.cfg.Profiles.Protect(ctx, models.SlotEmbedding, in.ID, deletion, change)
	return modelDoneAnswer{err == nil, in.ID}, err
}

type exportedText struct {
	Provider   string `json:"provider"`
	Model      string `json:"model_name"`
	Loader     string `json:"loader"`
	Dimensions *int   `json:"dimensions,omitempty"`
	Precision  string `json:"precision"`
}

type exportedProfile struct {
	Name        string       `json:"name"`
	VectorSpace string       `json:"vector_space"`
	Multimodal  bool         `json:"multimodal"`
	Text        exportedText `json:"text"`
}

type modelExportAnswer struct {
	Profile  *exportedProfile  `json:"profile,omitempty"`
	Metadata *embeddingProfile `json:"metadata,omitempty"`

	// The members of the profile itself, when it was asked for alone.
	Name        *string       `json:"name,omitempty"`
	VectorSpace *string       `json:"vector_space,omitempty"`
	Multimodal  *bool         `json:"multimodal,omitempty"`
	Text        *exportedText `json:"text,omitempty"`
}

func (a *API) export(ctx context.Context, in *exportInput) (modelExportAnswer, error) {
	p, err := a.cfg.Profiles.Profile(ctx, models.SlotEmbedding, in.ID)
	if err != nil {
		return modelExportAnswer{}, err
	}
	e := shownEmbedding(p)
	out := exportedProfile{Name: e.Name, VectorSpace: e.VectorSpace, Text: exportedText{e.Provider, e.Model, e.Loader, e.Dimensions, e.Precision}}
	if in.Only.On() {
		return modelExportAnswer{Name: &out.Name, VectorSpace: &out.VectorSpace, Multimodal: &out.Multimodal, Text: &out.Text}, nil
	}
	return modelExportAnswer{Profile: &out, Metadata: &e}, nil
}
