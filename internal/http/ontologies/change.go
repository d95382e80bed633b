package ontologies

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

type createInput struct{ Body createRequest }

type createRequest struct {
	Name        string  `json:"name" doc:"1 to 200 characters"`
	Description *string `json:"description,omitempty"`
}

func (a *API) create(ctx context.Context, in *createInput) (ontologies.Node, error) {
	o := ontologies.NewOntology{Name: strings.TrimSpace(in.Body.Name), Description: http.Or(in.Body.Description, ""), UserID: http.PrincipalOf(ctx).User.ID}
	if err := o.Validate(); err != nil {
		return ontologies.Node{}, err
	}
	return a.cfg.Ontologies.CreateOntology(ctx, o)
}

type showInput struct {
	Name  string `path:"name" doc:"The name, percent-encoded"`
	Limit int    `query:"limit" doc:"How many of its files are named, 1 to 1000; default: all"`
}

type filesInput struct {
	Name   string `path:"name" doc:"The name, percent-encoded"`
	Limit  int    `query:"limit" doc:"1 to 1000; default: all"`
	Cursor string `query:"cursor" doc:"The next_cursor of the page before"`
}

func (a *API) files(ctx context.Context, in *filesInput) (api.OntologyFiles, error) {
	q := ontologies.FilesQuery{Ontology: in.Name, Limit: in.Limit, Cursor: in.Cursor}
	if err := q.Validate(); err != nil {
		return api.OntologyFiles{}, err
	}
	if err := a.permit(ctx, access.OntologiesRead, in.Name); err != nil {
		return api.OntologyFiles{}, err
	}
	files, total, err := a.cfg.Ontologies.OntologyFiles(ctx, q)
	list := api.OntologyFiles{Ontology: in.Name, Count: total, Files: files}
	if in.Limit > 0 {
		list.Next = http.NextCursor(files, in.Limit, func(f ontologies.File) kappa.Cursor { return f.Place })
	}
	return list, err
}

type lifecycleInput struct {
	Name string `path:"name" doc:"The name, percent-encoded"`
	Body struct {
		State string `json:"state" doc:"active, pinned (kept as it is by maintenance) or frozen (read-only)"`
	}
}

func (a *API) lifecycle(ctx context.Context, in *lifecycleInput) (api.Lifecycle, error) {
	if err := ontologies.CheckLifecycle(in.Body.State); err != nil {
		return api.Lifecycle{}, err
	}
	if err := a.permit(ctx, access.OntologiesWrite, in.Name); err != nil {
		return api.Lifecycle{}, err
	}
	previous, err := a.cfg.Ontologies.SetLifecycle(ctx, in.Name, in.Body.State)
	return api.Lifecycle{Ontology: in.Name, Previous: previous, New: in.Body.State, Success: true}, err
}

type keepVersionsInput struct {
	Name string `path:"name" doc:"The name, percent-encoded"`
	Body struct {
		Keep *int `json:"keep_versions" doc:"0 to 1000; 0 keeps none. What there is beyond is forgotten at once"`
	}
}

func (a *API) keepVersions(ctx context.Context, in *keepVersionsInput) (api.KeptVersions, error) {
	if err := ontologies.CheckKeepVersions(in.Body.Keep); err != nil {
		return api.KeptVersions{}, err
	}
	if err := a.permit(ctx, access.OntologiesWrite, in.Name); err != nil {
		return api.KeptVersions{}, err
	}
	before, forgotten, err := a.cfg.Keeper.KeepVersions(ctx, in.Name, *in.Body.Keep)
	return api.KeptVersions{Ontology: in.Name, Previous: before, Keep: *in.Body.Keep, Forgotten: forgotten}, err
}

type renameInput struct {
	Name string `path:"name" doc:"The name, percent-encoded"`
	Body struct {
		NewName string `json:"new_name" doc:"1 to 200 characters"`
	}
}

func (a *API) rename(ctx context.Context, in *renameInput) (api.Renamed, error) {
	name := strings.TrimSpace(in.Body.NewName)
	if err := ontologies.CheckRename(name); err != nil {
		return api.Renamed{}, err
	}
	if err := a.permitRename(ctx, in.Name, name); err != nil {
		return api.Renamed{}, err
	}
	sources, err := a.cfg.Ontologies.RenameOntology(ctx, in.Name, name)
	return api.Renamed{OldName: in.Name, NewName: name, Sources: sources, Success: true}, err
}

// permitRename returns a CodeForbidden Error unless the principal may change the ontology
// under both of its names: a name says who may see it, and what was read into it.
func (a *API) permitRename(ctx context.Context, name, newName string) error {
	row, err := http.PermittedOntology(ctx, access.OntologiesWrite, name, a.cfg.Ontologies.OntologyNode)
	if err != nil {
		return err
	}
	row.Ontology = newName
	return http.PrincipalOf(ctx).PermitRow(access.OntologiesWrite, row)
}

type removeInput struct {
	Name          string    `path:"name" doc:"The name, percent-encoded"`
	Force         http.Flag `query:"force" doc:"Must be true: everything in it goes"`
	KeepTombstone http.Flag `query:"keep_tombstone" doc:"Keep the name from being ingested into again"`
	DryRun        http.Flag `query:"dry_run" doc:"Delete nothing, and say what would go; force is not needed"`
}

func (a *API) remove(ctx context.Context, in *removeInput) (ontologies.Removed, error) {
	if !in.Force.On() && !in.DryRun.On() {
		return ontologies.Removed{}, kappa.NewError(kappa.CodeMalformed, "Deleting an ontology removes its documents and what nothing else shows: set force=true")
	}
	if err := a.permit(ctx, access.OntologiesDelete, in.Name); err != nil {
		return ontologies.Removed{}, err
	}
	return a.cfg.Remover.RemoveOntology(ctx, ontologies.Removal{
		Name: in.Name, KeepTombstone: in.KeepTombstone.On(), RemovedBy: http.PrincipalOf(ctx).User.Username, UserID: http.PrincipalOf(ctx).User.ID, DryRun: in.DryRun.On(),
	})
}

func (a *API) listTombstones(ctx context.Context, _ *struct{}) (api.TombstoneList, error) {
	list, err := a.cfg.Ontologies.Tombstones(ctx)
	return api.TombstoneList{Tombstones: list, Count: len(list)}, err
}

func (a *API) clear(ctx context.Context, name string) (api.Flushed, error) {
	names, err := a.cfg.Ontologies.ClearTombstones(ctx, name)
	return api.Flushed{Flushed: len(names), Names: names}, err
}
