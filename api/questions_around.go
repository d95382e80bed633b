package api

import "github.com/kappagraph/kappa/knowledge/questions"

// ConnectBySearchRequest asks for the paths between the concepts that two phrases mean.
type ConnectBySearchRequest struct {
	FromQuery       string   `json:"from_query" doc:"A phrase, or the id of a concept"`
	ToQuery         string   `json:"to_query" doc:"Likewise"`
	Ontology        *string  `json:"ontology,omitempty" doc:"Only what this one says: its concepts, and the relationships that were read in it"`
	MaxHops         *int     `json:"max_hops,omitempty" default:"5" doc:"1 to 10"`
	Threshold       *float64 `json:"threshold,omitempty" default:"0.5" doc:"0 to 1: how near a concept must be to its phrase"`
	IncludeEvidence *bool    `json:"include_evidence,omitempty" default:"false" doc:"Show quotes of each concept, and the sentences that state each relationship, up to three of each"`
	MinEpoch        *int64   `json:"min_epoch,omitempty" doc:"Read the graph as of this epoch at least"`
	PathPages
	FollowOptions
}

// ConnectBySearchRequestOf returns the body that asks q. What is zero is left to the server.
func ConnectBySearchRequestOf(q questions.ConnectBySearchQuery) ConnectBySearchRequest {
	return ConnectBySearchRequest{
		FromQuery: q.FromQuery, ToQuery: q.ToQuery, Ontology: given(q.Ontology), MaxHops: given(q.MaxHops), Threshold: given(q.Threshold), IncludeEvidence: given(q.IncludeEvidence), MinEpoch: q.MinEpoch,
		PathPages: pathPages(q.PathPage), FollowOptions: followOptions(q.IncludeStatistics, q.EpistemicFilter, q.RelationshipFilter, q.Measures),
	}
}

// Question returns what b asks.
func (b ConnectBySearchRequest) Question() questions.ConnectBySearchQuery {
	return questions.ConnectBySearchQuery{
		FromQuery: b.FromQuery, ToQuery: b.ToQuery, Ontology: or(b.Ontology), MaxHops: or(b.MaxHops), Threshold: or(b.Threshold), IncludeEvidence: or(b.IncludeEvidence), MinEpoch: b.MinEpoch,
		PathPage: b.page(), IncludeStatistics: or(b.IncludeStatistics), EpistemicFilter: b.filter(), RelationshipFilter: b.relationships(), Measures: b.measures(),
	}
}

// NeighborhoodRequest asks for the graph around a concept.
type NeighborhoodRequest struct {
	ConceptID string  `json:"concept_id"`
	Ontology  *string `json:"ontology,omitempty" doc:"Only what this one says: its concepts, and the relationships that were read in it"`
	MaxHops   *int    `json:"max_hops,omitempty" default:"2" doc:"1 to 5"`
	Limit     *int    `json:"limit,omitempty" default:"50" doc:"Concepts, that one included: 1 to 1000"`
	MinEpoch  *int64  `json:"min_epoch,omitempty" doc:"Read the graph as of this epoch at least"`

	IncludeEvidence   *bool `json:"include_evidence,omitempty" default:"false" doc:"Show the sentences that state each relationship, up to three of each"`
	IncludeOntologies *bool `json:"include_ontologies,omitempty" default:"false" doc:"Show the ontologies that each concept is in"`
	FollowOptions
}

// NeighborhoodRequestOf returns the body that asks q. What is zero is left to the server.
func NeighborhoodRequestOf(q questions.NeighborhoodQuery) NeighborhoodRequest {
	return NeighborhoodRequest{
		ConceptID: q.ConceptID, Ontology: given(q.Ontology), MaxHops: given(q.MaxHops), Limit: given(q.Limit), MinEpoch: q.MinEpoch, IncludeEvidence: given(q.IncludeEvidence), IncludeOntologies: given(q.IncludeOntologies),
		FollowOptions: followOptions(q.IncludeStatistics, q.EpistemicFilter, q.RelationshipFilter, q.Measures),
	}
}

// Question returns what b asks.
func (b NeighborhoodRequest) Question() questions.NeighborhoodQuery {
	return questions.NeighborhoodQuery{
		ConceptID: b.ConceptID, Ontology: or(b.Ontology), MaxHops: or(b.MaxHops), Limit: or(b.Limit), MinEpoch: b.MinEpoch, IncludeEvidence: or(b.IncludeEvidence), IncludeOntologies: or(b.IncludeOntologies),
		IncludeStatistics: or(b.IncludeStatistics), EpistemicFilter: b.filter(), RelationshipFilter: b.relationships(), Measures: b.measures(),
	}
}

