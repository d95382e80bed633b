package graph

import (
	"cmp"
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/api"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// questions answers questions. Unknown concepts are CodeNotFound.
type answerer interface {
	Search(ctx context.Context, q questions.SearchQuery) (questions.SearchResult, error)
	Concept(ctx context.Context, q questions.ConceptQuery) (questions.ConceptDetails, error)
	Related(ctx context.Context, q questions.RelatedQuery) (questions.RelatedResult, error)
	Connect(ctx context.Context, q questions.ConnectQuery) (questions.ConnectResult, error)
}

// texts finds the chunks of documents that a phrase is about.
type texts interface {
	SearchSources(ctx context.Context, q corpus.SourceQuery, withConcepts, withText bool) ([]corpus.SourceHit, error)
}

// A search that finds no concept shows up to so many passages that have all of its words.
const (
	mostPassages = 5
	allWords     = 0.8
)

// notZero refuses a number that is given as 0, which inside stands for the default.
func notZero(name string, n *int) error {
	if n != nil && *n == 0 {
		return kappa.Invalid(kappa.FieldError{In: "body", Name: name, Rule: "must be at least 1, got 0"})
	}
	return nil
}

type searchInput struct{ Body api.SearchRequest }

type conceptInput struct {
	ID               string    `path:"id" doc:"The id of a concept"`
	IncludeGrounding http.Flag `query:"include_grounding" doc:"Show how well the concept is supported"`
	IncludeDiversity http.Flag `query:"include_diversity" doc:"Show how different the concepts around it are"`
	DiversityMaxHops int       `query:"diversity_max_hops" default:"2" doc:"How far around it, 1 to 3"`
	IncludeEvidence  http.Flag `query:"include_evidence" doc:"Show the sentences that state each relationship, up to three of each"`
	Ontology         string    `query:"ontology" doc:"Only what this one says: its concepts, and the relationships that were read in it"`
}

type relatedInput struct{ Body api.RelatedRequest }

type connectInput struct{ Body api.ConnectRequest }

func (a *API) registerQuestions(r *http.Router) {
	http.Register(r, http.Route{Method: "POST", Path: "/query/search", Permission: access.GraphRead, ByRow: true, ID: "query.search", Summary: "Find the concepts nearest to a phrase"}, a.search)
	http.Register(r, http.Route{Method: "GET", Path: "/query/concept/{id}", Permission: access.GraphRead, ByRow: true, ID: "query.concept", Summary: "Show a concept with its quotes and relationships"}, a.concept)
	http.Register(r, http.Route{Method: "POST", Path: "/query/related", Permission: access.GraphRead, ByRow: true, ID: "query.related", Summary: "Show the neighbourhood of a concept"}, a.related)
	http.Register(r, http.Route{Method: "POST", Path: "/query/connect", Permission: access.GraphRead, ByRow: true, ID: "query.connect", Summary: "Find paths between two concepts"}, a.connect)
}

func (a *API) search(ctx context.Context, in *searchInput) (questions.SearchResult, error) {
	q := in.Body.Question()
	if err := q.Validate(); err != nil || http.OnlyChecks(ctx) {
		return questions.SearchResult{}, err
	}
	within := http.Or(q.Ontology, "")
	if err := http.Narrow(ctx, access.GraphRead, &within); err != nil {
		return questions.SearchResult{}, err
	}
	if within != "" {
		q.Ontology = &within
	}
	found, err := a.cfg.Questions.Search(ctx, q)
	if err != nil || found.Count > 0 || q.Offset > 0 {
		return found, err
	}
	texts := corpus.SourceQuery{Query: q.Query, Limit: min(q.Limit, mostPassages), MinSimilarity: new(allWords)}
	if q.Ontology != nil {
		texts.Ontology = *q.Ontology
	}
	found.Passages, err = a.cfg.Texts.SearchSources(ctx, texts, false, false)
	return found, err
}

func (a *API) concept(ctx context.Context, in *conceptInput) (questions.ConceptDetails, error) {
	q := questions.ConceptQuery{
		ConceptID: in.ID, IncludeEvidence: in.IncludeEvidence.On(), Ontology: in.Ontology,
		Measures: questions.Measures{NoGrounding: !in.IncludeGrounding.On(), Diversity: in.IncludeDiversity.On(), DiversityHops: &in.DiversityMaxHops},
	}
	if err := q.Validate(); err != nil {
		return questions.ConceptDetails{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.ConceptDetails{}, err
	}
	return a.cfg.Questions.Concept(ctx, q)
}

func (a *API) related(ctx context.Context, in *relatedInput) (questions.RelatedResult, error) {
	q := in.Body.Question()
	if err := cmp.Or(notZero("limit", in.Body.Limit), q.Validate()); err != nil || http.OnlyChecks(ctx) {
		return questions.RelatedResult{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.RelatedResult{}, err
	}
	return a.cfg.Questions.Related(ctx, q)
}

func (a *API) connect(ctx context.Context, in *connectInput) (questions.ConnectResult, error) {
	q := in.Body.Question()
	if err := cmp.Or(notZero("limit", in.Body.Limit), q.Validate()); err != nil || http.OnlyChecks(ctx) {
		return questions.ConnectResult{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.ConnectResult{}, err
	}
	return a.cfg.Questions.Connect(ctx, q)
}
