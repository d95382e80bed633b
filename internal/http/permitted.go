package http

import (
	"context"
	"strconv"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
)

// Permitted finds what the path of a request names by its number, for whoever has a permission
// for it. What may not be read is CodeNotFound, as what does not exist; kind is the word for it,
// with a capital.
func Permitted[T interface{ Row() access.Row }](ctx context.Context, permission access.Permission, kind, number string, find func(context.Context, int) (T, error)) (found T, err error) {
	var none T
	missing := kappa.NewError(kappa.CodeNotFound, kind+" not found: "+Printable(number))
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil || id <= 0 {
		return none, missing
	}
	if found, err = find(ctx, int(id)); err != nil {
		return none, err
	}
	if err := PrincipalOf(ctx).PermitFound(permission, found.Row(), missing); err != nil {
		return none, err
	}
	return found, nil
}
