package library

import (
	"context"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
)

// versions are those of documents that stand, and those that went. An unknown document is
// CodeNotFound.
type versions interface {
	Versions(ctx context.Context, id, ontology string) (corpus.Versions, error)
	VersionText(ctx context.Context, v corpus.Version) ([]corpus.DocumentChunk, error)
	VersionFacts(ctx context.Context, v corpus.Version) (corpus.VersionFacts, error)
}

func (a *API) registerVersions(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/documents/{id}/versions", Permission: access.GraphRead, ByRow: true, ID: "documents.versions", Summary: "List the versions of a document, the newest first"}, a.listVersions)
	http.Register(r, http.Route{Method: "GET", Path: "/documents/{id}/versions/{version}", Permission: access.GraphRead, ByRow: true, ID: "documents.version", Summary: "Show the text of a version of a document"}, a.showVersion)
	http.Register(r, http.Route{Method: "GET", Path: "/documents/{id}/compare", Permission: access.GraphRead, ByRow: true, ID: "documents.compare", Summary: "Show what has changed between two versions of a document"}, a.compareVersions)
}

// versionsOf returns the versions of a document that may be read.
func (a *API) versionsOf(ctx context.Context, id, ontology string) (corpus.Versions, error) {
	if err := http.Narrow(ctx, access.GraphRead, &ontology); err != nil {
		return corpus.Versions{}, err
	}
	return a.cfg.Versions.Versions(ctx, id, ontology)
}

func (a *API) listVersions(ctx context.Context, in *documentInput) (corpus.Versions, error) {
	return a.versionsOf(ctx, in.ID, in.Ontology)
}

type versionInput struct {
	ID       string `path:"id" doc:"sha256: and 64 hexadecimal digits, of any version"`
	Ontology string `query:"ontology" doc:"Of the ontologies that have it; default: the one that took it last"`
	Version  int    `path:"version" doc:"From 1"`
}

func (a *API) showVersion(ctx context.Context, in *versionInput) (corpus.VersionContent, error) {
	all, err := a.versionsOf(ctx, in.ID, in.Ontology)
	if err != nil {
		return corpus.VersionContent{}, err
	}
	v, err := all.Find(in.Version)
	if err != nil {
		return corpus.VersionContent{}, err
	}
	text, err := a.cfg.Versions.VersionText(ctx, v)
	return corpus.VersionContent{Version: v, Ontology: all.Ontology, Text: text}, err
}

type compareInput struct {
	ID       string `path:"id" doc:"sha256: and 64 hexadecimal digits, of any version"`
	Ontology string `query:"ontology" doc:"Of the ontologies that have it; default: the one that took it last"`
	Version  int    `query:"version" default:"0" doc:"The version that is compared; 0 is the one before with"`
	With     int    `query:"with" default:"0" doc:"The later version; 0 is the newest"`
	Limit    int    `query:"limit" default:"100" doc:"Of each list, 1 to 1000"`
}

func (a *API) compareVersions(ctx context.Context, in *compareInput) (corpus.Comparison, error) {
	q := corpus.CompareQuery{Version: in.Version, With: in.With, Limit: in.Limit}
	if err := q.Validate(); err != nil {
		return corpus.Comparison{}, err
	}
	all, err := a.versionsOf(ctx, in.ID, in.Ontology)
	if err != nil {
		return corpus.Comparison{}, err
	}
	before, after, err := all.Choose(q)
	if err != nil {
		return corpus.Comparison{}, err
	}
	old, err := a.cfg.Versions.VersionFacts(ctx, before)
	if err != nil {
		return corpus.Comparison{}, err
	}
	current, err := a.cfg.Versions.VersionFacts(ctx, after)
	if err != nil {
		return corpus.Comparison{}, err
	}
	c := corpus.Compare(old, current, q.Limit)
	c.Ontology, c.Version, c.With = all.Ontology, before, after
	return c, nil
}

// download sends the bytes of a document, also of a version that went.
func (a *API) download(c *gin.Context) error {
	ctx, id := c.Request.Context(), c.Param("id")
	d, err := a.find(ctx, id, "")
	if kappa.ErrorCode(err) != kappa.CodeNotFound {
		if err != nil {
			return err
		}
		return a.send(c, d.DocumentID, d.Filename, string(d.ContentType))
	}
	all, missing := a.versionsOf(ctx, id, "")
	if missing != nil {
		return err
	}
	for _, v := range all.Versions {
		if v.DocumentID == id {
			return a.send(c, v.DocumentID, v.Filename, v.ContentType)
		}
	}
	return err
}
