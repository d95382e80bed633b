package api

import (
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// EdgeList is a page of relationships and how many there are.
type EdgeList struct {
	Edges  []questions.ListedEdge `json:"edges"`
	Total  int                    `json:"total" doc:"How many there are in all"`
	Offset int                    `json:"offset"`
	Limit  int                    `json:"limit"`
	Next   *string                `json:"next_cursor" doc:"cursor of the next page; null after the last one"`
}

// CreatedEdge is a relationship that was asked for.
type CreatedEdge struct {
	EdgeID string `json:"edge_id" doc:"from_concept_id/relationship_type/to_concept_id, as in the path of the relationship"`
	knowledge.WrittenEdge
	Created    bool   `json:"created" doc:"It was not there before"`
	DocumentID string `json:"document_id" doc:"The note that shows it"`
}
