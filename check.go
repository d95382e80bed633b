package kappa

// JoinInvalid returns one Error with the broken rules of all the given ones, or
// nil without any. An error of another kind is returned as it is.
func JoinInvalid(errs ...error) error {
	var fields []FieldError
	for _, err := range errs {
		if err == nil {
			continue
		}
		e, ok := err.(*Error) //nolint:errorlint // a wrapped one is of another kind
		if !ok || e.Code != CodeInvalid {
			return err
		}
		fields = append(fields, e.Fields...)
	}
	return Invalid(fields...)
}
