package accounts

import (
	"context"
	nethttp "net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
)

// sessions begins and ends the sessions of the console.
type sessions interface {
	SignIn(ctx context.Context, in access.Login) (user access.User, text string, expires kappa.Time, err error)
	SignOut(ctx context.Context, p access.Principal) error
	Open(ctx context.Context, p access.Principal) ([]access.OpenSession, error)
	End(ctx context.Context, p access.Principal, id string) error
}

type sessionIDInput struct {
	ID string `path:"session_id" doc:"The id of a session"`
}

type signInForm struct {
	Username string `json:"username"`
	Password string `json:"password"`
}

func (a *API) registerSessions(r *http.Router) {
	r.RegisterRaw(http.Route{
		Method: "POST", Path: "/auth/session", Permission: access.Public, ID: "auth.sign-in", Summary: "Sign in with the console: begin a session, which a cookie holds",
		Document: documentForm[signInForm, access.Session](r, "201"),
	}, a.signIn)
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/auth/session", Permission: access.AnyUser, ID: "auth.session", Summary: "Show one's session of the console, and its token",
		Document: func(op *huma.Operation) {
			http.Respond(op, "200", "application/json", "The session", http.SchemaOf[access.Session](r))
		},
	}, a.showSession)
	r.RegisterRaw(http.Route{
		Method: "DELETE", Path: "/auth/session", Permission: access.AnyUser, ID: "auth.sign-out", Summary: "Sign out: end one's session of the console",
		Document: func(op *huma.Operation) {
			http.Respond(op, "204", "", "The session has ended, and its event streams end soon", nil)
		},
	}, a.signOut)
	http.Register(r, http.Route{Method: "GET", Path: "/auth/sessions", Permission: access.AnyUser, ID: "auth.sessions", Summary: "List one's own sessions of the console"},
		func(ctx context.Context, _ *struct{}) (api.SessionList, error) {
			open, err := a.cfg.Sessions.Open(ctx, http.PrincipalOf(ctx))
			return api.SessionList{Sessions: open}, err
		})
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/auth/sessions/{session_id}", Permission: access.AnyUser, ID: "auth.end-session", Summary: "End one of one's own sessions of the console, at once"},
		func(ctx context.Context, in *sessionIDInput) error {
			if !http.Storable(in.ID) {
				return kappa.NewError(kappa.CodeNotFound, "Session not found: "+http.Printable(in.ID))
			}
			return a.cfg.Sessions.End(ctx, http.PrincipalOf(ctx), in.ID)
		})
}

func (a *API) signIn(c *gin.Context) error {
	f, err := a.proofForm(c)
	if err != nil {
		return err
	}
	ctx := access.WithActor(c.Request.Context(), access.Actor{RequestID: http.RequestID(c.Request.Context())})
	user, text, expires, err := a.cfg.Sessions.SignIn(ctx, access.Login{Username: f.Text("username"), Password: f.Text("password"), Address: c.RemoteIP(), ClientName: browserOf(c.Request.UserAgent())})
	if err != nil {
		return err
	}
	http.SetSession(c, text, expires.Time)
	http.WriteJSON(c, nethttp.StatusCreated, access.Session{User: user, Token: http.SessionToken(text), ExpiresAt: expires})
	return nil
}

// showSession answers with the session that the request was authenticated with.
func (a *API) showSession(c *gin.Context) error {
	text, err := ownSession(c)
	if err != nil {
		return err
	}
	p := http.PrincipalOf(c.Request.Context())
	http.SetSession(c, text, p.ExpiresAt.Time)
	http.WriteJSON(c, nethttp.StatusOK, access.Session{User: p.User, Token: http.SessionToken(text), ExpiresAt: p.ExpiresAt})
	return nil
}

func (a *API) signOut(c *gin.Context) error {
	if _, err := ownSession(c); err != nil {
		return err
	}
	if err := a.cfg.Sessions.SignOut(c.Request.Context(), http.PrincipalOf(c.Request.Context())); err != nil {
		return err
	}
	http.SetSession(c, "", http.PrincipalOf(c.Request.Context()).ExpiresAt.Time)
	c.Status(nethttp.StatusNoContent)
	return nil
}

// ownSession returns the session that a request was made with. It returns a CodeNotFound Error
// for one that was made with a token.
func ownSession(c *gin.Context) (string, error) {
	text := http.SessionText(c.Request)
	if text == "" || c.Request.Header.Get("Authorization") != "" {
		return "", kappa.NewError(kappa.CodeNotFound, "The request was made without a session; begin one with POST /auth/session")
	}
	return text, nil
}
