package library

import (
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
)

func (a *API) registerSources(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/sources", Permission: access.SourcesRead, ByRow: true, ID: "sources.list", Summary: "List the chunks of the documents that were ingested"}, a.listSources)
	http.Register(r, http.Route{Method: "GET", Path: "/sources/{id}", Permission: access.SourcesRead, ByRow: true, ID: "sources.show", Summary: "Show a chunk and where it is from"}, a.source)
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/sources/{id}/document", Permission: access.SourcesRead, ByRow: true, ID: "sources.document",
		Summary: "Download the document of a chunk", Document: func(op *huma.Operation) { documentBytes(op, "The id of a source") },
	}, func(c *gin.Context) error { return a.documentOf(c, false) })
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/sources/{id}/image", Permission: access.SourcesRead, ByRow: true, ID: "sources.image",
		Summary: "Download the image that a chunk describes", Document: func(op *huma.Operation) { documentBytes(op, "The id of a source") },
	}, func(c *gin.Context) error { return a.documentOf(c, true) })
}

func (a *API) listSources(ctx context.Context, in *pageInput) (api.SourceList, error) {
	p, err := in.page(kappa.ListSources, kappa.SourceKeys)
	if err != nil {
		return api.SourceList{}, err
	}
	if err := http.Narrow(ctx, access.SourcesRead, &p.Ontology); err != nil {
		return api.SourceList{}, err
	}
	list, total, err := a.cfg.Sources.ListSources(ctx, p)
	return api.SourceList{Sources: list, Total: total, Limit: in.Limit, Offset: in.Offset, Next: http.NextCursor(list, in.Limit, func(s corpus.ListedSource) kappa.Cursor { return s.Place })}, err
}

type sourceInput struct {
	ID string `path:"id" doc:"src_ and hexadecimal digits"`
}

func (a *API) source(ctx context.Context, in *sourceInput) (corpus.Source, error) {
	return a.readable(ctx, in.ID)
}

// readable returns a chunk that may be read; of others it says what it says of none.
func (a *API) readable(ctx context.Context, id string) (corpus.Source, error) {
	source, err := a.cfg.Sources.Source(ctx, id)
	if err != nil {
		return corpus.Source{}, err
	}
	missing := kappa.NewError(kappa.CodeNotFound, "Source not found: "+http.Printable(id))
	if err := http.PrincipalOf(ctx).PermitFound(access.SourcesRead, access.Row{Ontology: source.Document}, missing); err != nil {
		return corpus.Source{}, err
	}
	return source, nil
}

// documentOf sends the document of a chunk; image refuses one that is no image.
func (a *API) documentOf(c *gin.Context, image bool) error {
	source, err := a.readable(c.Request.Context(), c.Param("id"))
	if err != nil {
		return err
	}
	if image && !strings.HasPrefix(source.ContentType, "image/") {
		return kappa.NewError(kappa.CodeMalformed, "Source "+source.SourceID+" is not an image")
	}
	return a.send(c, source.DocumentID, source.Filename, source.ContentType)
}
