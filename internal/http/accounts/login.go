package accounts

import (
	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
)

type loginForm struct {
	Username   string `json:"username"`
	Password   string `json:"password"`
	ClientName string `json:"client_name,omitempty"`
	Scope      string `json:"scope,omitempty" default:"read:* write:*"`
}

func (a *API) login(c *gin.Context) error {
	f, err := a.proofForm(c)
	if err != nil {
		return err
	}
	ctx := access.WithActor(c.Request.Context(), access.Actor{RequestID: http.RequestID(c.Request.Context())})
	client, secret, err := a.cfg.Clients.Login(ctx, access.Login{
		Username: f.Text("username"), Password: f.Text("password"), Address: c.RemoteIP(),
		ClientName: f.Text("client_name"), Scopes: f.Text("scope"),
	})
	if err != nil {
		return err
	}
	http.WriteJSON(c, 201, created(client, secret, f.Text("username")))
	return nil
}

// proofForm reads a form that has a username and a password.
func (a *API) proofForm(c *gin.Context) (*http.Form, error) {
	f, err := a.router.SmallForm(c)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"username", "password"} {
		if f.Text(name) == "" {
			f.Break(name, "is required")
		}
	}
	return f, f.Invalid()
}

func created(client access.OAuthClient, secret, username string) api.Credentials {
	return api.Credentials{
		OAuthClient: client, Secret: secret,
		Metadata: api.ClientMetadata{Personal: true, UserID: client.UserID, Username: username},
	}
}

// documentForm documents a route that reads the form F and answers with A.
func documentForm[F, A any](r *http.Router, status string) func(*huma.Operation) {
	body := http.FormSchema[F](r, http.URLEncodedType, http.MultipartType)
	return func(op *huma.Operation) {
		body(op)
		http.Respond(op, status, "application/json", "Done", http.SchemaOf[A](r))
	}
}
