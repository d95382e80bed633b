package api

import "github.com/kappagraph/kappa/knowledge/questions"

// SearchRequest asks for the concepts nearest to a phrase.
type SearchRequest struct {
	Query           string   `json:"query" doc:"A phrase"`
	Limit           *int     `json:"limit,omitempty" default:"10" doc:"1 to 100"`
	Offset          *int     `json:"offset,omitempty" default:"0"`
	MinSimilarity   *float64 `json:"min_similarity,omitempty" doc:"0 to 1; default: 0.6"`
	Ontology        *string  `json:"ontology,omitempty" doc:"Only concepts with a source in it"`
	IncludeEvidence *bool    `json:"include_evidence,omitempty" default:"false"`
	GroundingOptions
}

// SearchRequestOf returns the body that asks q. What is zero is left to the server.
func SearchRequestOf(q questions.SearchQuery) SearchRequest {
	return SearchRequest{
		Query: q.Query, Limit: given(q.Limit), Offset: given(q.Offset), MinSimilarity: q.MinSimilarity, Ontology: q.Ontology, IncludeEvidence: given(q.IncludeEvidence),
		GroundingOptions: groundingOptions(q.Measures),
	}
}

// Question returns what b asks.
func (b SearchRequest) Question() questions.SearchQuery {
	return questions.SearchQuery{
		Query: b.Query, Limit: or(b.Limit), Offset: or(b.Offset), MinSimilarity: b.MinSimilarity, Ontology: b.Ontology, IncludeEvidence: or(b.IncludeEvidence),
		Measures: b.measures(),
	}
}

// RelatedRequest asks for the neighbourhood of a concept.
type RelatedRequest struct {
	ConceptID string  `json:"concept_id"`
	Ontology  *string `json:"ontology,omitempty" doc:"Only what this one says: its concepts, and the relationships that were read in it"`
	MaxDepth  *int    `json:"max_depth,omitempty" default:"2" doc:"1 to 5"`
	Limit     *int    `json:"limit,omitempty" default:"1000" doc:"Concepts of the page, 1 to 1000"`
	Offset    *int    `json:"offset,omitempty" default:"0"`
	MinEpoch  *int64  `json:"min_epoch,omitempty" doc:"Read the graph as of this epoch at least"`

	IncludeEvidence *bool `json:"include_evidence,omitempty" default:"false" doc:"Show the sentences that state the last relationship to each concept, up to three"`
	FollowOptions
}

// RelatedRequestOf returns the body that asks q. What is zero is left to the server.
func RelatedRequestOf(q questions.RelatedQuery) RelatedRequest {
	return RelatedRequest{
		ConceptID: q.ConceptID, Ontology: given(q.Ontology), MaxDepth: given(q.MaxDepth), Limit: given(q.Limit), Offset: given(q.Offset), MinEpoch: q.MinEpoch, IncludeEvidence: given(q.IncludeEvidence),
		FollowOptions: followOptions(q.IncludeStatistics, q.EpistemicFilter, q.RelationshipFilter, q.Measures),
	}
}

// Question returns what b asks.
func (b RelatedRequest) Question() questions.RelatedQuery {
	return questions.RelatedQuery{
		ConceptID: b.ConceptID, Ontology: or(b.Ontology), MaxDepth: or(b.MaxDepth), Limit: or(b.Limit), Offset: or(b.Offset), MinEpoch: b.MinEpoch, IncludeEvidence: or(b.IncludeEvidence),
		IncludeStatistics: or(b.IncludeStatistics), EpistemicFilter: b.filter(), RelationshipFilter: b.relationships(), Measures: b.measures(),
	}
}

// ConnectRequest asks for the paths between two concepts.
type ConnectRequest struct {
	FromID          string  `json:"from_id"`
	ToID            string  `json:"to_id"`
	Ontology        *string `json:"ontology,omitempty" doc:"Only what this one says: its concepts, and the relationships that were read in it"`
	MaxHops         *int    `json:"max_hops,omitempty" default:"5" doc:"1 to 10"`
	IncludeEvidence *bool   `json:"include_evidence,omitempty" default:"false" doc:"Show quotes of each concept, and the sentences that state each relationship, up to three of each"`
	MinEpoch        *int64  `json:"min_epoch,omitempty" doc:"Read the graph as of this epoch at least"`
	PathPages
	FollowOptions
}

// ConnectRequestOf returns the body that asks q. What is zero is left to the server.
func ConnectRequestOf(q questions.ConnectQuery) ConnectRequest {
	return ConnectRequest{
		FromID: q.FromID, ToID: q.ToID, Ontology: given(q.Ontology), MaxHops: given(q.MaxHops), IncludeEvidence: given(q.IncludeEvidence), MinEpoch: q.MinEpoch,
		PathPages: pathPages(q.PathPage), FollowOptions: followOptions(q.IncludeStatistics, q.EpistemicFilter, q.RelationshipFilter, q.Measures),
	}
}

// Question returns what b asks.
func (b ConnectRequest) Question() questions.ConnectQuery {
	return questions.ConnectQuery{
		FromID: b.FromID, ToID: b.ToID, Ontology: or(b.Ontology), MaxHops: or(b.MaxHops), IncludeEvidence: or(b.IncludeEvidence), MinEpoch: b.MinEpoch,
		PathPage: b.page(), IncludeStatistics: or(b.IncludeStatistics), EpistemicFilter: b.filter(), RelationshipFilter: b.relationships(), Measures: b.measures(),
	}
}
