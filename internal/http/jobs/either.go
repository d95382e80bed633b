package jobs

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa/internal/http"
)

// either is an answer that has one of two forms; one of them is set.
type either[A, B any] struct {
	first  *A
	second *B
}

// MarshalJSON encodes the form that is set.
func (e either[A, B]) MarshalJSON() ([]byte, error) {
	if e.first != nil {
		return http.EncodeJSON(e.first), nil
	}
	return http.EncodeJSON(e.second), nil
}

// Schema documents both forms.
func (either[A, B]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[A](), true, ""), r.Schema(reflect.TypeFor[B](), true, ""),
	}}
}
