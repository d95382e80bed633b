package library

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// finder finds concepts, documents and passages by their words.
type finder interface {
	Find(ctx context.Context, q questions.FindQuery) (questions.FindAnswer, error)
}

func (a *API) registerFind(r *http.Router) {
	http.Register(r, http.Route{
		Method: "POST", Path: "/search", Permission: access.GraphRead, ByRow: true, ID: "query.find",
		Summary: "Find the concepts, documents and passages that have some words",
	}, a.findHits)
}

type findInput struct{ Body findRequest }

type findRequest struct {
	_      struct{} `additionalProperties:"false"`
	Query  string   `json:"query" doc:"Words, up to 2,000 characters"`
	Typing *bool    `json:"typing,omitempty" default:"false" doc:"The last word may be the beginning of one"`
	Exact  *bool    `json:"exact,omitempty" default:"false" doc:"Take no word for a slip of another"`
	Find   []string `json:"find,omitempty" doc:"Only these: concept, document, passage"`
	Limit  *int     `json:"limit,omitempty" default:"20" doc:"Hits of the page, 1 to 100"`
	Cursor string   `json:"cursor,omitempty" doc:"next_cursor of the page before, for the same search"`

	Ontology    *string     `json:"ontology,omitempty" doc:"Only what documents of this ontology say"`
	Ontologies  []string    `json:"ontologies,omitempty" doc:"Only what documents of these ontologies say, up to 100"`
	DocumentIDs []string    `json:"document_ids,omitempty" doc:"Only these documents, up to 100"`
	Kinds       []string    `json:"kinds,omitempty" doc:"Only documents of these kinds: pdf, markdown, html …, or content types"`
	Languages   []string    `json:"languages,omitempty" doc:"Only passages in these languages (ISO 639-1)"`
	Classes     []string    `json:"classes,omitempty" doc:"Only passages of these classes: prose, list, table, code …"`
	Since       *kappa.Time `json:"since,omitempty" doc:"Only documents that were ingested since then"`
}

func (r findRequest) query() questions.FindQuery {
	q := questions.FindQuery{
		Text: r.Query, Typing: *r.Typing, Exact: *r.Exact, Find: r.Find, Limit: *r.Limit, Cursor: r.Cursor,
		AskFilter: questions.AskFilter{Ontologies: r.Ontologies, DocumentIDs: r.DocumentIDs, Kinds: r.Kinds, Languages: r.Languages, Classes: r.Classes},
	}
	if name := text(r.Ontology); name != "" {
		q.Ontologies = append(q.Ontologies, name)
	}
	if r.Since != nil {
		q.Since = r.Since.Time
	}
	return q
}

func (a *API) findHits(ctx context.Context, in *findInput) (questions.FindAnswer, error) {
	q := in.Body.query()
	if err := q.Validate(); err != nil || http.OnlyChecks(ctx) {
		return questions.FindAnswer{}, err
	}
	if err := http.NarrowSome(ctx, access.GraphRead, &q.Ontologies); err != nil {
		return questions.FindAnswer{}, err
	}
	return a.cfg.Finder.Find(ctx, q)
}
