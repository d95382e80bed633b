// Package ontologies is the part of the HTTP API that creates, shows, renames, freezes and
// deletes ontologies.
package ontologies

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

// ontologies are kept. An unknown one is CodeNotFound.
type ontologies interface {
	OntologyNode(ctx context.Context, name string) (kappa.OntologyNode, error)
	OntologyDetails(ctx context.Context, name string, limit int) (kappa.OntologyDetails, error)
	OntologyFiles(ctx context.Context, q kappa.FilesQuery) (files []kappa.OntologyFile, total int, err error)
	changer
	tombstones
}

// changer changes ontologies.
type changer interface {
	CreateOntology(ctx context.Context, o kappa.NewOntology) (kappa.OntologyNode, error)
	SetLifecycle(ctx context.Context, name, state string) (previous string, err error)
	// RenameOntology returns how many chunks the ontology has.
	RenameOntology(ctx context.Context, name, newName string) (sources int, err error)
}

// tombstones are names of deleted ontologies that stay blocked.
type tombstones interface {
	Tombstones(ctx context.Context) ([]kappa.OntologyTombstone, error)
	// ClearTombstones frees one name, or for "" all of them.
	ClearTombstones(ctx context.Context, name string) (names []string, err error)
}

// remover deletes ontologies with all that no other document supports.
type remover interface {
	RemoveOntology(ctx context.Context, r kappa.OntologyRemoval) (kappa.RemovedOntology, error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	Ontologies ontologies
	Remover    remover
}

// API keeps ontologies.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "POST", Path: "/ontology/", Submits: true, Permission: kappa.OntologiesCreate, ID: "ontologies.create", Summary: "Create an ontology", Status: 201}, a.create)
	http.Register(r, http.Route{Method: "GET", Path: "/ontology/tombstones", Permission: kappa.OntologiesRead, ID: "ontologies.tombstones", Summary: "List the names that stay blocked"}, a.listTombstones)
	http.Register(r, http.Route{Method: "DELETE", Path: "/ontology/tombstones", Permission: kappa.OntologiesDelete, ID: "ontologies.flush-tombstones", Summary: "Free all names that are blocked"},
		func(ctx context.Context, _ *struct{}) (flushed, error) { return a.clear(ctx, "") })
	http.Register(r, http.Route{Method: "DELETE", Path: "/ontology/tombstones/{name}", Permission: kappa.OntologiesDelete, ID: "ontologies.clear-tombstone", Summary: "Free a name that is blocked"},
		func(ctx context.Context, in *nameInput) (flushed, error) { return a.clear(ctx, in.Name) })
	http.Register(r, http.Route{Method: "GET", Path: "/ontology/{name}", Permission: kappa.OntologiesRead, ByRow: true, ID: "ontologies.show", Summary: "Show an ontology and what it holds"},
		func(ctx context.Context, in *showInput) (kappa.OntologyDetails, error) {
			if err := kappa.CheckFileLimit(in.Limit); err != nil {
				return kappa.OntologyDetails{}, err
			}
			if err := a.permit(ctx, kappa.OntologiesRead, in.Name); err != nil {
				return kappa.OntologyDetails{}, err
			}
			return a.cfg.Ontologies.OntologyDetails(ctx, in.Name, in.Limit)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/ontology/{name}/node", Permission: kappa.OntologiesRead, ByRow: true, ID: "ontologies.node", Summary: "Show an ontology"},
		func(ctx context.Context, in *nameInput) (kappa.OntologyNode, error) {
			if err := a.permit(ctx, kappa.OntologiesRead, in.Name); err != nil {
				return kappa.OntologyNode{}, err
			}
			return a.cfg.Ontologies.OntologyNode(ctx, in.Name)
		})
	http.Register(r, http.Route{Method: "GET", Path: "/ontology/{name}/files", Permission: kappa.OntologiesRead, ByRow: true, ID: "ontologies.files", Summary: "List the documents of an ontology"}, a.files)
	http.Register(r, http.Route{Method: "PUT", Path: "/ontology/{name}/lifecycle", Permission: kappa.OntologiesWrite, ByRow: true, ID: "ontologies.lifecycle", Summary: "Freeze, pin or free an ontology"}, a.lifecycle)
	http.Register(r, http.Route{Method: "POST", Path: "/ontology/{name}/rename", Permission: kappa.OntologiesWrite, ByRow: true, ID: "ontologies.rename", Summary: "Rename an ontology, with its jobs"}, a.rename)
	http.Register(r, http.Route{Method: "DELETE", Path: "/ontology/{name}", Permission: kappa.OntologiesDelete, ByRow: true, ID: "ontologies.delete", Summary: "Delete an ontology with all that no other one supports"}, a.remove)
	return http.CheckConfig("http/ontologies", a.cfg)
}

// permit returns a CodeForbidden Error unless the principal of the request has a permission
// for the ontology.
func (a *API) permit(ctx context.Context, permission kappa.Permission, name string) error {
	_, err := http.PermittedOntology(ctx, permission, name, a.cfg.Ontologies.OntologyNode)
	return err
}

type nameInput struct {
	Name string `path:"name" doc:"The name, percent-encoded"`
}
