package client

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
)

// Documents are what is ingested: submitted, found, read, taken out again.
type Documents struct{ c *Client }

// List returns the documents that were ingested, newest first. A Limit of 0 leaves
// the number to the server.
func (s Documents) List(ctx context.Context, p corpus.PageQuery) (api.DocumentList, error) {
	return fetch[api.DocumentList](ctx, s.c, get("/documents", pageValues(p)))
}

// All yields every document that p selects, newest first.
func (s Documents) All(ctx context.Context, p corpus.PageQuery) iter.Seq2[corpus.ListedDocument, error] {
	return pages(func(cursor string) ([]corpus.ListedDocument, *string, error) {
		p.Cursor = cursor
		list, err := s.List(ctx, p)
		return list.Documents, list.Next, err
	}, p.Cursor)
}

// Content returns a document with its chunks; an empty ontology is the one that
// took it last.
func (s Documents) Content(ctx context.Context, id, ontology string) (api.DocumentContent, error) {
	return fetch[api.DocumentContent](ctx, s.c, get(documentPath(id)+"/content", ofOntology(ontology)))
}

// Versions returns the versions of a document, the newest first; id is that of any of them.
func (s Documents) Versions(ctx context.Context, id, ontology string) (corpus.Versions, error) {
	return fetch[corpus.Versions](ctx, s.c, get(documentPath(id)+"/versions", ofOntology(ontology)))
}

// Version returns the text of a version of a document.
func (s Documents) Version(ctx context.Context, id, ontology string, version int) (corpus.VersionContent, error) {
	return fetch[corpus.VersionContent](ctx, s.c, get(documentPath(id)+"/versions/"+strconv.Itoa(version), ofOntology(ontology)))
}

// Compare returns what has changed between two versions of a document.
func (s Documents) Compare(ctx context.Context, id, ontology string, q corpus.CompareQuery) (corpus.Comparison, error) {
	v := ofOntology(ontology)
	for name, n := range map[string]int{"version": q.Version, "with": q.With, "limit": q.Limit} {
		if n != 0 {
			v.Set(name, strconv.Itoa(n))
		}
	}
	return fetch[corpus.Comparison](ctx, s.c, get(documentPath(id)+"/compare", v))
}

// Concepts returns the concepts of a document, those that it is about most first.
func (s Documents) Concepts(ctx context.Context, id, ontology string) (api.DocumentConcepts, error) {
	return fetch[api.DocumentConcepts](ctx, s.c, get(documentPath(id)+"/concepts", ofOntology(ontology)))
}

// Quotes returns a page of the quotes of a document, in the order of its text. A Limit of 0
// leaves the number to the server.
func (s Documents) Quotes(ctx context.Context, id string, q corpus.QuoteQuery) (api.DocumentQuotes, error) {
	query := ofOntology(q.Ontology)
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	if q.Cursor != "" {
		query.Set("cursor", q.Cursor)
	}
	return fetch[api.DocumentQuotes](ctx, s.c, get(documentPath(id)+"/quotes", query))
}

// AllQuotes yields every quote of a document that q selects, in the order of its text.
func (s Documents) AllQuotes(ctx context.Context, id string, q corpus.QuoteQuery) iter.Seq2[corpus.DocumentQuote, error] {
	return pages(func(cursor string) ([]corpus.DocumentQuote, *string, error) {
		q.Cursor = cursor
		list, err := s.Quotes(ctx, id, q)
		return list.Quotes, list.Next, err
	}, q.Cursor)
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

// Place says where a document of an ontology comes from now, whose file was moved. What was read of
// it stays.
func (s Documents) Place(ctx context.Context, id, ontology, sourcePath string) error {
	in, err := withJSON(http.MethodPut, documentPath(id)+"/place", map[string]string{"ontology": ontology, "source_path": sourcePath})
	if err == nil {
		_, _, err = s.c.exchange(ctx, in)
	}
	return err
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

// PreviewUndo says what Undo would take out.
func (s Documents) PreviewUndo(ctx context.Context, jobID string) (api.Undone, error) {
	in := withForm("/jobs/"+url.PathEscape(jobID)+"/undo", nil)
	in.query = url.Values{"dry_run": {"true"}}
	return fetch[api.Undone](ctx, s.c, in)
}

// Undo takes the document of an ingestion out of the graph.
func (s Documents) Undo(ctx context.Context, jobID string) (api.Undone, error) {
	return fetchOnce[api.Undone](ctx, s.c, withForm("/jobs/"+url.PathEscape(jobID)+"/undo", nil))
}

// Search returns the documents that a phrase is about, best first. A Limit of 0
// leaves the number to the server.
func (s Documents) Search(ctx context.Context, q corpus.SourceQuery) (api.DocumentHits, error) {
	return fetchJSON[api.DocumentHits](ctx, s.c, http.MethodPost, "/query/documents/search", toTextQuery(q))
}

func documentPath(id string) string { return "/documents/" + url.PathEscape(id) }

// ReadingStatus returns how the server reads documents, and behind which walls.
func (s Documents) ReadingStatus(ctx context.Context) (corpus.ReadingStatus, error) {
	out, err := fetch[struct {
		Reading corpus.ReadingStatus `json:"reading"`
	}](ctx, s.c, get("/admin/status", nil))
	return out.Reading, err
}
