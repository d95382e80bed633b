package knowledge

import "github.com/kappagraph/kappa"

// GraphCounter is how many there are of something, and how many more than when the counters
// were last refreshed.
type GraphCounter struct {
	Name         string      `json:"name"`
	Value        int64       `json:"value"`
	Delta        int64       `json:"delta" doc:"Since the counters were last refreshed; below 0 after deletions"`
	LastMeasured *kappa.Time `json:"last_measured" doc:"When that was; null before the first time"`
	UpdatedAt    *kappa.Time `json:"updated_at" doc:"The same"`
	Notes        string      `json:"notes" doc:"What is counted"`
}

// GraphCounters are those of what there is, and those of what has happened.
type GraphCounters struct {
	Snapshot []GraphCounter `json:"snapshot" doc:"How much the graph holds"`
	Activity []GraphCounter `json:"activity" doc:"How often something has happened; these only grow"`
	Legacy   []GraphCounter `json:"legacy_structure" doc:"Always empty"`
}

// CounterChange is what refreshing did to a counter.
type CounterChange struct {
	Name    string `json:"name"`
	Old     int64  `json:"old" doc:"What was measured the time before; 0 before the first time"`
	New     int64  `json:"new"`
	Changed bool   `json:"changed"`
}

// The names of the counters.
const (
	CounterConcepts  = "concept_count"
	CounterEdges     = "edge_count"
	CounterSources   = "source_count"
	CounterTypes     = "vocabulary_type_count"
	CounterDocuments = "document_count"
	CounterEpoch     = "graph_change_counter"
)

// MeasuredCounter is a counter since the vocabulary was measured.
type MeasuredCounter struct {
	Counter        int64       `json:"counter"`
	Delta          int64       `json:"delta" doc:"Since the epistemic statuses were measured"`
	LastMeasuredAt *kappa.Time `json:"last_measured_at" doc:"null before the first time"`
}

// GraphMetrics say how much has changed since the vocabulary was measured.
type GraphMetrics struct {
	Vocabulary MeasuredCounter `json:"vocabulary_change_counter" doc:"Types of relationships"`
	Graph      MeasuredCounter `json:"graph_change_counter" doc:"Changes of the graph"`
}
