package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/work/artifacts"
)

// ArtifactList is a page of artifacts and how many there are.
type ArtifactList struct {
	Artifacts []artifacts.Artifact `json:"artifacts"`
	Total     int                  `json:"total"`
	Limit     int                  `json:"limit"`
	Offset    int                  `json:"offset"`
	Next      *string              `json:"next_cursor"` // nil after the last page
}

// ArtifactPayload is an artifact with its payload.
type ArtifactPayload struct {
	artifacts.Artifact
	Payload json.RawMessage `json:"payload"`
}

// Artifacts returns the artifacts that f selects, newest first. A Limit of 0 leaves the
// number to the server.
func (c *Client) Artifacts(ctx context.Context, f artifacts.Filter) (ArtifactList, error) {
	query := url.Values{}
	for name, value := range map[string]*string{"artifact_type": f.Type, "representation": f.Representation, "ontology": f.Ontology} {
		if value != nil {
			query.Set(name, *value)
		}
	}
	if f.Cursor != "" {
		query.Set("cursor", f.Cursor)
	}
	if f.OwnerID != nil {
		query.Set("owner_id", strconv.Itoa(*f.OwnerID))
	}
	for name, value := range map[string]int{"limit": f.Limit, "offset": f.Offset} {
		if value != 0 {
			query.Set(name, strconv.Itoa(value))
		}
	}
	return fetch[ArtifactList](ctx, c, get("/artifacts", query))
}

// Artifact returns an artifact without its payload.
func (c *Client) Artifact(ctx context.Context, id int) (artifacts.Artifact, error) {
	return fetch[artifacts.Artifact](ctx, c, get(artifactPath(id), nil))
}

// ArtifactPayload returns an artifact with its payload.
func (c *Client) ArtifactPayload(ctx context.Context, id int) (ArtifactPayload, error) {
	return fetch[ArtifactPayload](ctx, c, get(artifactPath(id)+"/payload", nil))
}

// DeleteArtifact deletes an artifact.
func (c *Client) DeleteArtifact(ctx context.Context, id int) error {
	_, _, err := c.exchange(ctx, call{method: http.MethodDelete, path: artifactPath(id)})
	return err
}

// RegenerateArtifact has an artifact computed again, in a job that makes a new one.
func (c *Client) RegenerateArtifact(ctx context.Context, id int) (JobReply, error) {
	return fetchOnce[JobReply](ctx, c, withForm(artifactPath(id)+"/regenerate", nil))
}

func artifactPath(id int) string { return "/artifacts/" + strconv.Itoa(id) }
