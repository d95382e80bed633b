package access

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
)

// keys keeps API keys, and says what a principal may do with them.
type keys interface {
	NewAPIKey(ctx context.Context, p access.Principal, n access.NewAPIKey) (key access.APIKey, text string, err error)
	APIKeys(ctx context.Context, p access.Principal, all bool) ([]access.APIKey, error)
	DeleteAPIKey(ctx context.Context, p access.Principal, id string) error
}

type keyListInput struct {
	All http.Flag `query:"all" doc:"Those of all users; takes api_keys:read for all rows"`
}

type newKeyInput struct {
	Body struct {
		_ struct{} `additionalProperties:"false"`
		access.NewAPIKey
	}
}

type keyInput struct {
	ID string `path:"key_id" doc:"The id of an API key"`
}

func (a *API) registerKeys(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/auth/keys", Permission: access.AnyUser, ID: "auth.keys", Summary: "List one's own API keys"},
		func(ctx context.Context, in *keyListInput) (api.KeyList, error) {
			list, err := a.cfg.Keys.APIKeys(ctx, http.PrincipalOf(ctx), in.All.On())
			return api.KeyList{Keys: list}, err
		})
	http.Register(r, http.Route{Method: "POST", Path: "/auth/keys", Permission: access.AnyUser, ID: "auth.new-key", Summary: "Make an API key", Status: 201},
		func(ctx context.Context, in *newKeyInput) (api.CreatedAPIKey, error) {
			key, text, err := a.cfg.Keys.NewAPIKey(ctx, http.PrincipalOf(ctx), in.Body.NewAPIKey)
			return api.CreatedAPIKey{APIKey: key, Key: text}, err
		})
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/auth/keys/{key_id}", Permission: access.AnyUser, ID: "auth.delete-key", Summary: "Delete an API key, which is void at once"},
		func(ctx context.Context, in *keyInput) error {
			if !http.Storable(in.ID) {
				return kappa.NewError(kappa.CodeNotFound, "API key not found: "+http.Printable(in.ID))
			}
			return a.cfg.Keys.DeleteAPIKey(ctx, http.PrincipalOf(ctx), in.ID)
		})
}
