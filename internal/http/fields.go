package http

import (
	"errors"
	"strconv"

	"github.com/kappagraph/kappa"
)

// Text returns a field, "" when it is absent.
func (f *Form) Text(name string) string { return f.fields[name] }

// Optional returns a field, nil when it is absent or empty.
func (f *Form) Optional(name string) *string {
	if value := f.fields[name]; value != "" {
		return &value
	}
	return nil
}

// Number returns a whole number, nil when it is absent or empty.
func (f *Form) Number(name string) *int {
	value := f.Optional(name)
	if value == nil {
		return nil
	}
	n, err := strconv.Atoi(*value)
	if err != nil {
		f.Break(name, "must be a whole number, got "+strconv.Quote(Printable(*value)))
		return nil
	}
	return &n
}

// Boolean returns a boolean, false when it is absent or empty.
func (f *Form) Boolean(name string) bool {
	value := f.Optional(name)
	if value == nil {
		return false
	}
	var b Flag
	if b.UnmarshalText([]byte(*value)) != nil {
		f.Break(name, "must be true or false, got "+strconv.Quote(Printable(*value)))
	}
	return b.on
}

// Break adds a rule that a field breaks, for Invalid to say.
func (f *Form) Break(name, rule string) {
	f.broken = append(f.broken, kappa.FieldError{In: "form", Name: name, Rule: rule})
}

// Invalid returns one CodeInvalid Error for all fields that break a rule,
// err when it is of another kind, and nil without any.
func (f *Form) Invalid(errs ...error) error {
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
