package queries

import (
	"context"
	"encoding/json"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/programs"
)

// executeWithin leaves time for the answer after the longest run.
const executeWithin = programs.MaxTime + 15*time.Second

func (a *API) registerPrograms(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/programs", Permission: access.QueriesRead, ByRow: true, ID: "programs.list", Summary: "List the programs that are kept"}, a.listPrograms)
	http.Register(r, http.Route{Method: "POST", Path: "/programs", Submits: true, Permission: access.QueriesWrite, ID: "programs.create", Summary: "Check a program and keep it", Status: 201}, a.createProgram)
	http.Register(r, http.Route{Method: "POST", Path: "/programs/validate", Permission: access.AnyUser, ID: "programs.validate", Summary: "Say what is wrong with a program"}, a.validateProgram)
	http.Register(r, http.Route{Method: "POST", Path: "/programs/execute", Permission: access.GraphRead, ByRow: true, ID: "programs.execute", Summary: "Run a program, or several one after the other", AnswerWithin: executeWithin}, a.executeProgram)
	http.Register(r, http.Route{Method: "POST", Path: "/programs/chain", Permission: access.GraphRead, ByRow: true, ID: "programs.chain", Summary: "Run programs, each with the graph of the one before", AnswerWithin: executeWithin}, a.chainPrograms)
	http.Register(r, http.Route{Method: "GET", Path: "/programs/{id}", Permission: access.QueriesRead, ByRow: true, ID: "programs.show", Summary: "Show a program that is kept"}, a.showProgram)
	http.RegisterEmpty(r, http.Route{Method: "DELETE", Path: "/programs/{id}", Permission: access.QueriesDelete, ByRow: true, ID: "programs.delete", Summary: "Delete a program that is kept"}, a.removeProgram)
}

type programInput struct{ Body programRequest }

type programRequest struct {
	_       struct{}        `additionalProperties:"false"`
	Name    *string         `json:"name,omitempty" doc:"Default: that of its metadata, else its number"`
	Program json.RawMessage `json:"program" doc:"An object with version 1 and statements"`
}

func asProgram(q programs.SavedQuery) api.Program {
	_, report := programs.Read(q.Definition)
	return api.Program{ID: q.ID, Name: q.Name, Program: q.Definition, OwnerID: q.OwnerID, Valid: report.Valid, CreatedAt: q.CreatedAt, UpdatedAt: q.UpdatedAt}
}

func (a *API) validateProgram(_ context.Context, in *programInput) (programs.Report, error) {
	_, report := programs.Read(in.Body.Program)
	return report, nil
}

func (a *API) createProgram(ctx context.Context, in *programInput) (api.Program, error) {
	p, report := programs.Read(in.Body.Program)
	if err := report.Err(); err != nil {
		return api.Program{}, err
	}
	n := programs.NewSavedQuery{Name: p.Name, Type: programs.QueryProgram, Definition: in.Body.Program, Parameters: p.Parameters, OwnerID: http.PrincipalOf(ctx).User.ID}
	if in.Body.Name != nil && *in.Body.Name != "" {
		n.Name = *in.Body.Name
	}
	if err := n.Validate(); err != nil {
		return api.Program{}, err
	}
	q, err := a.cfg.Queries.AddQuery(ctx, n)
	if err != nil {
		return api.Program{}, err
	}
	return asProgram(q), nil
}

// program returns a program when whoever makes the request has a permission for it. A query
// of another type is none.
func (a *API) program(ctx context.Context, permission access.Permission, id string) (programs.SavedQuery, error) {
	q, err := a.permitted(ctx, permission, id)
	if kappa.ErrorCode(err) == kappa.CodeNotFound || err == nil && q.Type != programs.QueryProgram {
		err = kappa.NewError(kappa.CodeNotFound, "Program not found: "+http.Printable(id))
	}
	return q, err
}

func (a *API) showProgram(ctx context.Context, in *idInput) (api.Program, error) {
	q, err := a.program(ctx, access.QueriesRead, in.ID)
	if err != nil {
		return api.Program{}, err
	}
	return asProgram(q), nil
}

func (a *API) removeProgram(ctx context.Context, in *idInput) error {
	q, err := a.program(ctx, access.QueriesDelete, in.ID)
	if err != nil {
		return err
	}
	return a.cfg.Queries.RemoveQuery(ctx, q.ID)
}

type programsInput struct {
	Search string `query:"search" doc:"Only those with this in their name or in their description, in whatever case"`
	Limit  int    `query:"limit" default:"20" doc:"1 to 500"`
	Cursor string `query:"cursor" doc:"The header X-Next-Cursor of the page before"`
}

// listPrograms shows the programs that the caller may read, newest first.
func (a *API) listPrograms(ctx context.Context, in *programsInput) ([]programs.Entry, error) {
	found, _, err := a.visible(ctx, programs.SavedQueryFilter{Type: programs.QueryProgram, Search: in.Search, Limit: in.Limit, Cursor: in.Cursor})
	list := make([]programs.Entry, len(found))
	for i, q := range found {
		list[i] = q.ProgramEntry()
	}
	if next := http.NextCursor(found, in.Limit, placeOf); next != nil {
		http.SetHeader(ctx, "X-Next-Cursor", *next)
	}
	return list, err
}
