package graph

import (
	"context"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
)

// questions answers questions. Unknown concepts are CodeNotFound.
type questions interface {
	Search(ctx context.Context, q kappa.SearchQuery) (kappa.SearchResult, error)
	Concept(ctx context.Context, id string) (kappa.ConceptDetails, error)
	Related(ctx context.Context, q kappa.RelatedQuery) (kappa.RelatedResult, error)
	Connect(ctx context.Context, q kappa.ConnectQuery) (kappa.ConnectResult, error)
}

// GroundingOptions are accepted wherever concepts are answered. Grounding is
// shown as far as it is computed; diversity is not yet. The type is exported
// because the description of a body leaves embedded types out that are not.
type GroundingOptions struct {
	IncludeGrounding *bool `json:"include_grounding,omitempty" doc:"Accepted; what is computed is always shown"`
	IncludeDiversity *bool `json:"include_diversity,omitempty" doc:"Accepted; diversity is not computed yet"`
	DiversityMaxHops *int  `json:"diversity_max_hops,omitempty" doc:"Accepted; diversity is not computed yet"`
}

// EpistemicFilters narrow relationships by the status of their type. Exported
// like GroundingOptions.
type EpistemicFilters struct {
	Include []string `json:"include_epistemic_status,omitempty" doc:"Not built yet: must be empty"`
	Exclude []string `json:"exclude_epistemic_status,omitempty" doc:"Not built yet: must be empty"`
}

// check refuses a filter that would be ignored: the answer would be wider than
// asked for without a word.
func (f EpistemicFilters) check() error {
	if len(f.Include)+len(f.Exclude) > 0 {
		return kappa.NewError(kappa.CodeNotImplemented, "Filtering by epistemic status is not built yet; leave the filter out")
	}
	return nil
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
	ID               string    `path:"id"`
	IncludeGrounding http.Flag `query:"include_grounding" doc:"Accepted; what is computed is always shown"`
	IncludeDiversity http.Flag `query:"include_diversity" doc:"Accepted; diversity is not computed yet"`
	DiversityMaxHops int       `query:"diversity_max_hops" default:"2" doc:"Accepted; diversity is not computed yet"`
}

type relatedInput struct{ Body relatedRequest }

type relatedRequest struct {
	ConceptID string   `json:"concept_id"`
	Types     []string `json:"relationship_types,omitempty" doc:"Only these; default: all"`
	MaxDepth  *int     `json:"max_depth,omitempty" default:"2" doc:"1 to 5"`
	MinEpoch  *int64   `json:"min_epoch,omitempty" doc:"Read the graph as of this epoch at least"`
	EpistemicFilters
	GroundingOptions
}

type connectInput struct{ Body connectRequest }

type connectRequest struct {
	FromID          string `json:"from_id"`
	ToID            string `json:"to_id"`
	MaxHops         *int   `json:"max_hops,omitempty" default:"5" doc:"1 to 10"`
	IncludeEvidence *bool  `json:"include_evidence,omitempty" default:"false"`
	MinEpoch        *int64 `json:"min_epoch,omitempty" doc:"Read the graph as of this epoch at least"`
	EpistemicFilters
	GroundingOptions
}

func (a *API) registerQuestions(r *http.Router) {
	http.Register(r, http.Route{Method: "POST", Path: "/query/search", Permission: kappa.GraphRead, ID: "query.search", Summary: "Find the concepts nearest to a phrase"}, a.search)
	http.Register(r, http.Route{Method: "GET", Path: "/query/concept/{id}", Permission: kappa.GraphRead, ID: "query.concept", Summary: "Show a concept with its quotes and relationships"}, a.concept)
	http.Register(r, http.Route{Method: "POST", Path: "/query/related", Permission: kappa.GraphRead, ID: "query.related", Summary: "Show the neighbourhood of a concept"}, a.related)
	http.Register(r, http.Route{Method: "POST", Path: "/query/connect", Permission: kappa.GraphRead, ID: "query.connect", Summary: "Find paths between two concepts"}, a.connect)
}

func (a *API) search(ctx context.Context, in *searchInput) (kappa.SearchResult, error) {
	b := in.Body
	q := kappa.SearchQuery{
		Query: b.Query, Limit: *b.Limit, Offset: *b.Offset, MinSimilarity: b.MinSimilarity,
		Ontology: b.Ontology, IncludeEvidence: *b.IncludeEvidence,
	}
	if err := q.Validate(); err != nil {
		return kappa.SearchResult{}, err
	}
	found, err := a.cfg.Questions.Search(ctx, q)
	found.Results = http.NotNil(found.Results)
	return found, err
}

func (a *API) concept(ctx context.Context, in *conceptInput) (kappa.ConceptDetails, error) {
	if err := kappa.CheckConceptID("path", "id", in.ID); err != nil {
		return kappa.ConceptDetails{}, err
	}
	d, err := a.cfg.Questions.Concept(ctx, in.ID)
	d.SearchTerms, d.Documents = http.NotNil(d.SearchTerms), http.NotNil(d.Documents)
	d.Instances, d.Relationships = http.NotNil(d.Instances), http.NotNil(d.Relationships)
	return d, err
}

func (a *API) related(ctx context.Context, in *relatedInput) (kappa.RelatedResult, error) {
	q := kappa.RelatedQuery{ConceptID: in.Body.ConceptID, Types: in.Body.Types, MaxDepth: *in.Body.MaxDepth, MinEpoch: in.Body.MinEpoch}
	if err := q.Validate(); err != nil {
		return kappa.RelatedResult{}, err
	}
	if err := in.Body.check(); err != nil {
		return kappa.RelatedResult{}, err
	}
	found, err := a.cfg.Questions.Related(ctx, q)
	found.Results = http.NotNil(found.Results)
	return found, err
}

func (a *API) connect(ctx context.Context, in *connectInput) (kappa.ConnectResult, error) {
	b := in.Body
	q := kappa.ConnectQuery{
		FromID: b.FromID, ToID: b.ToID, MaxHops: *b.MaxHops, IncludeEvidence: *b.IncludeEvidence, MinEpoch: b.MinEpoch,
	}
	if err := q.Validate(); err != nil {
		return kappa.ConnectResult{}, err
	}
	if err := b.check(); err != nil {
		return kappa.ConnectResult{}, err
	}
	found, err := a.cfg.Questions.Connect(ctx, q)
	found.Paths = http.NotNil(found.Paths)
	return found, err
}
