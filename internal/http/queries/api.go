// Package queries is the part of the HTTP API that keeps questions to ask them again, and
// that runs programs. A question that is kept is asked as whoever runs it, through its own
// route: nobody learns more from it than by asking it.
package queries

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/programs"
)

// store keeps queries; unknown ones are CodeNotFound.
type store interface {
	AddQuery(ctx context.Context, n programs.NewSavedQuery) (programs.SavedQuery, error)
	Query(ctx context.Context, id int) (programs.SavedQuery, error)
	// ChangeQuery returns CodePrecondition for a query that was changed since it was read.
	ChangeQuery(ctx context.Context, read programs.SavedQuery, c programs.SavedQueryChange) (programs.SavedQuery, error)
	RemoveQuery(ctx context.Context, id int) error
	// ListQueries returns what f selects, and how many there are in all.
	ListQueries(ctx context.Context, f programs.SavedQueryFilter) (list []programs.SavedQuery, total int, err error)
}

// Asker asks a question of a route of this server, as whoever makes the request of ctx.
type Asker = func(ctx context.Context, method, path string, body any) (json.RawMessage, error)

// Config is what an API needs. Every field is required.
type Config struct {
	Queries store
	// Run runs the programs of a deck one after the other. within narrows a question to what the
	// caller may read.
	Run func(ctx context.Context, deck []programs.Run, ask Asker, within func(ontology string) (string, error)) (programs.Chain, error)
}

// questions asks the routes of this server.
type asker interface {
	Ask(ctx context.Context, method, path string, body any) (json.RawMessage, error)
	CheckQuestion(ctx context.Context, path string, body json.RawMessage, examples []string) error
}

// API keeps queries and runs programs.
type API struct {
	cfg    Config
	routes asker
	runs   chan struct{} // a place for each run that is under way
}

// mostRuns is how many programs run at once.
const mostRuns = 8

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg, runs: make(chan struct{}, mostRuns)} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	a.routes = r
	http.Register(r, http.Route{Method: "GET", Path: "/query-definitions", Permission: access.QueriesRead, ByRow: true, ID: "queries.list", Summary: "List the saved queries"}, a.list)
	http.Register(r, http.Route{Method: "POST", Path: "/query-definitions", Submits: true, Permission: access.QueriesWrite, ID: "queries.create", Summary: "Save a query", Status: 201}, a.create)
	http.Register(r, http.Route{Method: "GET", Path: "/query-definitions/{id}", Permission: access.QueriesRead, ByRow: true, ID: "queries.show", Summary: "Show a saved query"}, a.show)
	http.Register(r, http.Route{Method: "PUT", Path: "/query-definitions/{id}", Permission: access.QueriesWrite, ByRow: true, ID: "queries.change", Summary: "Change a saved query"}, a.change)
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/query-definitions/{id}", Permission: access.QueriesDelete, ByRow: true, ID: "queries.delete", Summary: "Delete a saved query"}, a.remove)
	http.Register(r, http.Route{Method: "POST", Path: "/query-definitions/{id}/run", Permission: access.QueriesRead, ByRow: true, ID: "queries.run", Summary: "Ask a saved query", AnswerWithin: runWithin}, a.run)
	http.Register(r, http.Route{Method: "POST", Path: "/query-definitions/run", Permission: access.QueriesRead, ByRow: true, ID: "queries.run-by-name", Summary: "Ask a saved query by its name", AnswerWithin: runWithin}, a.runByName)
	a.registerPrograms(r)
	return http.CheckConfig("http/queries", a.cfg)
}

type idInput struct {
	ID string `path:"id" doc:"The number of a saved query"`
}

// permitted returns a query when whoever makes the request has a permission for it.
func (a *API) permitted(ctx context.Context, permission access.Permission, text string) (programs.SavedQuery, error) {
	return http.Permitted(ctx, permission, "Saved query", text, a.cfg.Queries.Query)
}

func (a *API) show(ctx context.Context, in *idInput) (programs.SavedQuery, error) {
	return a.permitted(ctx, access.QueriesRead, in.ID)
}

func (a *API) remove(ctx context.Context, in *idInput) error {
	q, err := a.permitted(ctx, access.QueriesDelete, in.ID)
	if err != nil {
		return err
	}
	return a.cfg.Queries.RemoveQuery(ctx, q.ID)
}

type listInput struct {
	Type    string `query:"definition_type" doc:"Only of this type"`
	Name    string `query:"name" doc:"Only those of exactly this name"`
	Search  string `query:"search" doc:"Only those with this in their name or in their description, in whatever case"`
	OwnerID int    `query:"owner_id" doc:"Only those of this user"`
	Limit   int    `query:"limit" default:"50" doc:"1 to 500"`
	Offset  int    `query:"offset" default:"0" doc:"How many to leave out before the page"`
	Cursor  string `query:"cursor" doc:"next_cursor of the page before; not with offset"`
}

// list shows what the caller may read of what is selected.
func (a *API) list(ctx context.Context, in *listInput) (api.SavedQueryList, error) {
	f := programs.SavedQueryFilter{Type: in.Type, Name: in.Name, Search: in.Search, Limit: in.Limit, Offset: in.Offset, Cursor: in.Cursor}
	if in.OwnerID != 0 {
		f.OwnerID = &in.OwnerID
	}
	found, total, err := a.visible(ctx, f)
	return api.SavedQueryList{Definitions: found, Total: total, Limit: in.Limit, Offset: in.Offset, Next: http.NextCursor(found, in.Limit, placeOf)}, err
}

func placeOf(q programs.SavedQuery) kappa.Cursor {
	return kappa.Cursor{List: kappa.ListSavedQueries, Keys: []int64{int64(q.ID)}}
}

// visible returns what the caller may read of what f selects.
func (a *API) visible(ctx context.Context, f programs.SavedQueryFilter) ([]programs.SavedQuery, int, error) {
	if err := f.Validate(); err != nil {
		return nil, 0, err
	}
	f, some := f.Narrow(http.PrincipalOf(ctx))
	if !some {
		return nil, 0, nil
	}
	return a.cfg.Queries.ListQueries(ctx, f)
}
