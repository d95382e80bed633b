package api

import "github.com/kappagraph/kappa/knowledge/questions"

// FollowOptions are those of every question that follows relationships. The type is exported
// because the description of a body leaves embedded types out that are not.
type FollowOptions struct {
	IncludeStatistics *bool `json:"include_statistics,omitempty" default:"false" doc:"Say what was read of the graph"`
	EpistemicFilters
	RelationshipFilters
	GroundingOptions
}

func followOptions(statistics bool, e questions.EpistemicFilter, r questions.RelationshipFilter, m questions.Measures) FollowOptions {
	return FollowOptions{given(statistics), epistemicFilters(e), relationshipFilters(r), groundingOptions(m)}
}

// GroundingOptions say which measures of concepts an answer carries. Exported like FollowOptions.
type GroundingOptions struct {
	IncludeGrounding *bool `json:"include_grounding,omitempty" default:"true" doc:"Show how well concepts are supported"`
	IncludeDiversity *bool `json:"include_diversity,omitempty" default:"false" doc:"Show how different the concepts around each one are; of searches, concepts and paths"`
	DiversityMaxHops *int  `json:"diversity_max_hops,omitempty" default:"2" doc:"How far around a concept, 1 to 3"`
}

func groundingOptions(m questions.Measures) GroundingOptions {
	o := GroundingOptions{IncludeDiversity: given(m.Diversity), DiversityMaxHops: m.DiversityHops}
	if m.NoGrounding {
		o.IncludeGrounding = new(false)
	}
	return o
}

func (o GroundingOptions) measures() questions.Measures {
	return questions.Measures{NoGrounding: o.IncludeGrounding != nil && !*o.IncludeGrounding, Diversity: or(o.IncludeDiversity), DiversityHops: o.DiversityMaxHops}
}

// EpistemicFilters narrow relationships by the status of their type and by how weak they are.
// Exported like FollowOptions.
type EpistemicFilters struct {
	Include []string `json:"include_epistemic_status,omitempty" doc:"Only relationships of types of these statuses"`
	Exclude []string `json:"exclude_epistemic_status,omitempty" doc:"No relationships of types of these statuses"`

	IncludeWeak *bool `json:"include_weak,omitempty" default:"false" doc:"Also relationships of the type RELATED_TO with a confidence below 0.35"`
}

func epistemicFilters(f questions.EpistemicFilter) EpistemicFilters {
	return EpistemicFilters{Include: f.Include, Exclude: f.Exclude, IncludeWeak: given(f.IncludeWeak)}
}

func (f EpistemicFilters) filter() questions.EpistemicFilter {
	return questions.EpistemicFilter{Include: f.Include, Exclude: f.Exclude, IncludeWeak: or(f.IncludeWeak)}
}

// RelationshipFilters narrow the relationships that are followed. Exported like
// FollowOptions.
type RelationshipFilters struct {
	Types         []string `json:"relationship_types,omitempty" doc:"Only these; default: all"`
	MinConfidence *float64 `json:"min_confidence,omitempty" default:"0" doc:"Only relationships that are as certain, 0 to 1"`
	Direction     *string  `json:"direction,omitempty" doc:"Which way relationships are followed from where the question starts: out as they point, in against that, or both, which is the default. RELATED_TO has no direction"`
	PerHop        *int     `json:"limit_per_hop,omitempty" doc:"Concepts that are taken of those that a hop leads to, 1 to 1000: the ones with the paths that say most; 0, the default, takes all"`
}

func relationshipFilters(f questions.RelationshipFilter) RelationshipFilters {
	return RelationshipFilters{Types: f.Types, MinConfidence: given(f.MinConfidence), Direction: given(string(f.Direction)), PerHop: given(f.PerHop)}
}

func (f RelationshipFilters) relationships() questions.RelationshipFilter {
	return questions.RelationshipFilter{Types: f.Types, MinConfidence: or(f.MinConfidence), Direction: questions.Heading(or(f.Direction)), PerHop: or(f.PerHop)}
}

// PathPages select some of the paths of an answer. Exported like FollowOptions.
type PathPages struct {
	Limit  *int `json:"limit,omitempty" default:"5" doc:"Paths of the page, 1 to 50"`
	Offset *int `json:"offset,omitempty" default:"0" doc:"Paths before the page, 0 to 200"`
}

func pathPages(p questions.PathPage) PathPages { return PathPages{given(p.Limit), given(p.Offset)} }

func (p PathPages) page() questions.PathPage {
	return questions.PathPage{Limit: or(p.Limit), Offset: or(p.Offset)}
}

// given returns v for a body, and nil for zero, which is left to the server.
func given[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// or returns what a body has, and zero when it has none.
func or[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
