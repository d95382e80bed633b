package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/corpus"
)

// DocumentList is a page of documents and how many there are.
type DocumentList struct {
	Documents []corpus.ListedDocument `json:"documents"`
	Total     int                     `json:"total"`
	Limit     int                     `json:"limit"`
	Offset    int                     `json:"offset"`
	Next      *string                 `json:"next_cursor"` // nil after the last page
}

// Documents returns the documents that were ingested, newest first. A Limit of 0 leaves
// the number to the server.
func (c *Client) Documents(ctx context.Context, p corpus.PageQuery) (DocumentList, error) {
	return fetch[DocumentList](ctx, c, get("/documents", pageValues(p)))
}

// DocumentContent is a document with its chunks.
type DocumentContent struct {
	DocumentID  string `json:"document_id"`
	Filename    string `json:"filename"`
	Ontology    string `json:"ontology"`
	ContentType string `json:"content_type"` // document or image
	MediaType   string `json:"media_type"`
	Content     struct {
		Document *string `json:"document"` // in the encoding that is named
		Image    *string `json:"image"`    // in base64
		Encoding string  `json:"encoding"`
	} `json:"content"`
	Chunks []corpus.DocumentChunk `json:"chunks"`
}

// DocumentContent returns a document with its chunks; an empty ontology is the one that
// took it last.
func (c *Client) DocumentContent(ctx context.Context, id, ontology string) (DocumentContent, error) {
	return fetch[DocumentContent](ctx, c, get(documentPath(id)+"/content", ofOntology(ontology)))
}

// DocumentConcepts are the concepts that a document shows.
type DocumentConcepts struct {
	DocumentID string                   `json:"document_id"`
	Filename   string                   `json:"filename"`
	Ontology   string                   `json:"ontology"`
	Concepts   []corpus.DocumentConcept `json:"concepts"`
	Total      int                      `json:"total"`
}

// DocumentConcepts returns the concepts of a document, those that it is about most first.
func (c *Client) DocumentConcepts(ctx context.Context, id, ontology string) (DocumentConcepts, error) {
	return fetch[DocumentConcepts](ctx, c, get(documentPath(id)+"/concepts", ofOntology(ontology)))
}

// DownloadDocument writes a document to w as it was submitted, and returns how many
// bytes it has.
func (c *Client) DownloadDocument(ctx context.Context, id string, w io.Writer) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	resp, err := c.send(ctx, call{method: http.MethodGet, path: documentPath(id) + "/download"})
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	n, err := io.Copy(w, resp.Body)
	if err != nil {
		return n, fmt.Errorf("download the document: %w", err)
	}
	return n, nil
}

// PreviewDeleteDocument says what DeleteDocument would take out.
func (c *Client) PreviewDeleteDocument(ctx context.Context, id, ontology string) (corpus.Removed, error) {
	query := url.Values{"dry_run": {"true"}}
	if ontology != "" {
		query.Set("ontology", ontology)
	}
	return fetch[corpus.Removed](ctx, c, call{method: http.MethodDelete, path: documentPath(id), query: query})
}

// DeleteDocument takes a document out of the graph, with all that no other document
// supports; an empty ontology is the one that took it last.
func (c *Client) DeleteDocument(ctx context.Context, id, ontology string) (corpus.Removed, error) {
	return fetch[corpus.Removed](ctx, c, call{method: http.MethodDelete, path: documentPath(id), query: ofOntology(ontology)})
}

// Undone is what the undo of a job has removed.
type Undone struct {
	JobID   string `json:"job_id"`
	Message string `json:"message"`
	corpus.Removed
}

// Undo takes the document of an ingestion out of the graph.
func (c *Client) Undo(ctx context.Context, jobID string) (Undone, error) {
	return fetchOnce[Undone](ctx, c, withForm("/jobs/"+url.PathEscape(jobID)+"/undo", nil))
}

// SourceList is a page of chunks and how many there are.
type SourceList struct {
	Sources []corpus.ListedSource `json:"sources"`
	Total   int                   `json:"total"`
	Limit   int                   `json:"limit"`
	Offset  int                   `json:"offset"`
	Next    *string               `json:"next_cursor"` // nil after the last page
}

// Sources returns the chunks of documents, those of the newest document first. A Limit
// of 0 leaves the number to the server.
func (c *Client) Sources(ctx context.Context, p corpus.PageQuery) (SourceList, error) {
	return fetch[SourceList](ctx, c, get("/sources", pageValues(p)))
}

// Source returns a chunk.
func (c *Client) Source(ctx context.Context, id string) (corpus.Source, error) {
	return fetch[corpus.Source](ctx, c, get("/sources/"+url.PathEscape(id), nil))
}

// SourceHits are the chunks that a search found.
type SourceHits struct {
	Query     string             `json:"query"`
	Count     int                `json:"count"`
	Results   []corpus.SourceHit `json:"results"`
	Threshold float64            `json:"threshold_used"`
}

// SearchSources returns the chunks that a phrase is about, best first. A Limit of 0
// leaves the number to the server.
func (c *Client) SearchSources(ctx context.Context, q corpus.SourceQuery) (SourceHits, error) {
	return fetchJSON[SourceHits](ctx, c, http.MethodPost, "/query/sources/search", struct {
		textQuery
		DocumentIDs []string `json:"document_ids,omitempty"`
	}{toTextQuery(q), q.DocumentIDs})
}

// DocumentHits are the documents that a search found.
type DocumentHits struct {
	Documents []corpus.DocumentHit `json:"documents"`
	Returned  int                  `json:"returned"`
	Total     int                  `json:"total_matches"`
}

// SearchDocuments returns the documents that a phrase is about, best first. A Limit of 0
// leaves the number to the server.
func (c *Client) SearchDocuments(ctx context.Context, q corpus.SourceQuery) (DocumentHits, error) {
	return fetchJSON[DocumentHits](ctx, c, http.MethodPost, "/query/documents/search", toTextQuery(q))
}

type textQuery struct {
	Query         string   `json:"query"`
	Limit         int      `json:"limit,omitempty"`
	MinSimilarity *float64 `json:"min_similarity,omitempty"`
	Ontology      string   `json:"ontology,omitempty"`
}

func toTextQuery(q corpus.SourceQuery) textQuery {
	return textQuery{Query: q.Query, Limit: q.Limit, MinSimilarity: q.MinSimilarity, Ontology: q.Ontology}
}

func pageValues(p corpus.PageQuery) url.Values {
	query := ofOntology(p.Ontology)
	setNumbers(query, map[string]int{"limit": p.Limit, "offset": p.Offset})
	if p.Cursor != "" {
		query.Set("cursor", p.Cursor)
	}
	return query
}

func ofOntology(name string) url.Values {
	query := url.Values{}
	if name != "" {
		query.Set("ontology", name)
	}
	return query
}

func documentPath(id string) string { return "/documents/" + url.PathEscape(id) }
