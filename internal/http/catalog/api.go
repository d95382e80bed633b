// Package catalog is the part of the HTTP API that shows what was ingested as a tree:
// ontologies, their documents, the chunks of those.
package catalog

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// tree is what was ingested. An unknown node is CodeNotFound.
type tree interface {
	CatalogNode(ctx context.Context, id, kind, ontology string) (questions.CatalogNode, error)
	CatalogChildren(ctx context.Context, q questions.CatalogQuery) (questions.CatalogPage, error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	Tree tree
}

// API shows the catalogue.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes.
func (a *API) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "GET", Path: "/catalog/children", Permission: access.CatalogRead, ID: "catalog.children", Summary: "List what is below a node of the catalogue, or all ontologies"}, a.children)
	http.Register(r, http.Route{Method: "GET", Path: "/catalog/node/{id}", Permission: access.CatalogRead, ID: "catalog.node", Summary: "Show a node of the catalogue"}, a.node)
	return http.CheckConfig("http/catalog", a.cfg)
}

type childrenInput struct {
	Parent   string `query:"parent" doc:"The id of an ontology or a document, or the name of an ontology; default: above all ontologies"`
	Path     string `query:"path" doc:"The same as parent"`
	Kind     string `query:"parent_kind" doc:"ontology or document, when an id could be both"`
	Ontology string `query:"ontology" doc:"Of a document that is in several; default: the one that took it last"`
	Fragment string `query:"q" doc:"Only those with this in their name, in whatever case; of chunks, in their text"`
	Sort     string `query:"sort" default:"name" doc:"name, child_count or created"`
	Limit    int    `query:"limit" default:"100" doc:"1 to 500"`
	Offset   int    `query:"offset" default:"0" doc:"How many to leave out before the page"`
}

func (a *API) children(ctx context.Context, in *childrenInput) (questions.CatalogPage, error) {
	if in.Parent == "" {
		in.Parent = in.Path
	}
	q := questions.CatalogQuery{
		Parent: in.Parent, Kind: in.Kind, Ontology: in.Ontology, Fragment: in.Fragment, Sort: in.Sort, Limit: in.Limit, Offset: in.Offset,
	}
	if err := q.Validate(); err != nil {
		return questions.CatalogPage{}, err
	}
	return a.cfg.Tree.CatalogChildren(ctx, q)
}

type nodeInput struct {
	ID       string `path:"id" doc:"Of an ontology, a document or a chunk; or the name of an ontology"`
	Kind     string `query:"kind" doc:"ontology, document or source, when an id could be several"`
	Ontology string `query:"ontology" doc:"Of a document that is in several; default: the one that took it last"`
}

func (a *API) node(ctx context.Context, in *nodeInput) (questions.CatalogNode, error) {
	if err := questions.CheckCatalogNode(in.ID, in.Kind, in.Ontology); err != nil {
		return questions.CatalogNode{}, err
	}
	return a.cfg.Tree.CatalogNode(ctx, in.ID, in.Kind, in.Ontology)
}
