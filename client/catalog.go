package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/knowledge/questions"
)

// CatalogChildren returns what is directly below a node of the catalogue; an empty Parent
// stands above all ontologies. An empty Sort and a Limit of 0 are left to the server.
func (s Graph) CatalogChildren(ctx context.Context, q questions.CatalogQuery) (questions.CatalogPage, error) {
	values := url.Values{}
	for name, value := range map[string]string{"parent": q.Parent, "parent_kind": q.Kind, "ontology": q.Ontology, "q": q.Fragment, "sort": q.Sort} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if q.Limit != 0 {
		values.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Offset != 0 {
		values.Set("offset", strconv.Itoa(q.Offset))
	}
	return fetch[questions.CatalogPage](ctx, s.c, get("/catalog/children", values))
}

// CatalogNode returns a node of the catalogue by its id. An empty kind finds an ontology
// before a document before a chunk.
func (s Graph) CatalogNode(ctx context.Context, id, kind string) (questions.CatalogNode, error) {
	values := url.Values{}
	if kind != "" {
		values.Set("kind", kind)
	}
	return fetch[questions.CatalogNode](ctx, s.c, get("/catalog/node/"+url.PathEscape(id), values))
}
