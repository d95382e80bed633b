package client

import (
	"context"
	"net/http"

	"github.com/kappagraph/kappa"
)

// Providers returns how the providers of models are.
func (c *Client) Providers(ctx context.Context) ([]kappa.ProviderStatus, error) {
	out, err := fetch[struct {
		Providers []kappa.ProviderStatus `json:"providers"`
	}](ctx, c, get("/admin/providers", nil))
	return out.Providers, err
}

// CheckProviders has the server make a small real call of every model that it uses, and
// returns what each gave.
func (c *Client) CheckProviders(ctx context.Context) ([]kappa.ProviderCheck, error) {
	out, err := fetchJSON[struct {
		Checks []kappa.ProviderCheck `json:"checks"`
	}](ctx, c, http.MethodPost, "/admin/providers/check", struct{}{})
	return out.Checks, err
}

// EmbeddingConfig returns what embeds concepts, and with what the graph was embedded.
func (c *Client) EmbeddingConfig(ctx context.Context) (kappa.EmbeddingConfig, error) {
	return fetch[kappa.EmbeddingConfig](ctx, c, get("/embedding/config", nil))
}

// ExtractionConfig returns what reads documents.
func (c *Client) ExtractionConfig(ctx context.Context) (kappa.ExtractionConfig, error) {
	return fetch[kappa.ExtractionConfig](ctx, c, get("/extraction/config", nil))
}
