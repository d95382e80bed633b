package accounts

import (
	"context"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
)

// clients keeps the personal clients of users.
type clients interface {
	Login(ctx context.Context, in access.Login) (client access.OAuthClient, secret string, err error)
	Clients(ctx context.Context, userID int) ([]access.OAuthClient, error)
	NewClient(ctx context.Context, p access.Principal, name, scopes string) (client access.OAuthClient, secret string, err error)
	DeleteClient(ctx context.Context, p access.Principal, clientID string) error
	RotateSecret(ctx context.Context, p access.Principal, clientID string) (client access.OAuthClient, secret string, rotatedAt kappa.Time, err error)
}

type newClientForm struct {
	ClientName string `json:"client_name,omitempty"`
	Scope      string `json:"scope,omitempty" default:"read:* write:*"`
}

type clientIDInput struct {
	ID string `path:"client_id" doc:"The id of a client"`
}

func (a *API) registerClients(r *http.Router) {
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/auth/oauth/clients/personal/new", Permission: access.AnyUser, ID: "auth.new-client", Summary: "Create another client",
		Document: documentForm[newClientForm, api.Credentials](r, "201"),
	}, a.newClient)
	http.Register(r, http.Route{Method: "GET", Path: "/auth/oauth/clients/personal", Permission: access.AnyUser, ID: "auth.clients", Summary: "List one's own clients"}, a.listClients)
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/auth/oauth/clients/personal/{client_id}", Permission: access.AnyUser, ID: "auth.delete-client", Summary: "Delete a client; its tokens are void at once"},
		func(ctx context.Context, in *clientIDInput) error {
			if !http.Storable(in.ID) {
				return errNoClient(in.ID)
			}
			return a.cfg.Clients.DeleteClient(ctx, http.PrincipalOf(ctx), in.ID)
		})
	http.Register(r, http.Route{Method: "POST", Path: "/auth/oauth/clients/personal/{client_id}/rotate-secret", Permission: access.AnyUser, ID: "auth.rotate-secret", Summary: "Give a client a new secret"}, a.rotateSecret)
}

func (a *API) newClient(c *gin.Context) error {
	f, err := a.router.SmallForm(c)
	if err != nil {
		return err
	}
	p := http.PrincipalOf(c.Request.Context())
	client, secret, err := a.cfg.Clients.NewClient(c.Request.Context(), p, f.Text("client_name"), f.Text("scope"))
	if err != nil {
		return err
	}
	http.WriteJSON(c, 201, created(client, secret, p.User.Username))
	return nil
}

func (a *API) listClients(ctx context.Context, _ *struct{}) (api.OAuthClientList, error) {
	clients, err := a.cfg.Clients.Clients(ctx, http.PrincipalOf(ctx).User.ID)
	return api.OAuthClientList{Clients: clients, Total: len(clients)}, err
}

func (a *API) rotateSecret(ctx context.Context, in *clientIDInput) (api.RotatedSecret, error) {
	if !http.Storable(in.ID) {
		return api.RotatedSecret{}, errNoClient(in.ID)
	}
	client, secret, at, err := a.cfg.Clients.RotateSecret(ctx, http.PrincipalOf(ctx), in.ID)
	return api.RotatedSecret{ClientID: client.ClientID, Name: client.Name, Secret: secret, RotatedAt: at}, err
}

func errNoClient(id string) error {
	return kappa.NewError(kappa.CodeNotFound, "OAuth client '"+http.Printable(id)+"' not found")
}
