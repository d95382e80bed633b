package ingestion

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// visionProviders are the words that a client may name a provider of vision by. Which one
// is asked is for the operator to choose.
var visionProviders = []string{"openai", "anthropic", "ollama"}

type ingestImageForm struct {
	File           string  `json:"file" format:"binary" doc:"The image: PNG, JPEG, GIF or WebP, 100 bytes to 10 MiB"`
	VisionProvider *string `json:"vision_provider,omitempty" enum:"openai,anthropic,ollama" doc:"A provider that is known; the operator has chosen which one is asked"`
	VisionModel    *string `json:"vision_model,omitempty" doc:"The model that is expected to describe the image, as GET /ingest/image/health names it"`
	IngestFields
}

// imageHealth says which model describes images.
type imageHealth struct {
	Status   string `json:"status" doc:"healthy"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
}

// readVision reads the fields that only images have.
func readVision(f *http.Form, in *work.Submission) {
	in.OnlyImage = true
	if provider := f.Optional("vision_provider"); provider != nil && !slices.Contains(visionProviders, *provider) {
		f.Break("vision_provider", fmt.Sprintf("must be one of %s, got %q", strings.Join(visionProviders, ", "), *provider))
	}
	in.VisionModel = http.Or(f.Optional("vision_model"), "")
}

// imageHealth answers which model describes images. It does not ask the model.
func (a *API) imageHealth(context.Context, *struct{}) (*imageHealth, error) {
	model, ok := a.cfg.Documents.ImageModel()
	if !ok {
		return nil, kappa.NewError(kappa.CodeUnavailable, "No model is configured that describes images; choose one with KG_VISION")
	}
	return &imageHealth{Status: "healthy", Provider: model.Provider, Model: model.Name}, nil
}
