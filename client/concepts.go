package client

import (
	"context"
	"iter"
	"net/url"
	"strconv"

	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// Concepts are the concepts of the graph, one by one: read, written, merged, split.
type Concepts struct{ c *Client }

// Get returns one concept with its quotes and its outgoing relationships.
func (s Concepts) Get(ctx context.Context, id string) (questions.ConceptDetails, error) {
	return s.Measured(ctx, id, questions.Measures{})
}

// Measured is Get with the measures that m asks for.
func (s Concepts) Measured(ctx context.Context, id string, m questions.Measures) (questions.ConceptDetails, error) {
	return s.Ask(ctx, questions.ConceptQuery{ConceptID: id, Measures: m})
}

// Stated is Measured with the sentences that state each of its relationships.
func (s Concepts) Stated(ctx context.Context, id string, m questions.Measures) (questions.ConceptDetails, error) {
	return s.Ask(ctx, questions.ConceptQuery{ConceptID: id, IncludeEvidence: true, Measures: m})
}

// Ask returns what q asks about a concept.
func (s Concepts) Ask(ctx context.Context, q questions.ConceptQuery) (questions.ConceptDetails, error) {
	query := url.Values{"include_grounding": {strconv.FormatBool(!q.NoGrounding)}}
	if q.IncludeEvidence {
		query.Set("include_evidence", "true")
	}
	if q.Ontology != "" {
		query.Set("ontology", q.Ontology)
	}
	if q.Diversity {
		query.Set("include_diversity", "true")
		query.Set("diversity_max_hops", strconv.Itoa(q.Hops()))
	}
	return fetch[questions.ConceptDetails](ctx, s.c, get("/query/concept/"+url.PathEscape(q.ConceptID), query))
}

// List returns the concepts that f selects, those with the most evidence first. A
// Limit of 0 leaves the number to the server.
func (s Concepts) List(ctx context.Context, f questions.ConceptFilter) (api.ConceptList, error) {
	query := url.Values{}
	setTexts(query, map[string]string{"ontology": f.Ontology, "label_contains": f.LabelContains, "creation_method": f.CreationMethod, "cursor": f.Cursor})
	setNumbers(query, map[string]int{"limit": f.Limit, "offset": f.Offset})
	return fetch[api.ConceptList](ctx, s.c, get("/concepts", query))
}

// All yields every concept that f selects, those with the most evidence first.
func (s Concepts) All(ctx context.Context, f questions.ConceptFilter) iter.Seq2[questions.ListedConcept, error] {
	return pages(func(cursor string) ([]questions.ListedConcept, *string, error) {
		f.Cursor = cursor
		list, err := s.List(ctx, f)
		return list.Concepts, list.Next, err
	}, f.Cursor)
}
