package client

import (
	"context"
	"net/http"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/work"
)

// Pauses returns what is paused, the oldest first.
func (s Workers) Pauses(ctx context.Context) ([]work.Pause, error) {
	out, err := fetch[api.PauseList](ctx, s.c, get("/admin/pauses", nil))
	return out.Pauses, err
}

// Pause has nothing claimed that p is about before Resume. What runs goes on. It returns an
// Error with kappa.CodeConflict when that is paused already.
func (s Workers) Pause(ctx context.Context, p work.PauseRequest) (work.Pause, error) {
	return fetchJSON[work.Pause](ctx, s.c, http.MethodPost, "/admin/pauses", p)
}

// Resume ends a pause, and returns it with how many jobs it has held.
func (s Workers) Resume(ctx context.Context, id int) (work.Pause, error) {
	return fetch[work.Pause](ctx, s.c, call{method: http.MethodDelete, path: "/admin/pauses/" + strconv.Itoa(id)})
}
