// Package ontologies is the part of the HTTP API that creates, shows, renames, freezes and
// deletes ontologies.
package ontologies

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

// ontologies are kept. An unknown one is CodeNotFound.
type ontologyStore interface {
	OntologyNode(ctx context.Context, name string) (ontologies.Node, error)
	OntologyDetails(ctx context.Context, name string, limit int) (ontologies.Details, error)
	OntologyFiles(ctx context.Context, q ontologies.FilesQuery) (files []ontologies.File, total int, err error)
	changer
	tombstones
}

// changer changes ontologies.
type changer interface {
	CreateOntology(ctx context.Context, o ontologies.NewOntology) (ontologies.Node, error)
	SetLifecycle(ctx context.Context, name, state string) (previous string, err error)
	// RenameOntology returns how many chunks the ontology has.
	RenameOntology(ctx context.Context, name, newName string) (sources int, err error)
}

// tombstones are names of deleted ontologies that stay blocked.
type tombstones interface {
	Tombstones(ctx context.Context) ([]ontologies.Tombstone, error)
	// ClearTombstones frees one name, or for "" all of them.
	ClearTombstones(ctx context.Context, name string) (names []string, err error)
}

// remover deletes ontologies with all that no other document supports.
type remover interface {
	RemoveOntology(ctx context.Context, r ontologies.Removal) (ontologies.Removed, error)
}

// keeper says how many earlier versions of their documents ontologies keep.
type keeper interface {
	KeepVersions(ctx context.Context, name string, keep int) (before, forgotten int, err error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	Ontologies ontologyStore
	Keeper     keeper
	Remover    remover
}

// API keeps ontologies.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "POST", Path: "/ontology/", Submits: true, Permission: access.OntologiesCreate, ID: "ontologies.create", Summary: "Create an ontology", Status: 201}, a.create)
	http.Register(r, http.Route{Method: "GET", Path: "/ontology/tombstones", Permission: access.OntologiesRead, ID: "ontologies.tombstones", Summary: "List the names that stay blocked"}, a.listTombstones)
	http.Register(r, http.Route{Method: "DELETE", Path: "/ontology/tombstones", Permission: access.OntologiesDelete, ID: "ontologies.flush-tombstones", Summary: "Free all names that are blocked"},
		func(ctx context.Context, _ *struct{}) (api.Flushed, error) { return a.clear(ctx, "") })
	http.Register(r, http.Route{Method: "DELETE", Path: "/ontology/tombstones/{name}", Permission: access.OntologiesDelete, ID: "ontologies.clear-tombstone", Summary: "Free a name that is blocked"},
		func(ctx context.Context, in *nameInput) (api.Flushed, error) { return a.clear(ctx, in.Name) })
	http.Register(r, http.Route{Method: "GET", Path: "/ontology/{name}", Permission: access.OntologiesRead, ByRow: true, ID: "ontologies.show", Summary: "Show an ontology and what it holds"},
		func(ctx context.Context, in *showInput) (ontologies.Details, error) {
			if err := ontologies.CheckFileLimit(in.Limit); err != nil {
				return ontologies.Details{}, err
			}
			if err := a.permit(ctx, access.OntologiesRead, in.Name); err != nil {
				return ontologies.Details{}, err
			}
			return a.cfg.Ontologies.OntologyDetails(ctx, in.Name, in.Limit)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/ontology/{name}/node", Permission: access.OntologiesRead, ByRow: true, ID: "ontologies.node", Summary: "Show an ontology"},
		func(ctx context.Context, in *nameInput) (ontologies.Node, error) {
			if err := a.permit(ctx, access.OntologiesRead, in.Name); err != nil {
				return ontologies.Node{}, err
			}
			return a.cfg.Ontologies.OntologyNode(ctx, in.Name)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/ontology/{name}/files", Permission: access.OntologiesRead, ByRow: true, ID: "ontologies.files", Summary: "List the documents of an ontology"}, a.files)
	http.Register(r, http.Route{Method: "PUT", Path: "/ontology/{name}/versions", Permission: access.OntologiesWrite, ByRow: true, ID: "ontologies.keep-versions", Summary: "Set how many earlier versions of its documents an ontology keeps"}, a.keepVersions)
	http.Register(r, http.Route{Method: "PUT", Path: "/ontology/{name}/lifecycle", Permission: access.OntologiesWrite, ByRow: true, ID: "ontologies.lifecycle", Summary: "Freeze, pin or free an ontology"}, a.lifecycle)
	http.Register(r, http.Route{Method: "POST", Path: "/ontology/{name}/rename", Permission: access.OntologiesWrite, ByRow: true, ID: "ontologies.rename", Summary: "Rename an ontology, with its jobs"}, a.rename)
	http.Register(r, http.Route{Method: "DELETE", Path: "/ontology/{name}", Permission: access.OntologiesDelete, ByRow: true, ID: "ontologies.delete", Summary: "Delete an ontology with all that no other one supports"}, a.remove)
	return http.CheckConfig("http/ontologies", a.cfg)
}

// permit returns a CodeForbidden Error unless the principal of the request has a permission
// for the ontology.
func (a *API) permit(ctx context.Context, permission access.Permission, name string) error {
	_, err := http.PermittedOntology(ctx, permission, name, a.cfg.Ontologies.OntologyNode)
	return err
}

type nameInput struct {
	Name string `path:"name" doc:"The name, percent-encoded"`
}
