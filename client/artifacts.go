package client

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/artifacts"
)

// Artifacts are results that are kept.
type Artifacts struct{ c *Client }

// List returns the artifacts that f selects, newest first. A Limit of 0 leaves the
// number to the server.
func (s Artifacts) List(ctx context.Context, f artifacts.Filter) (api.ArtifactList, error) {
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
	return fetch[api.ArtifactList](ctx, s.c, get("/artifacts", query))
}

// All yields every artifact that f selects, newest first.
func (s Artifacts) All(ctx context.Context, f artifacts.Filter) iter.Seq2[artifacts.Artifact, error] {
	return pages(func(cursor string) ([]artifacts.Artifact, *string, error) {
		f.Cursor = cursor
		list, err := s.List(ctx, f)
		return list.Artifacts, list.Next, err
	}, f.Cursor)
}

// Get returns an artifact without its payload.
func (s Artifacts) Get(ctx context.Context, id int) (artifacts.Artifact, error) {
	return fetch[artifacts.Artifact](ctx, s.c, get(artifactPath(id), nil))
}

// Payload returns an artifact with its payload.
func (s Artifacts) Payload(ctx context.Context, id int) (api.ArtifactPayload, error) {
	return fetch[api.ArtifactPayload](ctx, s.c, get(artifactPath(id)+"/payload", nil))
}

// downloadTimeout is for the largest file over a slow line.
const downloadTimeout = time.Hour

// Download writes the file of an artifact to w, and returns how many bytes it has.
// A file that ends early is an error.
func (s Artifacts) Download(ctx context.Context, id int, w io.Writer) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	resp, err := s.c.send(ctx, call{method: http.MethodGet, path: "/artifacts/" + strconv.Itoa(id) + "/download"})
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	n, err := io.Copy(w, resp.Body)
	if err != nil {
		return n, fmt.Errorf("download the artifact: %w", err)
	}
	return n, nil
}

// Delete deletes an artifact.
func (s Artifacts) Delete(ctx context.Context, id int) error {
	_, _, err := s.c.exchange(ctx, call{method: http.MethodDelete, path: artifactPath(id)})
	return err
}

// Regenerate has an artifact computed again, in a job that makes a new one.
func (s Artifacts) Regenerate(ctx context.Context, id int) (api.JobReply, error) {
	return fetchOnce[api.JobReply](ctx, s.c, withForm(artifactPath(id)+"/regenerate", nil))
}

func artifactPath(id int) string { return "/artifacts/" + strconv.Itoa(id) }
