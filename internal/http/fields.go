package http

import (
	"errors"
	"strconv"

	"github.com/kappagraph/kappa"
)

// text returns a field, "" when it is absent.
func (f *form) text(name string) string { return f.fields[name] }

// optional returns a field, nil when it is absent or empty.
func (f *form) optional(name string) *string {
	if value := f.fields[name]; value != "" {
		return &value
	}
	return nil
}

// number returns a whole number, nil when it is absent or empty.
func (f *form) number(name string) *int {
	value := f.optional(name)
	if value == nil {
		return nil
	}
	n, err := strconv.Atoi(*value)
	if err != nil {
		f.breaks(name, "must be a whole number, got "+strconv.Quote(printable(*value)))
		return nil
	}
	return &n
}

// boolean returns a boolean, false when it is absent or empty.
func (f *form) boolean(name string) bool {
	value := f.optional(name)
	if value == nil {
		return false
	}
	var b flag
	if b.UnmarshalText([]byte(*value)) != nil {
		f.breaks(name, "must be true or false, got "+strconv.Quote(printable(*value)))
	}
	return b.on
}

func (f *form) breaks(name, rule string) {
	f.broken = append(f.broken, kappa.FieldError{In: "form", Name: name, Rule: rule})
}

// joinInvalid returns one CodeInvalid Error for all fields that break a rule,
// err when it is of another kind, and nil without any.
func (f *form) joinInvalid(errs ...error) error {
	broken := f.broken
	for _, err := range errs {
		var e *kappa.Error
		switch {
		case err == nil:
		case errors.As(err, &e) && e.Code == kappa.CodeInvalid:
			broken = append(broken, e.Fields...)
		default:
			return err
		}
	}
	return kappa.Invalid(broken...)
}
