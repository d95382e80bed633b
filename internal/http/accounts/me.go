package accounts

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

func (a *API) registerMe(r *http.Router) {
	me := func(ctx context.Context, _ *struct{}) (kappa.User, error) { return http.PrincipalOf(ctx).User, nil }
	http.Register(r, http.Route{Method: "GET", Path: "/auth/me", Permission: kappa.AnyUser, ID: "auth.me", Summary: "Who the token acts for"}, me)
	http.Register(r, http.Route{Method: "GET", Path: "/users/me", Permission: kappa.AnyUser, ID: "auth.users-me", Summary: "Who the token acts for"}, me)
}
