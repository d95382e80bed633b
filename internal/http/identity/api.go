// Package identity is the part of the HTTP API by which a server proves which one
// it is, before a client on the same machine sends it a secret.
package identity

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

// Config is what an API needs.
type Config struct {
	// Proof returns what proves to a client who sent a nonce which server this is.
	Proof func(nonce string) string
}

// API answers what stands below /.well-known: which server this is, and how to get a token.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

type input struct {
	Nonce string `query:"nonce" doc:"32 to 128 letters and digits that were not used before"`
}

type answer struct {
	Proof string `json:"proof" doc:"HMAC-SHA256 of the nonce under the key in the file url of the data directory, in hexadecimal"`
}

// Register adds the routes. It returns no error.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{
		Method: "GET", Path: "/.well-known/kappa-server", Permission: access.Public, ID: "health.identity", Summary: "Which server this is",
	}, func(_ context.Context, in *input) (answer, error) {
		if !access.IsNonce(in.Nonce) {
			return answer{}, kappa.Invalid(kappa.FieldError{In: "query", Name: "nonce", Rule: "must have 32 to 128 letters and digits"})
		}
		return answer{Proof: a.cfg.Proof(in.Nonce)}, nil
	})
	registerOAuth(r)
	return nil
}
