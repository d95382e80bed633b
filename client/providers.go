package client

import (
	"context"
	"net/http"

	"github.com/kappagraph/kappa/corpus/models"
)

// Providers returns how the providers of models are.
func (c *Client) Providers(ctx context.Context) ([]models.ProviderStatus, error) {
	out, err := fetch[struct {
		Providers []models.ProviderStatus `json:"providers"`
	}](ctx, c, get("/admin/providers", nil))
	return out.Providers, err
}

// CheckProviders has the server make a small real call of every model that it uses, and
// returns what each gave.
func (c *Client) CheckProviders(ctx context.Context) ([]models.ProviderCheck, error) {
	out, err := fetchJSON[struct {
		Checks []models.ProviderCheck `json:"checks"`
	}](ctx, c, http.MethodPost, "/admin/providers/check", struct{}{})
	return out.Checks, err
}

// EmbeddingConfig returns what embeds concepts, and with what the graph was embedded.
func (c *Client) EmbeddingConfig(ctx context.Context) (models.EmbeddingConfig, error) {
	return fetch[models.EmbeddingConfig](ctx, c, get("/embedding/config", nil))
}

// ExtractionConfig returns what reads documents.
func (c *Client) ExtractionConfig(ctx context.Context) (models.ExtractionConfig, error) {
	return fetch[models.ExtractionConfig](ctx, c, get("/extraction/config", nil))
}
