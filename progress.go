package kappa

// Progress is how far a job has come. Percent never decreases within one
// attempt.
type Progress struct {
	Stage           string  `json:"stage"`
	Percent         float64 `json:"percent"` // 0 to 100
	ChunksTotal     int     `json:"chunks_total"`
	ChunksProcessed int     `json:"chunks_processed"`
	CurrentChunk    int     `json:"current_chunk"` // 1-based; 0 before the first
	Counts
	ItemsTotal     int    `json:"items_total,omitempty"`
	ItemsProcessed int    `json:"items_processed,omitempty"`
	Message        string `json:"message,omitempty"`
}

// Counts are what an ingestion has written. Each chunk counts once, also after
// a resume.
type Counts struct {
	SourcesCreated       int `json:"sources_created"`
	ConceptsCreated      int `json:"concepts_created"`
	ConceptsLinked       int `json:"concepts_linked"`
	InstancesCreated     int `json:"instances_created"`
	RelationshipsCreated int `json:"relationships_created"`
}

// Add returns the sum of c and o.
func (c Counts) Add(o Counts) Counts {
	return Counts{
		SourcesCreated:       c.SourcesCreated + o.SourcesCreated,
		ConceptsCreated:      c.ConceptsCreated + o.ConceptsCreated,
		ConceptsLinked:       c.ConceptsLinked + o.ConceptsLinked,
		InstancesCreated:     c.InstancesCreated + o.InstancesCreated,
		RelationshipsCreated: c.RelationshipsCreated + o.RelationshipsCreated,
	}
}
