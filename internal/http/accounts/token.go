package accounts

import (
	"context"
	"errors"
	nethttp "net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
)

// tokens makes tokens for clients. A refusal of Token has a method OAuthError that returns
// its name.
type tokens interface {
	Token(ctx context.Context, in access.TokenRequest) (access.Token, error)
	Revoke(ctx context.Context, token string) error
}

type tokenAnswer struct {
	AccessToken  string  `json:"access_token"`
	TokenType    string  `json:"token_type" doc:"Always Bearer"`
	ExpiresIn    int     `json:"expires_in" doc:"Seconds"`
	RefreshToken *string `json:"refresh_token" doc:"Always null"`
	Scope        string  `json:"scope"`
}

type tokenForm struct {
	GrantType    string `json:"grant_type" enum:"client_credentials"`
	ClientID     string `json:"client_id,omitempty" doc:"Here or in Authorization: Basic"`
	ClientSecret string `json:"client_secret,omitempty" doc:"Here or in Authorization: Basic"`
	Scope        string `json:"scope,omitempty" doc:"Default: all that the client has"`
}

type revokeForm struct {
	Token string `json:"token"`
}

type revokeAnswer struct{}

// registerTokens registers what is public: logging in, and what a client
// does with its secret or a token.
func (a *API) registerTokens(r *http.Router) {
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/auth/oauth/clients/personal", Permission: access.Public, ID: "auth.login", Summary: "Log in: create a personal client",
		Document: documentForm[loginForm, api.Credentials](r, "201"),
	}, a.login)
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/auth/oauth/token", Permission: access.Public, ID: "auth.token", Summary: "Exchange a client's secret for an access token",
		Document: documentForm[tokenForm, tokenAnswer](r, "200"),
	}, a.token)
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/auth/oauth/revoke", Permission: access.Public, ID: "auth.revoke", Summary: "Make an access token void",
		Document: documentForm[revokeForm, revokeAnswer](r, "200"),
	}, a.revoke)
}

// token answers with an access token. Its errors have a name for OAuth clients,
// whatever goes wrong.
func (a *API) token(c *gin.Context) error {
	f, err := a.router.SmallForm(c)
	if err != nil {
		return tokenError{error: err}
	}
	in := access.TokenRequest{GrantType: f.Text("grant_type"), ClientID: f.Text("client_id"), ClientSecret: f.Text("client_secret"), Scope: f.Text("scope")}
	basic, err := takeBasic(&in, c.Request)
	if err != nil {
		return tokenError{error: err}
	}
	token, err := a.cfg.Tokens.Token(c.Request.Context(), in)
	if err != nil {
		return tokenError{error: err, basic: basic}
	}
	http.WriteJSON(c, 200, tokenAnswer{AccessToken: token.AccessToken, TokenType: "Bearer", ExpiresIn: token.ExpiresIn, Scope: token.Scope})
	return nil
}

// takeBasic takes the id and the secret of a client from the header
// Authorization: Basic and reports whether there is one. In it both are encoded
// as in a form (RFC 6749, section 2.3.1), which must not have a secret then, nor
// the id of another client.
func takeBasic(in *access.TokenRequest, r *nethttp.Request) (bool, error) {
	id, secret, ok := r.BasicAuth()
	if !ok {
		return false, nil
	}
	id, idErr := url.QueryUnescape(id)
	secret, secretErr := url.QueryUnescape(secret)
	switch {
	case idErr != nil || secretErr != nil:
		return true, kappa.NewError(kappa.CodeMalformed, "Authorization: client_id and client_secret must be encoded as in a form")
	case in.ClientSecret != "" || in.ClientID != "" && in.ClientID != id:
		return true, kappa.NewError(kappa.CodeMalformed, "client_id and client_secret must be in the form or in the Authorization header, not in both")
	}
	in.ClientID, in.ClientSecret = id, secret
	return true, nil
}

// revoke answers 200 whatever the token was worth.
func (a *API) revoke(c *gin.Context) error {
	f, err := a.router.SmallForm(c)
	if err != nil {
		return err
	}
	if f.Text("token") == "" {
		f.Break("token", "is required")
	}
	if err := f.Invalid(); err != nil {
		return err
	}
	if err := a.cfg.Tokens.Revoke(c.Request.Context(), f.Text("token")); err != nil {
		return err
	}
	http.WriteJSON(c, 200, revokeAnswer{})
	return nil
}

// tokenError is a failure at the token endpoint.
type tokenError struct {
	error
	basic bool // the client was named by Authorization: Basic
}

// Challenge asks for what the client used.
func (e tokenError) Challenge() string {
	if e.basic {
		return `Basic realm="Kappa"`
	}
	return ""
}

// Unwrap returns the cause.
func (e tokenError) Unwrap() error { return e.error }

// OAuthError returns the name of the failure in OAuth.
func (e tokenError) OAuthError() string {
	var named interface{ OAuthError() string }
	if errors.As(e.error, &named) {
		return named.OAuthError()
	}
	switch kappa.ErrorCode(e.error) {
	case kappa.CodeUnauthenticated, kappa.CodeForbidden:
		return "invalid_client"
	case kappa.CodeUnavailable, kappa.CodeRateLimited:
		return "temporarily_unavailable"
	case kappa.CodeInternal:
		return "server_error"
	}
	return "invalid_request"
}
