package client

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"

	"github.com/kappagraph/kappa/corpus"
)

// Documents are what is ingested: submitted, found, read, taken out again.
type Documents struct{ c *Client }

// DocumentList is a page of documents and how many there are.
type DocumentList struct {
	Documents []corpus.ListedDocument `json:"documents"`
	Total     int                     `json:"total"`
	Limit     int                     `json:"limit"`
	Offset    int                     `json:"offset"`
	Next      *string                 `json:"next_cursor"` // nil after the last page
}

// List returns the documents that were ingested, newest first. A Limit of 0 leaves
// the number to the server.
func (s Documents) List(ctx context.Context, p corpus.PageQuery) (DocumentList, error) {
	return fetch[DocumentList](ctx, s.c, get("/documents", pageValues(p)))
}

// All yields every document that p selects, newest first.
func (s Documents) All(ctx context.Context, p corpus.PageQuery) iter.Seq2[corpus.ListedDocument, error] {
	return pages(func(cursor string) ([]corpus.ListedDocument, *string, error) {
		p.Cursor = cursor
		list, err := s.List(ctx, p)
		return list.Documents, list.Next, err
	}, p.Cursor)
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

// Content returns a document with its chunks; an empty ontology is the one that
// took it last.
func (s Documents) Content(ctx context.Context, id, ontology string) (DocumentContent, error) {
	return fetch[DocumentContent](ctx, s.c, get(documentPath(id)+"/content", ofOntology(ontology)))
}

// DocumentConcepts are the concepts that a document shows.
type DocumentConcepts struct {
	DocumentID string                   `json:"document_id"`
	Filename   string                   `json:"filename"`
	Ontology   string                   `json:"ontology"`
	Concepts   []corpus.DocumentConcept `json:"concepts"`
	Total      int                      `json:"total"`
}

// Concepts returns the concepts of a document, those that it is about most first.
func (s Documents) Concepts(ctx context.Context, id, ontology string) (DocumentConcepts, error) {
	return fetch[DocumentConcepts](ctx, s.c, get(documentPath(id)+"/concepts", ofOntology(ontology)))
}

// Download writes a document to w as it was submitted, and returns how many
// bytes it has.
func (s Documents) Download(ctx context.Context, id string, w io.Writer) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	resp, err := s.c.send(ctx, call{method: http.MethodGet, path: documentPath(id) + "/download"})
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

// PreviewDelete says what Delete would take out.
func (s Documents) PreviewDelete(ctx context.Context, id, ontology string) (corpus.Removed, error) {
	query := url.Values{"dry_run": {"true"}}
	if ontology != "" {
		query.Set("ontology", ontology)
	}
	return fetch[corpus.Removed](ctx, s.c, call{method: http.MethodDelete, path: documentPath(id), query: query})
}

// Delete takes a document out of the graph, with all that no other document
// supports; an empty ontology is the one that took it last.
func (s Documents) Delete(ctx context.Context, id, ontology string) (corpus.Removed, error) {
	return fetch[corpus.Removed](ctx, s.c, call{method: http.MethodDelete, path: documentPath(id), query: ofOntology(ontology)})
}

// Undone is what the undo of a job has removed.
type Undone struct {
	JobID   string `json:"job_id"`
	Message string `json:"message"`
	corpus.Removed
}

// Undo takes the document of an ingestion out of the graph.
func (s Documents) Undo(ctx context.Context, jobID string) (Undone, error) {
	return fetchOnce[Undone](ctx, s.c, withForm("/jobs/"+url.PathEscape(jobID)+"/undo", nil))
}

// DocumentHits are the documents that a search found.
type DocumentHits struct {
	Documents []corpus.DocumentHit `json:"documents"`
	Returned  int                  `json:"returned"`
	Total     int                  `json:"total_matches"`
}

// Search returns the documents that a phrase is about, best first. A Limit of 0
// leaves the number to the server.
func (s Documents) Search(ctx context.Context, q corpus.SourceQuery) (DocumentHits, error) {
	return fetchJSON[DocumentHits](ctx, s.c, http.MethodPost, "/query/documents/search", toTextQuery(q))
}

func documentPath(id string) string { return "/documents/" + url.PathEscape(id) }

// ReadingStatus returns how the server reads documents, and behind which walls.
func (s Documents) ReadingStatus(ctx context.Context) (corpus.ReadingStatus, error) {
	out, err := fetch[struct {
		Reading corpus.ReadingStatus `json:"reading"`
	}](ctx, s.c, get("/admin/status", nil))
	return out.Reading, err
}
