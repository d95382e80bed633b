// Package access is the part of the HTTP API by which administrators decide who may do
// what: accounts, roles, API keys, and the record of who did what.
package access

import (
	"github.com/kappagraph/kappa/internal/http"
)

// Config is what an API needs. Every field is required.
type Config struct {
	Users  users
	Roles  roles
	Groups groups
	Keys   keys
	Audit  audit
}

// API keeps accounts, roles and keys, and shows who did what.
type API struct {
	cfg    Config
	router *http.Router
}

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	a.router = r
	a.registerUsers(r)
	a.registerRoles(r)
	a.registerGrants(r)
	a.registerAssignments(r)
	a.registerGroups(r)
	a.registerKeys(r)
	a.registerAudit(r)
	return http.CheckConfig("http/access", a.cfg)
}
