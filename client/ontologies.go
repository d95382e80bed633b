package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/knowledge/ontologies"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Ontologies are the collections that documents are ingested into.
type Ontologies struct{ c *Client }

// List returns the ontologies by name.
func (s Ontologies) List(ctx context.Context) ([]ontologies.Ontology, error) {
	out, err := fetch[struct {
		Ontologies []ontologies.Ontology `json:"ontologies"`
	}](ctx, s.c, get("/ontology/", nil))
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

// OntologyFiles are the documents of an ontology.
type OntologyFiles struct {
	Ontology string            `json:"ontology"`
	Count    int               `json:"count"`
	Files    []ontologies.File `json:"files"`
}

// Files returns the documents of an ontology by their paths.
func (s Ontologies) Files(ctx context.Context, name string) (OntologyFiles, error) {
	return fetch[OntologyFiles](ctx, s.c, get(ontologyPath(name)+"/files", nil))
}

// Lifecycle is the change of the state of an ontology.
type Lifecycle struct {
	Ontology string `json:"ontology"`
	Previous string `json:"previous_state"`
	New      string `json:"new_state"`
}

// SetLifecycle sets the state of an ontology: active, pinned or frozen.
func (s Ontologies) SetLifecycle(ctx context.Context, name, state string) (Lifecycle, error) {
	return fetchJSON[Lifecycle](ctx, s.c, http.MethodPut, ontologyPath(name)+"/lifecycle", map[string]string{"state": state})
}

// Renamed is the change of the name of an ontology.
type Renamed struct {
	OldName string `json:"old_name"`
	NewName string `json:"new_name"`
	Sources int    `json:"sources_updated"`
}

// Rename gives an ontology another name.
func (s Ontologies) Rename(ctx context.Context, name, newName string) (Renamed, error) {
	return fetchJSON[Renamed](ctx, s.c, http.MethodPost, ontologyPath(name)+"/rename", map[string]string{"new_name": newName})
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

// TombstoneList are the names that stay blocked.
type TombstoneList struct {
	Tombstones []ontologies.Tombstone `json:"tombstones"`
	Count      int                    `json:"count"`
}

// Tombstones returns the names of deleted ontologies that stay blocked.
func (s Ontologies) Tombstones(ctx context.Context) (TombstoneList, error) {
	return fetch[TombstoneList](ctx, s.c, get("/ontology/tombstones", nil))
}

// Flushed are names that were blocked.
type Flushed struct {
	Flushed int      `json:"flushed"`
	Names   []string `json:"names"`
}

// ClearTombstones frees a name that is blocked, or for "" all of them.
func (s Ontologies) ClearTombstones(ctx context.Context, name string) (Flushed, error) {
	path := "/ontology/tombstones"
	if name != "" {
		path += "/" + url.PathEscape(name)
	}
	return fetch[Flushed](ctx, s.c, call{method: http.MethodDelete, path: path})
}

func ontologyPath(name string) string { return "/ontology/" + url.PathEscape(name) }

// About returns what an ontology is about: its largest communities.
func (s Ontologies) About(ctx context.Context, ontology string) (questions.Communities, error) {
	in := get("/ontology/"+url.PathEscape(ontology)+"/about", nil)
	in.timeout = surveyTimeout
	return fetch[questions.Communities](ctx, s.c, in)
}
