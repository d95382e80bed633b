package ontologies

import "github.com/kappagraph/kappa/access"

// Ontology is a named set of concepts.
type Ontology struct {
	ID             string  `json:"ontology_id"`
	Name           string  `json:"ontology"`
	SourceCount    int     `json:"source_count"`
	FileCount      int     `json:"file_count"`
	ConceptCount   int     `json:"concept_count"`
	LifecycleState string  `json:"lifecycle_state"` // active, pinned or frozen
	CreationEpoch  int64   `json:"creation_epoch"`
	HasEmbedding   bool    `json:"has_embedding"`
	CreatedBy      *string `json:"created_by"`
}

// The lifecycle states of an ontology.
const (
	LifecycleActive = "active"
	LifecyclePinned = "pinned"
	LifecycleFrozen = "frozen" // read-only
)

// GraphStats counts what the graph holds.
type GraphStats struct {
	Nodes         NodeStats         `json:"nodes"`
	Relationships RelationshipStats `json:"relationships"`
}

// NodeStats counts the nodes by kind.
type NodeStats struct {
	Concepts  int `json:"concepts"`
	Sources   int `json:"sources"`
	Instances int `json:"instances"`
	Documents int `json:"documents"`
}

// RelationshipStats counts the relationships, the most frequent type first.
type RelationshipStats struct {
	Total  int         `json:"total"`
	ByType []TypeCount `json:"by_type"`
}

// TypeCount is how many relationships have one type.
type TypeCount struct {
	Type  string `json:"rel_type"`
	Count int    `json:"count"`
}

// Row returns what permissions ask of an ontology, which belongs to nobody.
func (o Ontology) Row() access.Row { return access.Row{ID: o.ID, Ontology: o.Name} }
