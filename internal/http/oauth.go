package http

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

// oauthClients keeps the personal clients of users, and their tokens. A refusal
// of Token has a method OAuthError that returns its name.
type oauthClients interface {
	Login(ctx context.Context, in kappa.Login) (client kappa.OAuthClient, secret string, err error)
	Token(ctx context.Context, in kappa.TokenRequest) (kappa.Token, error)
	Revoke(ctx context.Context, token string) error
	Clients(ctx context.Context, userID int) ([]kappa.OAuthClient, error)
	NewClient(ctx context.Context, p kappa.Principal, name, scopes string) (client kappa.OAuthClient, secret string, err error)
	DeleteClient(ctx context.Context, p kappa.Principal, clientID string) error
	RotateSecret(ctx context.Context, p kappa.Principal, clientID string) (client kappa.OAuthClient, secret string, rotatedAt kappa.Time, err error)
}

// clientCreated is a new client. Its secret is shown this once.
type clientCreated struct {
	kappa.OAuthClient
	Secret       string         `json:"client_secret" doc:"Shown this once"`
	RedirectURIs []string       `json:"redirect_uris"`
	Metadata     clientMetadata `json:"metadata"`
}

type clientMetadata struct {
	Personal bool   `json:"personal"`
	UserID   int    `json:"user_id"`
	Username string `json:"username"`
}

type clientList struct {
	Clients []kappa.OAuthClient `json:"clients"`
	Total   int                 `json:"total"`
}

type secretRotated struct {
	ClientID  string     `json:"client_id"`
	Name      string     `json:"client_name"`
	Secret    string     `json:"client_secret" doc:"Shown this once"`
	RotatedAt kappa.Time `json:"rotated_at"`
}

type loginForm struct {
	Username   string `json:"username"`
	Password   string `json:"password"`
	ClientName string `json:"client_name,omitempty"`
	Scope      string `json:"scope,omitempty" default:"read:* write:*"`
}

type newClientForm struct {
	ClientName string `json:"client_name,omitempty"`
	Scope      string `json:"scope,omitempty" default:"read:* write:*"`
}

type clientIDInput struct {
	ID string `path:"client_id"`
}

func (s *Server) registerOAuth(r *Router) {
	s.registerTokenRoutes(r)
	r.RegisterRaw(Route{
		Method: "POST", Path: "/auth/oauth/clients/personal/new", Permission: kappa.AnyUser, ID: "auth.new-client", Summary: "Create another client",
		Document: documentForm[newClientForm, clientCreated](r, "201"),
	}, s.newClient)
	Register(r, Route{Method: "GET", Path: "/auth/oauth/clients/personal", Permission: kappa.AnyUser, ID: "auth.clients", Summary: "List one's own clients"}, s.listClients)
	RegisterEmpty(r, Route{Method: "DELETE", Path: "/auth/oauth/clients/personal/{client_id}", Permission: kappa.AnyUser, ID: "auth.delete-client", Summary: "Delete a client; its tokens are void at once"},
		func(ctx context.Context, in *clientIDInput) error {
			if !Storable(in.ID) {
				return errNoClient(in.ID)
			}
			return s.cfg.Clients.DeleteClient(ctx, PrincipalOf(ctx), in.ID)
		})
	Register(r, Route{Method: "POST", Path: "/auth/oauth/clients/personal/{client_id}/rotate-secret", Permission: kappa.AnyUser, ID: "auth.rotate-secret", Summary: "Give a client a new secret"}, s.rotateSecret)
	me := func(ctx context.Context, _ *struct{}) (kappa.User, error) { return PrincipalOf(ctx).User, nil }
	Register(r, Route{Method: "GET", Path: "/auth/me", Permission: kappa.AnyUser, ID: "auth.me", Summary: "Who the token acts for"}, me)
	Register(r, Route{Method: "GET", Path: "/users/me", Permission: kappa.AnyUser, ID: "auth.users-me", Summary: "Who the token acts for"}, me)
}

// documentForm documents a route that reads the form F and answers with A.
func documentForm[F, A any](r *Router, status string) func(*huma.Operation) {
	body := FormSchema[F](r, URLEncodedType, MultipartType)
	return func(op *huma.Operation) {
		body(op)
		Respond(op, status, "application/json", "Done", SchemaOf[A](r))
	}
}

func (s *Server) login(c *gin.Context) error {
	f, err := s.SmallForm(c)
	if err != nil {
		return err
	}
	for _, name := range []string{"username", "password"} {
		if f.Text(name) == "" {
			f.Break(name, "is required")
		}
	}
	if err := f.Invalid(); err != nil {
		return err
	}
	client, secret, err := s.cfg.Clients.Login(c.Request.Context(), kappa.Login{
		Username: f.Text("username"), Password: f.Text("password"), Address: c.RemoteIP(),
		ClientName: f.Text("client_name"), Scopes: f.Text("scope"),
	})
	if err != nil {
		return err
	}
	WriteJSON(c, 201, created(client, secret, f.Text("username")))
	return nil
}

func (s *Server) newClient(c *gin.Context) error {
	f, err := s.SmallForm(c)
	if err != nil {
		return err
	}
	p := PrincipalOf(c.Request.Context())
	client, secret, err := s.cfg.Clients.NewClient(c.Request.Context(), p, f.Text("client_name"), f.Text("scope"))
	if err != nil {
		return err
	}
	WriteJSON(c, 201, created(client, secret, p.User.Username))
	return nil
}

func created(client kappa.OAuthClient, secret, username string) clientCreated {
	return clientCreated{
		OAuthClient: client, Secret: secret,
		Metadata: clientMetadata{Personal: true, UserID: client.UserID, Username: username},
	}
}

func (s *Server) listClients(ctx context.Context, _ *struct{}) (clientList, error) {
	clients, err := s.cfg.Clients.Clients(ctx, PrincipalOf(ctx).User.ID)
	return clientList{Clients: NotNil(clients), Total: len(clients)}, err
}

func (s *Server) rotateSecret(ctx context.Context, in *clientIDInput) (secretRotated, error) {
	if !Storable(in.ID) {
		return secretRotated{}, errNoClient(in.ID)
	}
	client, secret, at, err := s.cfg.Clients.RotateSecret(ctx, PrincipalOf(ctx), in.ID)
	return secretRotated{ClientID: client.ClientID, Name: client.Name, Secret: secret, RotatedAt: at}, err
}

func errNoClient(id string) error {
	return kappa.NewError(kappa.CodeNotFound, "OAuth client '"+Printable(id)+"' not found")
}
