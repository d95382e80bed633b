package http

import "github.com/kappagraph/kappa"

// Instant reads an instant of the query, in RFC 3339; "" is none. Others are CodeInvalid.
func Instant(name, text string) (*kappa.Time, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // an instant that was not given
	}
	var t kappa.Time
	if t.UnmarshalText([]byte(text)) != nil {
		return nil, kappa.Invalid(kappa.FieldError{In: "query", Name: name, Rule: "must be an instant in RFC 3339, for example 2026-01-31T08:00:00Z"})
	}
	return &t, nil
}
