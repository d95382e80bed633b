package auth

import "github.com/kappagraph/kappa"

// The names of OAuth errors (RFC 6749, section 5.2).
const (
	invalidRequest       = "invalid_request"
	invalidClient        = "invalid_client"
	invalidScope         = "invalid_scope"
	unsupportedGrantType = "unsupported_grant_type"
)

// OAuthError is a refusal of the token endpoint. errors.As finds it, and the
// kappa.Error that it wraps.
type OAuthError struct {
	Name string       // for the member "error"
	Err  *kappa.Error // its message is for "error_description"
}

// Error returns the name and the message.
func (e *OAuthError) Error() string { return e.Name + ": " + e.Err.Error() }

// Unwrap returns the kappa.Error.
func (e *OAuthError) Unwrap() error { return e.Err }

// OAuthError returns the name, for callers that know the error by this method
// alone.
func (e *OAuthError) OAuthError() string { return e.Name }

// refuse returns an OAuthError; only invalid_client means that the caller is
// not known.
func refuse(name, message string) error {
	code := kappa.CodeMalformed
	if name == invalidClient {
		code = kappa.CodeUnauthenticated
	}
	return &OAuthError{Name: name, Err: kappa.NewError(code, message)}
}
