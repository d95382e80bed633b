// Package accounts is the part of the HTTP API that logs users in, keeps their OAuth
// clients, hands out access tokens, and signs people in with the console.
package accounts

import "github.com/kappagraph/kappa/internal/http"

// Config is what an API needs. Every field is required.
type Config struct {
	Clients  clients
	Tokens   tokens
	Sessions sessions
}

// API logs users in and hands out tokens.
type API struct {
	cfg    Config
	router *http.Router
}

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes of accounts.
func (a *API) Register(r *http.Router) error {
	a.router = r
	a.registerTokens(r)
	a.registerClients(r)
	a.registerMe(r)
	a.registerSessions(r)
	return http.CheckConfig("http/accounts", a.cfg)
}
