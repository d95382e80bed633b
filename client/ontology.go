package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/knowledge/ontologies"
)

// CreateOntology adds an ontology.
func (c *Client) CreateOntology(ctx context.Context, name, description string) (ontologies.Node, error) {
	return fetchJSONOnce[ontologies.Node](ctx, c, http.MethodPost, "/ontology/", map[string]string{"name": name, "description": description})
}

// Ontology returns an ontology and what it holds.
func (c *Client) Ontology(ctx context.Context, name string) (ontologies.Details, error) {
	return fetch[ontologies.Details](ctx, c, get(ontologyPath(name), nil))
}

// OntologyFiles are the documents of an ontology.
type OntologyFiles struct {
	Ontology string            `json:"ontology"`
	Count    int               `json:"count"`
	Files    []ontologies.File `json:"files"`
}

// OntologyFiles returns the documents of an ontology by their paths.
func (c *Client) OntologyFiles(ctx context.Context, name string) (OntologyFiles, error) {
	return fetch[OntologyFiles](ctx, c, get(ontologyPath(name)+"/files", nil))
}

// Lifecycle is the change of the state of an ontology.
type Lifecycle struct {
	Ontology string `json:"ontology"`
	Previous string `json:"previous_state"`
	New      string `json:"new_state"`
}

// SetLifecycle sets the state of an ontology: active, pinned or frozen.
func (c *Client) SetLifecycle(ctx context.Context, name, state string) (Lifecycle, error) {
	return fetchJSON[Lifecycle](ctx, c, http.MethodPut, ontologyPath(name)+"/lifecycle", map[string]string{"state": state})
}

// Renamed is the change of the name of an ontology.
type Renamed struct {
	OldName string `json:"old_name"`
	NewName string `json:"new_name"`
	Sources int    `json:"sources_updated"`
}

// RenameOntology gives an ontology another name.
func (c *Client) RenameOntology(ctx context.Context, name, newName string) (Renamed, error) {
	return fetchJSON[Renamed](ctx, c, http.MethodPost, ontologyPath(name)+"/rename", map[string]string{"new_name": newName})
}

// PreviewDeleteOntology says what DeleteOntology would delete.
func (c *Client) PreviewDeleteOntology(ctx context.Context, name string) (ontologies.Removed, error) {
	return fetch[ontologies.Removed](ctx, c, previewDelete(ontologyPath(name)))
}

// DeleteOntology deletes an ontology with all that no other one supports; keepTombstone
// blocks its name.
func (c *Client) DeleteOntology(ctx context.Context, name string, keepTombstone bool) (ontologies.Removed, error) {
	query := url.Values{"force": {"true"}}
	if keepTombstone {
		query.Set("keep_tombstone", "true")
	}
	return fetch[ontologies.Removed](ctx, c, call{method: http.MethodDelete, path: ontologyPath(name), query: query})
}

// TombstoneList are the names that stay blocked.
type TombstoneList struct {
	Tombstones []ontologies.Tombstone `json:"tombstones"`
	Count      int                    `json:"count"`
}

// Tombstones returns the names of deleted ontologies that stay blocked.
func (c *Client) Tombstones(ctx context.Context) (TombstoneList, error) {
	return fetch[TombstoneList](ctx, c, get("/ontology/tombstones", nil))
}

// Flushed are names that were blocked.
type Flushed struct {
	Flushed int      `json:"flushed"`
	Names   []string `json:"names"`
}

// ClearTombstones frees a name that is blocked, or for "" all of them.
func (c *Client) ClearTombstones(ctx context.Context, name string) (Flushed, error) {
	path := "/ontology/tombstones"
	if name != "" {
		path += "/" + url.PathEscape(name)
	}
	return fetch[Flushed](ctx, c, call{method: http.MethodDelete, path: path})
}

func ontologyPath(name string) string { return "/ontology/" + url.PathEscape(name) }
