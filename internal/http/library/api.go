// Package library is the part of the HTTP API that shows the documents that were
// ingested and their chunks, searches their texts, answers questions with passages, and
// takes documents out of the graph.
package library

import (
	"context"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
)

// documents were ingested. An unknown one is CodeNotFound; an empty ontology stands
// for the one that took the document last.
type documents interface {
	ListDocuments(ctx context.Context, p corpus.PageQuery) ([]corpus.ListedDocument, int, error)
	FindDocument(ctx context.Context, id, ontology string) (corpus.DocumentRef, error)
	DocumentChunks(ctx context.Context, id, ontology string) ([]corpus.DocumentChunk, error)
	DocumentConcepts(ctx context.Context, id, ontology string) ([]corpus.DocumentConcept, error)
	DocumentQuotes(ctx context.Context, id string, q corpus.QuoteQuery) ([]corpus.DocumentQuote, error)
	// Body returns the bytes of a document.
	Body(ctx context.Context, id string) ([]byte, error)
}

// sources are the chunks of documents. An unknown one is CodeNotFound.
type sources interface {
	ListSources(ctx context.Context, p corpus.PageQuery) ([]corpus.ListedSource, int, error)
	Source(ctx context.Context, id string) (corpus.Source, error)
}

// searcher searches the texts.
type searcher interface {
	SearchSources(ctx context.Context, q corpus.SourceQuery, withConcepts, withText bool) ([]corpus.SourceHit, error)
	// SearchDocuments returns the hits, and how many there are in all.
	SearchDocuments(ctx context.Context, q corpus.SourceQuery) ([]corpus.DocumentHit, int, error)
}

// Config is what an API needs. Every field is required.
type Config struct {
	Documents documents
	Versions  versions
	Sources   sources
	Searcher  searcher
	Asker     asker
	Finder    finder
	Model     func() http.AnswerModel
	Remover   remover
	Placer    placer
	Jobs      jobs
}

// API shows documents.
type API struct{ cfg Config }

// New returns the resource.
func New(cfg Config) *API { return &API{cfg: cfg} }

// Register adds the routes of documents and sources.
func (a *API) Register(r *http.Router) error {
	a.registerDocuments(r)
	a.registerVersions(r)
	a.registerPlace(r)
	a.registerSources(r)
	a.registerSearch(r)
	a.registerAsk(r)
	a.registerFind(r)
	a.registerRemove(r)
	return http.CheckConfig("http/library", a.cfg)
}

type pageInput struct {
	Ontology string `query:"ontology" doc:"Only of this ontology"`
	Limit    int    `query:"limit" default:"50" doc:"1 to 200"`
	Offset   int    `query:"offset" default:"0" doc:"How many to leave out before the page"`
	Cursor   string `query:"cursor" doc:"next_cursor of the page before; not with offset"`
}

// page returns what is asked for of a list with cursors of so many keys.
func (in *pageInput) page(list string, keys int) (corpus.PageQuery, error) {
	p := corpus.PageQuery{Ontology: in.Ontology, Limit: in.Limit, Offset: in.Offset, Cursor: in.Cursor}
	return p, p.Validate(list, keys)
}
