package library

import (
	"context"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
)

func (a *API) registerSearch(r *http.Router) {
	http.Register(r, http.Route{Method: "POST", Path: "/query/sources/search", Permission: access.GraphRead, ByRow: true, ID: "query.sources", Summary: "Find the chunks that a phrase is about, by their words and by their concepts"}, a.searchSources)
	http.Register(r, http.Route{Method: "POST", Path: "/query/documents/search", Permission: access.GraphRead, ByRow: true, ID: "query.documents", Summary: "Find the documents that a phrase is about"}, a.searchDocuments)
}

type sourceSearchInput struct{ Body sourceSearch }

type sourceSearch struct {
	Query           string   `json:"query" doc:"A phrase, or words"`
	Limit           *int     `json:"limit,omitempty" default:"10" doc:"1 to 100"`
	MinSimilarity   *float64 `json:"min_similarity,omitempty" doc:"0 to 1; default: 0.7. A chunk that has all the words has at least 0.8"`
	Ontology        *string  `json:"ontology,omitempty"`
	DocumentIDs     []string `json:"document_ids,omitempty" doc:"Only chunks of these documents, up to 100"`
	IncludeConcepts *bool    `json:"include_concepts,omitempty" default:"true"`
	IncludeFullText *bool    `json:"include_full_text,omitempty" default:"true"`
}

func (a *API) searchSources(ctx context.Context, in *sourceSearchInput) (api.SourceHits, error) {
	b := in.Body
	q := corpus.SourceQuery{Query: b.Query, Limit: *b.Limit, MinSimilarity: b.MinSimilarity, Ontology: text(b.Ontology), DocumentIDs: b.DocumentIDs}
	if err := q.Validate(); err != nil || http.OnlyChecks(ctx) {
		return api.SourceHits{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return api.SourceHits{}, err
	}
	hits, err := a.cfg.Searcher.SearchSources(ctx, q, *b.IncludeConcepts, *b.IncludeFullText)
	return api.SourceHits{Query: b.Query, Count: len(hits), Results: hits, Threshold: q.Least()}, err
}

type documentSearchInput struct{ Body documentSearch }

type documentSearch struct {
	Query         string   `json:"query" doc:"A phrase, or words"`
	Limit         *int     `json:"limit,omitempty" default:"20" doc:"1 to 100"`
	MinSimilarity *float64 `json:"min_similarity,omitempty" doc:"0 to 1; default: 0.7"`
	Ontology      *string  `json:"ontology,omitempty"`
}

func (a *API) searchDocuments(ctx context.Context, in *documentSearchInput) (api.DocumentHits, error) {
	b := in.Body
	q := corpus.SourceQuery{Query: b.Query, Limit: *b.Limit, MinSimilarity: b.MinSimilarity, Ontology: text(b.Ontology)}
	if err := q.Validate(); err != nil || http.OnlyChecks(ctx) {
		return api.DocumentHits{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return api.DocumentHits{}, err
	}
	hits, total, err := a.cfg.Searcher.SearchDocuments(ctx, q)
	return api.DocumentHits{Documents: hits, Returned: len(hits), Total: total}, err
}

// text returns an optional text, "" when it is absent.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
