package corpus

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
