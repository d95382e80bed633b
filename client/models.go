package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus/models"
)

// Models are the models that a server uses, with their providers, prices and keys.
type Models struct{ c *Client }

// InUse returns which models are used, and how their providers are reached.
func (s Models) InUse(ctx context.Context) (models.InUse, error) {
	return fetch[models.InUse](ctx, s.c, get("/admin/models", nil))
}

// NewModel is a model to be used for a slot. What is empty is the provider's own.
type NewModel struct {
	Provider  string `json:"provider"`
	Model     string `json:"model,omitempty"`
	MaxTokens int    `json:"max_tokens,omitempty"`
	Reembed   bool   `json:"reembed,omitempty"` // the graph may be embedded anew
}

// Set has the server try a model and use it, on every server. It returns a
// CodeConflict Error with the provider's reason when that does not answer, and for what the
// environment of the server fixes.
func (s Models) Set(ctx context.Context, slot models.Slot, m NewModel) (api.ModelSet, error) {
	return fetchJSON[api.ModelSet](ctx, s.c, http.MethodPut, "/admin/models/slots/"+url.PathEscape(string(slot)), m)
}

// Reset has the servers use for a slot what their environment says, or the default.
func (s Models) Reset(ctx context.Context, slot models.Slot, reembed bool) (api.ModelSet, error) {
	in := call{method: http.MethodDelete, path: "/admin/models/slots/" + url.PathEscape(string(slot))}
	if reembed {
		in.query = url.Values{"reembed": {"true"}}
	}
	return fetch[api.ModelSet](ctx, s.c, in)
}

// Try has the server make one call of a model, and changes nothing.
func (s Models) Try(ctx context.Context, t models.Trial) (models.ProviderCheck, error) {
	return fetchJSON[models.ProviderCheck](ctx, s.c, http.MethodPost, "/admin/models/try", struct {
		models.Trial
		Key *string `json:"api_key,omitempty"`
	}{t, t.Key})
}

// SetProvider changes how a provider is reached and limited, on every server.
func (s Models) SetProvider(ctx context.Context, provider string, change models.ProviderChange) (models.ProviderInUse, error) {
	return fetchJSON[models.ProviderInUse](ctx, s.c, http.MethodPut, "/admin/models/providers/"+url.PathEscape(provider), change)
}

// SetCalls sets how many calls to all providers run at once.
func (s Models) SetCalls(ctx context.Context, most int) (models.InUse, error) {
	return fetchJSON[models.InUse](ctx, s.c, http.MethodPut, "/admin/models/limits", map[string]int{"max_calls": most})
}

// SetPrice sets what a model costs.
func (s Models) SetPrice(ctx context.Context, p models.Price) error {
	_, err := fetchJSON[models.Price](ctx, s.c, http.MethodPut, "/admin/models/prices", p)
	return err
}

// DeletePrice has a model cost what it did before a price was set.
func (s Models) DeletePrice(ctx context.Context, provider, model string) error {
	_, _, err := s.c.exchange(ctx, call{method: http.MethodDelete, path: "/admin/models/prices", query: url.Values{"provider": {provider}, "model": {model}}})
	return err
}

// Providers returns how the providers of models are.
func (s Models) Providers(ctx context.Context) ([]models.ProviderStatus, error) {
	out, err := fetch[api.ProviderList](ctx, s.c, get("/admin/providers", nil))
	return out.Providers, err
}

// Spending returns what jobs have used of models that have called one in the last so many
// days, 1 to 365.
func (s Models) Spending(ctx context.Context, days int) (api.ModelSpending, error) {
	return fetch[api.ModelSpending](ctx, s.c, get("/admin/models/spending", url.Values{"days": {strconv.Itoa(days)}}))
}

// CheckProviders has the server make a small real call of every model that it uses, and
// returns what each gave.
func (s Models) CheckProviders(ctx context.Context) ([]models.ProviderCheck, error) {
	out, err := fetchJSON[api.ProviderChecks](ctx, s.c, http.MethodPost, "/admin/providers/check", struct{}{})
	return out.Checks, err
}

// EmbeddingConfig returns what embeds concepts, and with what the graph was embedded.
func (s Models) EmbeddingConfig(ctx context.Context) (models.EmbeddingConfig, error) {
	return fetch[models.EmbeddingConfig](ctx, s.c, get("/embedding/config", nil))
}

// ExtractionConfig returns what reads documents.
func (s Models) ExtractionConfig(ctx context.Context) (models.ExtractionConfig, error) {
	return fetch[models.ExtractionConfig](ctx, s.c, get("/extraction/config", nil))
}