// EnrichedPathRequest asks for the paths between two concepts, and for what is around them.
type EnrichedPathRequest struct {
	FromID   string  `json:"from_id"`
	ToID     string  `json:"to_id"`
	Ontology *string `json:"ontology,omitempty" doc:"Only what this one says: its concepts, and the relationships that were read in it"`
	MaxHops  *int    `json:"max_hops,omitempty" default:"5" doc:"1 to 10"`
	PerNode  *int    `json:"per_node,omitempty" default:"5" doc:"Concepts shown around each one: 1 to 50"`
	Depth    *int    `json:"depth,omitempty" default:"1" doc:"How far around each concept to look: 1 to 3"`
	MinEpoch *int64  `json:"min_epoch,omitempty" doc:"Read the graph as of this epoch at least"`

	IncludeEvidence *bool `json:"include_evidence,omitempty" default:"false" doc:"Show the sentences that state each relationship, up to three of each"`
	PathPages
	FollowOptions
}

// EnrichedPathRequestOf returns the body that asks q. What is zero is left to the server.
func EnrichedPathRequestOf(q questions.EnrichedPathQuery) EnrichedPathRequest {
	return EnrichedPathRequest{
		FromID: q.FromID, ToID: q.ToID, Ontology: given(q.Ontology), MaxHops: given(q.MaxHops), PerNode: given(q.PerNode), Depth: given(q.Depth), MinEpoch: q.MinEpoch, IncludeEvidence: given(q.IncludeEvidence),
		PathPages: pathPages(q.PathPage), FollowOptions: followOptions(q.IncludeStatistics, q.EpistemicFilter, q.RelationshipFilter, q.Measures),
	}
}

// Question returns what b asks.
func (b EnrichedPathRequest) Question() questions.EnrichedPathQuery {
	return questions.EnrichedPathQuery{
		FromID: b.FromID, ToID: b.ToID, Ontology: or(b.Ontology), MaxHops: or(b.MaxHops), PerNode: or(b.PerNode), Depth: or(b.Depth), MinEpoch: b.MinEpoch, IncludeEvidence: or(b.IncludeEvidence),
		PathPage: b.page(), IncludeStatistics: or(b.IncludeStatistics), EpistemicFilter: b.filter(), RelationshipFilter: b.relationships(), Measures: b.measures(),
	}
}

// AroundRequest asks for the concepts around several.
type AroundRequest struct {
	SeedIDs  []string `json:"seed_ids" doc:"Concepts to start from, 1 to 100"`
	MaxHops  *int     `json:"max_hops,omitempty" default:"2" doc:"1 to 5"`
	Limit    *int     `json:"limit,omitempty" default:"100" doc:"Concepts of the page, 1 to 1000"`
	Offset   *int     `json:"offset,omitempty" default:"0"`
	Ontology *string  `json:"ontology,omitempty" doc:"Only what this one says: its concepts, and the relationships that were read in it"`
	MinEpoch *int64   `json:"min_epoch,omitempty" doc:"Read the graph as of this epoch at least"`

	FollowOptions
}

// AroundRequestOf returns the body that asks q. What is zero is left to the server.
func AroundRequestOf(q questions.AroundQuery) AroundRequest {
	return AroundRequest{
		SeedIDs: q.SeedIDs, MaxHops: given(q.MaxHops), Limit: given(q.Limit), Offset: given(q.Offset), Ontology: given(q.Ontology), MinEpoch: q.MinEpoch,
		FollowOptions: followOptions(q.IncludeStatistics, q.EpistemicFilter, q.RelationshipFilter, q.Measures),
	}
}

// Question returns what b asks.
func (b AroundRequest) Question() questions.AroundQuery {
	return questions.AroundQuery{
		SeedIDs: b.SeedIDs, MaxHops: or(b.MaxHops), Limit: or(b.Limit), Offset: or(b.Offset), Ontology: or(b.Ontology), MinEpoch: b.MinEpoch,
		IncludeStatistics: or(b.IncludeStatistics), EpistemicFilter: b.filter(), RelationshipFilter: b.relationships(), Measures: b.measures(),
	}
}
