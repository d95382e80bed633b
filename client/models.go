package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/corpus/models"
)

// Models returns which models are used, and how their providers are reached.
func (c *Client) Models(ctx context.Context) (models.InUse, error) {
	return fetch[models.InUse](ctx, c, get("/admin/models", nil))
}

// NewModel is a model to be used for a slot. What is empty is the provider's own.
type NewModel struct {
	Provider  string `json:"provider"`
	Model     string `json:"model,omitempty"`
	MaxTokens int    `json:"max_tokens,omitempty"`
	Reembed   bool   `json:"reembed,omitempty"` // the graph may be embedded anew
}

// ModelSet is the model of a slot after a change.
type ModelSet struct {
	Slot     models.Slot `json:"slot"`
	Previous int         `json:"previous_config_id"`
	JobID    string      `json:"job_id,omitempty"` // that embeds the graph anew
	models.SlotInUse
}

// SetModel has the server try a model and use it, on every server. It returns a
// CodeConflict Error with the provider's reason when that does not answer, and for what the
// environment of the server fixes.
func (c *Client) SetModel(ctx context.Context, slot models.Slot, m NewModel) (ModelSet, error) {
	return fetchJSON[ModelSet](ctx, c, http.MethodPut, "/admin/models/slots/"+url.PathEscape(string(slot)), m)
}

// ResetModel has the servers use for a slot what their environment says, or the default.
func (c *Client) ResetModel(ctx context.Context, slot models.Slot, reembed bool) (ModelSet, error) {
	in := call{method: http.MethodDelete, path: "/admin/models/slots/" + url.PathEscape(string(slot))}
	if reembed {
		in.query = url.Values{"reembed": {"true"}}
	}
	return fetch[ModelSet](ctx, c, in)
}

// TryModel has the server make one call of a model, and changes nothing.
func (c *Client) TryModel(ctx context.Context, t models.Trial) (models.ProviderCheck, error) {
	return fetchJSON[models.ProviderCheck](ctx, c, http.MethodPost, "/admin/models/try", struct {
		models.Trial
		Key *string `json:"api_key,omitempty"`
	}{t, t.Key})
}

// SetProvider changes how a provider is reached and limited, on every server.
func (c *Client) SetProvider(ctx context.Context, provider string, change models.ProviderChange) (models.ProviderInUse, error) {
	return fetchJSON[models.ProviderInUse](ctx, c, http.MethodPut, "/admin/models/providers/"+url.PathEscape(provider), change)
}

// SetModelCalls sets how many calls to all providers run at once.
func (c *Client) SetModelCalls(ctx context.Context, most int) (models.InUse, error) {
	return fetchJSON[models.InUse](ctx, c, http.MethodPut, "/admin/models/limits", map[string]int{"max_calls": most})
}

// SetPrice sets what a model costs.
func (c *Client) SetPrice(ctx context.Context, p models.Price) error {
	_, err := fetchJSON[models.Price](ctx, c, http.MethodPut, "/admin/models/prices", p)
	return err
}

// DeletePrice has a model cost what it did before a price was set.
func (c *Client) DeletePrice(ctx context.Context, provider, model string) error {
	_, _, err := c.exchange(ctx, call{method: http.MethodDelete, path: "/admin/models/prices", query: url.Values{"provider": {provider}, "model": {model}}})
	return err
}

// ProviderKeys returns for which providers there are keys. No key is in it.
func (c *Client) ProviderKeys(ctx context.Context) ([]models.KeyStatus, error) {
	return fetch[[]models.KeyStatus](ctx, c, get("/admin/keys", nil))
}

// SetProviderKey has the server try the key of a provider and store it, encrypted.
func (c *Client) SetProviderKey(ctx context.Context, provider, key string) error {
	_, err := fetchJSON[struct{}](ctx, c, http.MethodPost, "/admin/keys/"+url.PathEscape(provider), map[string]string{"api_key": key})
	return err
}

// DeleteProviderKey deletes the stored key of a provider.
func (c *Client) DeleteProviderKey(ctx context.Context, provider string) error {
	_, _, err := c.exchange(ctx, call{method: http.MethodDelete, path: "/admin/keys/" + url.PathEscape(provider)})
	return err
}

// RotateProviderKeys has the server encrypt every stored key anew, and returns how many
// there are.
func (c *Client) RotateProviderKeys(ctx context.Context) (int, error) {
	out, err := fetchJSON[struct {
		Rotated int `json:"rotated"`
	}](ctx, c, http.MethodPost, "/admin/models/keys/rotate", struct{}{})
	return out.Rotated, err
}
