package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus/models"
)

// Keys returns for which providers there are keys. No key is in it.
func (s Models) Keys(ctx context.Context) ([]models.KeyStatus, error) {
	return fetch[[]models.KeyStatus](ctx, s.c, get("/admin/keys", nil))
}

// SetKey has the server try the key of a provider and store it, encrypted.
func (s Models) SetKey(ctx context.Context, provider, key string) error {
	_, err := fetchJSON[struct{}](ctx, s.c, http.MethodPost, "/admin/keys/"+url.PathEscape(provider), map[string]string{"api_key": key})
	return err
}

// DeleteKey deletes the stored key of a provider.
func (s Models) DeleteKey(ctx context.Context, provider string) error {
	_, _, err := s.c.exchange(ctx, call{method: http.MethodDelete, path: "/admin/keys/" + url.PathEscape(provider)})
	return err
}

// RotateKeys has the server encrypt every stored key anew, and returns how many
// there are.
func (s Models) RotateKeys(ctx context.Context) (int, error) {
	out, err := fetchJSON[api.RotatedKeys](ctx, s.c, http.MethodPost, "/admin/models/keys/rotate", struct{}{})
	return out.Rotated, err
}
