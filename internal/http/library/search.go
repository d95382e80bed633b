package library

import (
	"context"

	"github.com/kappagraph/kappa/access"
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

type sourceHits struct {
	Query     string             `json:"query"`
	Count     int                `json:"count"`
	Results   []corpus.SourceHit `json:"results"`
	Threshold float64            `json:"threshold_used"`
}

func (a *API) searchSources(ctx context.Context, in *sourceSearchInput) (sourceHits, error) {
	b := in.Body
	q := corpus.SourceQuery{Query: b.Query, Limit: *b.Limit, MinSimilarity: b.MinSimilarity, Ontology: text(b.Ontology), DocumentIDs: b.DocumentIDs}
	if err := q.Validate(); err != nil || http.OnlyChecks(ctx) {
		return sourceHits{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return sourceHits{}, err
	}
	hits, err := a.cfg.Searcher.SearchSources(ctx, q, *b.IncludeConcepts, *b.IncludeFullText)
	return sourceHits{Query: b.Query, Count: len(hits), Results: http.NotNil(hits), Threshold: q.Least()}, err
}

type documentSearchInput struct{ Body documentSearch }

type documentSearch struct {
	Query         string   `json:"query" doc:"A phrase, or words"`
	Limit         *int     `json:"limit,omitempty" default:"20" doc:"1 to 100"`
	MinSimilarity *float64 `json:"min_similarity,omitempty" doc:"0 to 1; default: 0.7"`
	Ontology      *string  `json:"ontology,omitempty"`
}

type documentHits struct {
	Documents []corpus.DocumentHit `json:"documents"`
	Returned  int                  `json:"returned"`
	Total     int                  `json:"total_matches"`
}

func (a *API) searchDocuments(ctx context.Context, in *documentSearchInput) (documentHits, error) {
	b := in.Body
	q := corpus.SourceQuery{Query: b.Query, Limit: *b.Limit, MinSimilarity: b.MinSimilarity, Ontology: text(b.Ontology)}
	if err := q.Validate(); err != nil || http.OnlyChecks(ctx) {
		return documentHits{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return documentHits{}, err
	}
	hits, total, err := a.cfg.Searcher.SearchDocuments(ctx, q)
	return documentHits{Documents: http.NotNil(hits), Returned: len(hits), Total: total}, err
}

// text returns an optional text, "" when it is absent.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
