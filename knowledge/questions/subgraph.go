package questions

import "github.com/kappagraph/kappa/knowledge"

// GraphNode is a concept as a node of a graph that is drawn or exported.
type GraphNode struct {
	ConceptID   string  `json:"concept_id"`
	Label       string  `json:"label"`
	Description *string `json:"description"`
	Degree      int     `json:"degree"` // its relationships in the whole graph, in both directions
	knowledge.Grounding
}

// SubgraphEdge is a relationship between two concepts, as it points.
type SubgraphEdge struct {
	FromID     string  `json:"from_concept_id"`
	ToID       string  `json:"to_concept_id"`
	Type       string  `json:"relationship_type"`
	Confidence float64 `json:"confidence"`

	Evidence []knowledge.EdgeEvidence `json:"evidence" nullable:"true"` // the surest sentences that state it; null unless asked for
	From, To int                      `json:"-"`                        // the numbers of the concepts
}

// Edge returns e as its evidence is asked for.
func (e SubgraphEdge) Edge() knowledge.Edge {
	return knowledge.Edge{From: e.From, To: e.To, Type: e.Type, Confidence: e.Confidence, Forward: true}
}
