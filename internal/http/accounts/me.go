package accounts

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

func (a *API) registerMe(r *http.Router) {
	me := func(ctx context.Context, _ *struct{}) (access.User, error) { return http.PrincipalOf(ctx).User, nil }
	http.Register(r, http.Route{Method: "GET", Path: "/auth/me", Permission: access.AnyUser, ID: "auth.me", Summary: "Who the token acts for"}, me)
	http.Register(r, http.Route{Method: "GET", Path: "/users/me", Permission: access.AnyUser, ID: "auth.users-me", Summary: "Who the token acts for"}, me)
}
