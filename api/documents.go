package api

import (
	"github.com/kappagraph/kappa/corpus"
)

// DocumentList is a page of documents and how many there are.
type DocumentList struct {
	Documents []corpus.ListedDocument `json:"documents"`
	Total     int                     `json:"total" doc:"How many there are in all"`
	Limit     int                     `json:"limit"`
	Offset    int                     `json:"offset"`
	Next      *string                 `json:"next_cursor" doc:"cursor of the next page; null after the last one"`
}

// DocumentContent is a document with its chunks.
type DocumentContent struct {
	DocumentID  string                 `json:"document_id"`
	Filename    string                 `json:"filename"`
	Ontology    string                 `json:"ontology"`
	ContentType string                 `json:"content_type" doc:"document or image"`
	MediaType   string                 `json:"media_type"`
	JobID       string                 `json:"job_id" doc:"The last job that wrote it"`
	Content     ContentBody            `json:"content"`
	Chunks      []corpus.DocumentChunk `json:"chunks"`
}

// ContentBody is a document in JSON: as text when it is, else in base64.
type ContentBody struct {
	Document *string `json:"document"`
	Image    *string `json:"image" doc:"In base64"`
	Prose    *string `json:"prose"`
	Encoding string  `json:"encoding" doc:"utf-8 or base64"`
	Error    *string `json:"error"`
}

// DocumentConcepts are the concepts that a document shows.
type DocumentConcepts struct {
	DocumentID string                   `json:"document_id"`
	Filename   string                   `json:"filename"`
	Ontology   string                   `json:"ontology"`
	Concepts   []corpus.DocumentConcept `json:"concepts"`
	Total      int                      `json:"total"`
}

// DocumentQuotes are a page of the quotes of a document.
type DocumentQuotes struct {
	DocumentID string                 `json:"document_id"`
	Filename   string                 `json:"filename"`
	Ontology   string                 `json:"ontology"`
	Quotes     []corpus.DocumentQuote `json:"quotes"`
	Limit      int                    `json:"limit"`
	Next       *string                `json:"next_cursor" doc:"cursor of the next page; null after the last one"`
}

// Undone is what the undo of a job has removed, or would remove.
type Undone struct {
	JobID   string `json:"job_id"`
	Undone  bool   `json:"undone" doc:"false after a dry run"`
	Message string `json:"message"`
	corpus.Removed
}

// DocumentHits are the documents that a search found.
type DocumentHits struct {
	Documents []corpus.DocumentHit `json:"documents"`
	Returned  int                  `json:"returned"`
	Total     int                  `json:"total_matches"`
}

// Fetched says what the server found at a URL.
type Fetched struct {
	URL         string   `json:"url" doc:"Where the document was, after redirects"`
	Redirects   []string `json:"redirects" doc:"The URLs before it, in their order"`
	ContentType string   `json:"content_type" doc:"What the server said that it is"`
	Bytes       int      `json:"bytes"`
}
