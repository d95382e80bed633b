package graph

import (
	"cmp"
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
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

// GroundingOptions say which measures of concepts an answer carries. The type is
// exported because the description of a body leaves embedded types out that are not.
type GroundingOptions struct {
	IncludeGrounding *bool `json:"include_grounding,omitempty" default:"true" doc:"Show how well concepts are supported"`
	IncludeDiversity *bool `json:"include_diversity,omitempty" default:"false" doc:"Show how different the concepts around each one are; of searches, concepts and paths"`
	DiversityMaxHops *int  `json:"diversity_max_hops,omitempty" default:"2" doc:"How far around a concept, 1 to 3"`
}

// measures returns what o asks for.
func (o GroundingOptions) measures() questions.Measures {
	return questions.Measures{NoGrounding: !*o.IncludeGrounding, Diversity: *o.IncludeDiversity, DiversityHops: o.DiversityMaxHops}
}

// EpistemicFilters narrow relationships by the status of their type and by how weak they are. Exported
// like GroundingOptions.
type EpistemicFilters struct {
	Include []string `json:"include_epistemic_status,omitempty" doc:"Only relationships of types of these statuses"`
	Exclude []string `json:"exclude_epistemic_status,omitempty" doc:"No relationships of types of these statuses"`

	IncludeWeak *bool `json:"include_weak,omitempty" default:"false" doc:"Also relationships of the type RELATED_TO with a confidence below 0.35"`
}

func (f EpistemicFilters) filter() questions.EpistemicFilter {
	return questions.EpistemicFilter{Include: f.Include, Exclude: f.Exclude, IncludeWeak: *f.IncludeWeak}
}

// RelationshipFilters narrow the relationships that are followed. Exported like
// GroundingOptions.
type RelationshipFilters struct {
	Types         []string `json:"relationship_types,omitempty" doc:"Only these; default: all"`
	MinConfidence *float64 `json:"min_confidence,omitempty" default:"0" doc:"Only relationships that are as certain, 0 to 1"`
	Direction     *string  `json:"direction,omitempty" doc:"Which way relationships are followed from where the question starts: out as they point, in against that, or both, which is the default. RELATED_TO has no direction"`
	PerHop        *int     `json:"limit_per_hop,omitempty" doc:"Concepts that are taken of those that a hop leads to, 1 to 1000: the ones with the paths that say most; 0, the default, takes all"`
}

func (f RelationshipFilters) relationships() questions.RelationshipFilter {
	return questions.RelationshipFilter{Types: f.Types, MinConfidence: *f.MinConfidence, Direction: questions.Heading(http.Or(f.Direction, "")), PerHop: http.Or(f.PerHop, 0)}
}

// notZero refuses a number that is given as 0, which inside stands for the default.
func notZero(name string, n *int) error {
	if n != nil && *n == 0 {
		return kappa.Invalid(kappa.FieldError{In: "body", Name: name, Rule: "must be at least 1, got 0"})
	}
	return nil
}

// PathPages select some of the paths of an answer. Exported like GroundingOptions.
type PathPages struct {
	Limit  *int `json:"limit,omitempty" default:"5" doc:"Paths of the page, 1 to 50"`
	Offset *int `json:"offset,omitempty" default:"0" doc:"Paths before the page, 0 to 200"`
}

func (p PathPages) page() questions.PathPage {
	return questions.PathPage{Limit: *p.Limit, Offset: *p.Offset}
}

// StatisticsOption asks for what was read of the graph. Exported like GroundingOptions.
type StatisticsOption struct {
	IncludeStatistics *bool `json:"include_statistics,omitempty" default:"false" doc:"Say what was read of the graph"`
}

type searchInput struct{ Body searchRequest }

type searchRequest struct {
	Query           string   `json:"query" doc:"A phrase"`
	Limit           *int     `json:"limit,omitempty" default:"10" doc:"1 to 100"`
	Offset          *int     `json:"offset,omitempty" default:"0"`
	MinSimilarity   *float64 `json:"min_similarity,omitempty" doc:"0 to 1; default: 0.6"`
	Ontology        *string  `json:"ontology,omitempty" doc:"Only concepts with a source in it"`
	IncludeEvidence *bool    `json:"include_evidence,omitempty" default:"false"`
	GroundingOptions
}

type conceptInput struct {
	ID               string    `path:"id" doc:"The id of a concept"`
	IncludeGrounding http.Flag `query:"include_grounding" doc:"Show how well the concept is supported"`
	IncludeDiversity http.Flag `query:"include_diversity" doc:"Show how different the concepts around it are"`
	DiversityMaxHops int       `query:"diversity_max_hops" default:"2" doc:"How far around it, 1 to 3"`
	IncludeEvidence  http.Flag `query:"include_evidence" doc:"Show the sentences that state each relationship, up to three of each"`
	Ontology         string    `query:"ontology" doc:"Only what this one says: its concepts, and the relationships that were read in it"`
}

type relatedInput struct{ Body relatedRequest }

type relatedRequest struct {
	ConceptID string  `json:"concept_id"`
	Ontology  *string `json:"ontology,omitempty" doc:"Only what this one says: its concepts, and the relationships that were read in it"`
	MaxDepth  *int    `json:"max_depth,omitempty" default:"2" doc:"1 to 5"`
	Limit     *int    `json:"limit,omitempty" default:"1000" doc:"Concepts of the page, 1 to 1000"`
	Offset    *int    `json:"offset,omitempty" default:"0"`
	MinEpoch  *int64  `json:"min_epoch,omitempty" doc:"Read the graph as of this epoch at least"`

	IncludeEvidence *bool `json:"include_evidence,omitempty" default:"false" doc:"Show the sentences that state the last relationship to each concept, up to three"`
	StatisticsOption
	EpistemicFilters
	RelationshipFilters
	GroundingOptions
}

type connectInput struct{ Body connectRequest }

type connectRequest struct {
	FromID          string  `json:"from_id"`
	ToID            string  `json:"to_id"`
	Ontology        *string `json:"ontology,omitempty" doc:"Only what this one says: its concepts, and the relationships that were read in it"`
	MaxHops         *int    `json:"max_hops,omitempty" default:"5" doc:"1 to 10"`
	IncludeEvidence *bool   `json:"include_evidence,omitempty" default:"false" doc:"Show quotes of each concept, and the sentences that state each relationship, up to three of each"`
	MinEpoch        *int64  `json:"min_epoch,omitempty" doc:"Read the graph as of this epoch at least"`
	PathPages
	StatisticsOption
	EpistemicFilters
	RelationshipFilters
	GroundingOptions
}

func (a *API) registerQuestions(r *http.Router) {
	http.Register(r, http.Route{Method: "POST", Path: "/query/search", Permission: access.GraphRead, ByRow: true, ID: "query.search", Summary: "Find the concepts nearest to a phrase"}, a.search)
	http.Register(r, http.Route{Method: "GET", Path: "/query/concept/{id}", Permission: access.GraphRead, ByRow: true, ID: "query.concept", Summary: "Show a concept with its quotes and relationships"}, a.concept)
	http.Register(r, http.Route{Method: "POST", Path: "/query/related", Permission: access.GraphRead, ByRow: true, ID: "query.related", Summary: "Show the neighbourhood of a concept"}, a.related)
	http.Register(r, http.Route{Method: "POST", Path: "/query/connect", Permission: access.GraphRead, ByRow: true, ID: "query.connect", Summary: "Find paths between two concepts"}, a.connect)
}

func (a *API) search(ctx context.Context, in *searchInput) (questions.SearchResult, error) {
	b := in.Body
	q := questions.SearchQuery{
		Query: b.Query, Limit: *b.Limit, Offset: *b.Offset, MinSimilarity: b.MinSimilarity,
		Ontology: b.Ontology, IncludeEvidence: *b.IncludeEvidence, Measures: b.measures(),
	}
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
	found.Results = http.NotNil(found.Results)
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
	d, err := a.cfg.Questions.Concept(ctx, q)
	d.SearchTerms, d.Documents = http.NotNil(d.SearchTerms), http.NotNil(d.Documents)
	d.Instances, d.Relationships = http.NotNil(d.Instances), http.NotNil(d.Relationships)
	return d, err
}

func (a *API) related(ctx context.Context, in *relatedInput) (questions.RelatedResult, error) {
	q := questions.RelatedQuery{
		ConceptID: in.Body.ConceptID, Limit: *in.Body.Limit, Offset: *in.Body.Offset, IncludeStatistics: *in.Body.IncludeStatistics, Ontology: http.Or(in.Body.Ontology, ""), MaxDepth: *in.Body.MaxDepth, MinEpoch: in.Body.MinEpoch, IncludeEvidence: *in.Body.IncludeEvidence,
		EpistemicFilter: in.Body.filter(), RelationshipFilter: in.Body.relationships(), Measures: in.Body.measures(),
	}
	if err := cmp.Or(notZero("limit", in.Body.Limit), q.Validate()); err != nil || http.OnlyChecks(ctx) {
		return questions.RelatedResult{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.RelatedResult{}, err
	}
	found, err := a.cfg.Questions.Related(ctx, q)
	found.Results = http.NotNil(found.Results)
	return found, err
}

func (a *API) connect(ctx context.Context, in *connectInput) (questions.ConnectResult, error) {
	b := in.Body
	q := questions.ConnectQuery{
		FromID: b.FromID, ToID: b.ToID, Ontology: http.Or(b.Ontology, ""), MaxHops: *b.MaxHops, IncludeEvidence: *b.IncludeEvidence, MinEpoch: b.MinEpoch,
		PathPage: b.page(), IncludeStatistics: *b.IncludeStatistics,
		EpistemicFilter: b.filter(), RelationshipFilter: b.relationships(), Measures: b.measures(),
	}
	if err := cmp.Or(notZero("limit", b.Limit), q.Validate()); err != nil || http.OnlyChecks(ctx) {
		return questions.ConnectResult{}, err
	}
	if err := http.Narrow(ctx, access.GraphRead, &q.Ontology); err != nil {
		return questions.ConnectResult{}, err
	}
	found, err := a.cfg.Questions.Connect(ctx, q)
	found.Paths = http.NotNil(found.Paths)
	return found, err
}
