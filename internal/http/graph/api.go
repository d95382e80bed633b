// Package graph is the part of the HTTP API that answers questions to the graph and
// says what it holds.
package graph

import "github.com/kappagraph/kappa/internal/http"

// Config is what an API needs. Every field is required.
type Config struct {
	Questions answerer
	Explorer  explorer
	Inventory inventory
	Surveyor  surveyor
	Texts     texts
}

// API answers questions to the graph.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes of the graph.
func (a *API) Register(r *http.Router) error {
	a.registerQuestions(r)
	a.registerExplorer(r)
	a.registerInventory(r)
	a.registerSurvey(r)
	return http.CheckConfig("http/graph", a.cfg)
}
