package knowledge

// SearchIndexTooLarge is the reason of a SearchIndexStatus that does not fit into its
// memory.
const SearchIndexTooLarge = "above its memory"

// SearchIndexStatus is what a server knows about what it keeps in memory for searches
// by meaning.
type SearchIndexStatus struct {
	Ready    bool   `json:"ready" doc:"Searches find concepts in memory; otherwise they read the tables"`
	Reason   string `json:"reason" doc:"Why it is not used; empty when it is"`
	Concepts int    `json:"concepts"`
	// Embeddings says whether they fit into the memory, too. Without them a search
	// reads those of the best concepts from the tables.
	Embeddings bool  `json:"embeddings"`
	Bytes      int64 `json:"memory_bytes"`
	Limit      int64 `json:"memory_limit_bytes" doc:"0 when it is switched off"`
	// Lag is nil while it is not used.
	Lag   *float64 `json:"lag_seconds" doc:"Time since the database was last asked what has changed"`
	Loads int64    `json:"loads" doc:"How often all concepts were loaded"`
}
