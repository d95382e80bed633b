package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Ontologies are the collections that documents are ingested into.
type Ontologies struct{ c *Client }

// List returns the ontologies by name.
func (s Ontologies) List(ctx context.Context) ([]ontologies.Ontology, error) {
	out, err := fetch[api.OntologyList](ctx, s.c, get("/ontology/", nil))
	return out.Ontologies, err
}

// Create adds an ontology.
func (s Ontologies) Create(ctx context.Context, name, description string) (ontologies.Node, error) {
	return fetchJSONOnce[ontologies.Node](ctx, s.c, http.MethodPost, "/ontology/", map[string]string{"name": name, "description": description})
}

// Get returns an ontology and what it holds.
func (s Ontologies) Get(ctx context.Context, name string) (ontologies.Details, error) {
	return fetch[ontologies.Details](ctx, s.c, get(ontologyPath(name), nil))
}

// Files returns the documents of an ontology by their paths.
func (s Ontologies) Files(ctx context.Context, name string) (api.OntologyFiles, error) {
	return fetch[api.OntologyFiles](ctx, s.c, get(ontologyPath(name)+"/files", nil))
}

// AllFiles yields the documents of an ontology by their paths, read page by page.
func (s Ontologies) AllFiles(ctx context.Context, name string) iter.Seq2[ontologies.File, error] {
	return pages(func(cursor string) ([]ontologies.File, *string, error) {
		query := url.Values{"limit": {strconv.Itoa(ontologies.MaxFiles)}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		list, err := fetch[api.OntologyFiles](ctx, s.c, get(ontologyPath(name)+"/files", query))
		return list.Files, list.Next, err
	}, "")
}

// SetLifecycle sets the state of an ontology: active, pinned or frozen.
func (s Ontologies) SetLifecycle(ctx context.Context, name, state string) (api.Lifecycle, error) {
	return fetchJSON[api.Lifecycle](ctx, s.c, http.MethodPut, ontologyPath(name)+"/lifecycle", map[string]string{"state": state})
}

// KeepVersions sets how many earlier versions of its documents an ontology keeps.
func (s Ontologies) KeepVersions(ctx context.Context, name string, keep int) (api.KeptVersions, error) {
	return fetchJSON[api.KeptVersions](ctx, s.c, http.MethodPut, ontologyPath(name)+"/versions", map[string]int{"keep_versions": keep})
}

// Rename gives an ontology another name.
func (s Ontologies) Rename(ctx context.Context, name, newName string) (api.Renamed, error) {
	return fetchJSON[api.Renamed](ctx, s.c, http.MethodPost, ontologyPath(name)+"/rename", map[string]string{"new_name": newName})
}

// PreviewDelete says what Delete would delete.
func (s Ontologies) PreviewDelete(ctx context.Context, name string) (ontologies.Removed, error) {
	return fetch[ontologies.Removed](ctx, s.c, previewDelete(ontologyPath(name)))
}

// Delete deletes an ontology with all that no other one supports; keepTombstone
// blocks its name.
func (s Ontologies) Delete(ctx context.Context, name string, keepTombstone bool) (ontologies.Removed, error) {
	query := url.Values{"force": {"true"}}
	if keepTombstone {
		query.Set("keep_tombstone", "true")
	}
	return fetch[ontologies.Removed](ctx, s.c, call{method: http.MethodDelete, path: ontologyPath(name), query: query})
}

// Tombstones returns the names of deleted ontologies that stay blocked.
func (s Ontologies) Tombstones(ctx context.Context) (api.TombstoneList, error) {
	return fetch[api.TombstoneList](ctx, s.c, get("/ontology/tombstones", nil))
}

// ClearTombstones frees a name that is blocked, or for "" all of them.
func (s Ontologies) ClearTombstones(ctx context.Context, name string) (api.Flushed, error) {
	path := "/ontology/tombstones"
	if name != "" {
		path += "/" + url.PathEscape(name)
	}
	return fetch[api.Flushed](ctx, s.c, call{method: http.MethodDelete, path: path})
}

func ontologyPath(name string) string { return "/ontology/" + url.PathEscape(name) }

// About returns what an ontology is about: its largest communities.
func (s Ontologies) About(ctx context.Context, ontology string) (questions.Communities, error) {
	in := get("/ontology/"+url.PathEscape(ontology)+"/about", nil)
	in.timeout = surveyTimeout
	return fetch[questions.Communities](ctx, s.c, in)
}
