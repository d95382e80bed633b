package library

import (
	"context"
	"encoding/base64"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
)

func (a *API) registerDocuments(r *http.Router) {
	http.Register(r, http.Route{Method: "GET", Path: "/documents", Permission: access.GraphRead, ByRow: true, ID: "documents.list", Summary: "List the documents that were ingested, newest first"}, a.listDocuments)
	http.Register(r, http.Route{Method: "GET", Path: "/documents/{id}/content", Permission: access.GraphRead, ByRow: true, ID: "documents.content", Summary: "Show a document with its chunks"}, a.content)
	http.Register(r, http.Route{Method: "GET", Path: "/documents/{id}/concepts", Permission: access.GraphRead, ByRow: true, ID: "documents.concepts", Summary: "List the concepts that a document shows"}, a.concepts)
	http.Register(r, http.Route{Method: "GET", Path: "/documents/{id}/quotes", Permission: access.GraphRead, ByRow: true, ID: "documents.quotes", Summary: "List what a document is quoted for, in the order of its text"}, a.quotes)
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/documents/{id}/download", Permission: access.GraphRead, ByRow: true, ID: "documents.download",
		Summary: "Download a document as it was submitted", Document: func(op *huma.Operation) { documentBytes(op, "The id of a document") },
	}, a.download)
}

// find returns a document in an ontology that may be read, of "" in the one that took it last.
func (a *API) find(ctx context.Context, id, ontology string) (corpus.DocumentRef, error) {
	if err := http.Narrow(ctx, access.GraphRead, &ontology); err != nil {
		return corpus.DocumentRef{}, err
	}
	return a.cfg.Documents.FindDocument(ctx, id, ontology)
}

func documentBytes(op *huma.Operation, id string) {
	op.Parameters = []*huma.Param{{Name: "id", In: "path", Required: true, Description: id, Schema: &huma.Schema{Type: huma.TypeString}}}
	http.Respond(op, "206", "application/octet-stream", "The bytes of the Range that was asked for", &huma.Schema{Type: huma.TypeString, Format: "binary"})
	http.Respond(op, "304", "", "They are those of the ETag in If-None-Match", nil)
	http.Respond(op, "416", "text/plain", "They have no such range", &huma.Schema{Type: huma.TypeString})
	http.Respond(op, "200", "application/octet-stream", "The bytes that were submitted, in their own content type", &huma.Schema{Type: huma.TypeString, Format: "binary"})
}

// send answers with the bytes of a document. They are somebody's: a browser saves them
// and shows nothing of them.
func (a *API) send(c *gin.Context, id, filename, contentType string) error {
	body, err := a.cfg.Documents.Body(c.Request.Context(), id)
	if err != nil {
		return err
	}
	c.Header("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": filename}))
	c.Header("X-Content-Type-Options", "nosniff")
	http.SendBytes(c, id, contentType, body)
	return nil
}

func (a *API) listDocuments(ctx context.Context, in *pageInput) (api.DocumentList, error) {
	p, err := in.page(kappa.ListDocuments, kappa.DocumentKeys)
	if err != nil {
		return api.DocumentList{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &p.Ontology); err != nil {
		return api.DocumentList{}, err
	}
	list, total, err := a.cfg.Documents.ListDocuments(ctx, p)
	return api.DocumentList{Documents: list, Total: total, Limit: in.Limit, Offset: in.Offset, Next: http.NextCursor(list, in.Limit, func(d corpus.ListedDocument) kappa.Cursor { return d.Place })}, err
}

type documentInput struct {
	ID       string `path:"id" doc:"sha256: and 64 hexadecimal digits"`
	Ontology string `query:"ontology" doc:"Of the ontologies that have it; default: the one that took it last"`
}

func (a *API) content(ctx context.Context, in *documentInput) (api.DocumentContent, error) {
	d, err := a.find(ctx, in.ID, in.Ontology)
	if err != nil {
		return api.DocumentContent{}, err
	}
	body, err := a.cfg.Documents.Body(ctx, d.DocumentID)
	if err != nil {
		return api.DocumentContent{}, err
	}
	chunks, err := a.cfg.Documents.DocumentChunks(ctx, d.DocumentID, d.Ontology)
	answer := api.DocumentContent{
		DocumentID: d.DocumentID, Filename: d.Filename, Ontology: d.Ontology, ContentType: "document", MediaType: string(d.ContentType), JobID: d.JobID,
		Chunks: chunks,
	}
	image := strings.HasPrefix(answer.MediaType, "image/")
	if !image && utf8.Valid(body) {
		answer.Content = api.ContentBody{Document: new(string(body)), Encoding: "utf-8"}
		return answer, err
	}
	encoded := base64.StdEncoding.EncodeToString(body)
	answer.Content = api.ContentBody{Document: &encoded, Encoding: "base64"}
	if image {
		answer.ContentType = "image"
		answer.Content.Document, answer.Content.Image = nil, &encoded
	}
	return answer, err
}

func (a *API) concepts(ctx context.Context, in *documentInput) (api.DocumentConcepts, error) {
	d, err := a.find(ctx, in.ID, in.Ontology)
	if err != nil {
		return api.DocumentConcepts{}, err
	}
	list, err := a.cfg.Documents.DocumentConcepts(ctx, d.DocumentID, d.Ontology)
	return api.DocumentConcepts{DocumentID: d.DocumentID, Filename: d.Filename, Ontology: d.Ontology, Concepts: list, Total: len(list)}, err
}

type quotesInput struct {
	ID       string `path:"id" doc:"sha256: and 64 hexadecimal digits"`
	Ontology string `query:"ontology" doc:"Of the ontologies that have it; default: the one that took it last"`
	Limit    int    `query:"limit" default:"500" doc:"1 to 5000"`
	Cursor   string `query:"cursor" doc:"next_cursor of the page before"`
}

func (a *API) quotes(ctx context.Context, in *quotesInput) (api.DocumentQuotes, error) {
	q := corpus.QuoteQuery{Ontology: in.Ontology, Limit: in.Limit, Cursor: in.Cursor}
	if err := q.Validate(); err != nil {
		return api.DocumentQuotes{}, err
	}
	d, err := a.find(ctx, in.ID, in.Ontology)
	if err != nil {
		return api.DocumentQuotes{}, err
	}
	q.Ontology = d.Ontology
	list, err := a.cfg.Documents.DocumentQuotes(ctx, d.DocumentID, q)
	return api.DocumentQuotes{
		DocumentID: d.DocumentID, Filename: d.Filename, Ontology: d.Ontology, Quotes: list, Limit: in.Limit,
		Next: http.NextCursor(list, in.Limit, corpus.DocumentQuote.Place),
	}, err
}
