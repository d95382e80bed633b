package client

import (
	"context"
	"net/http"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/work"
)

// Limits returns what is limited, in the order in which it was set.
func (s Workers) Limits(ctx context.Context) ([]work.Limit, error) {
	out, err := fetch[api.LimitList](ctx, s.c, get("/admin/limits", nil))
	return out.Limits, err
}

// SetLimit limits how many jobs run or start. It returns an Error with kappa.CodeConflict when
// these are limited already.
func (s Workers) SetLimit(ctx context.Context, l work.LimitRequest) (work.Limit, error) {
	return fetchJSON[work.Limit](ctx, s.c, http.MethodPost, "/admin/limits", l)
}

// ChangeLimit replaces the numbers of a limit and its reason.
func (s Workers) ChangeLimit(ctx context.Context, id int, u work.LimitUpdate) (work.Limit, error) {
	return fetchJSON[work.Limit](ctx, s.c, http.MethodPut, limitPath(id), u)
}

// RemoveLimit removes a limit, and returns it as it was.
func (s Workers) RemoveLimit(ctx context.Context, id int) (work.Limit, error) {
	return fetch[work.Limit](ctx, s.c, call{method: http.MethodDelete, path: limitPath(id)})
}

func limitPath(id int) string { return "/admin/limits/" + strconv.Itoa(id) }
