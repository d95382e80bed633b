package work

import "github.com/kappagraph/kappa/corpus"

// IngestionProgress is what an ingestion counts in its progress.
type IngestionProgress struct {
	ChunksTotal     int
	ChunksProcessed int
	CurrentChunk    int // 1-based; 0 before the first
	corpus.Counts
}

// ReadIngestionProgress returns what an ingestion counted in its progress, zeros for a
// job of another type.
func ReadIngestionProgress(cs Counters) IngestionProgress {
	var p IngestionProgress
	for _, f := range ingestionFields(&p) {
		*f.value = cs.Value(f.name)
	}
	return p
}

// Counters returns p as the counters of a Progress.
func (p IngestionProgress) Counters() Counters {
	fields := ingestionFields(&p)
	cs := make(Counters, len(fields))
	for i, f := range fields {
		cs[i] = Counter{Name: f.name, Value: *f.value}
	}
	return cs
}

// ingestionField is a counter of an ingestion, with its place in an IngestionProgress.
type ingestionField struct {
	name  string
	value *int
}

// ingestionFields returns the counters of p in the order in which the API shows them.
func ingestionFields(p *IngestionProgress) []ingestionField {
	return []ingestionField{
		{"chunks_total", &p.ChunksTotal},
		{"chunks_processed", &p.ChunksProcessed},
		{"current_chunk", &p.CurrentChunk},
		{"sources_created", &p.SourcesCreated},
		{"concepts_created", &p.ConceptsCreated},
		{"concepts_linked", &p.ConceptsLinked},
		{"instances_created", &p.InstancesCreated},
		{"relationships_created", &p.RelationshipsCreated},
	}
}
