package knowledge

// PassageIndexState says whether an answer is from all passages.
type PassageIndexState struct {
	Ready    bool `json:"ready" doc:"The answer is from all passages, as of epoch"`
	Passages int  `json:"passages,omitempty" doc:"In the index; absent in an answer within ontologies from all passages"`
	Of       int  `json:"of,omitempty" doc:"That there are, as far as is known; absent likewise"`
}

// PassageIndexStatus is what a server knows about its index of passages, which questions are
// answered from.
type PassageIndexStatus struct {
	PassageIndexState

	Segments int    `json:"segments" doc:"Parts of the index; small ones are merged in the background"`
	Heap     int64  `json:"heap_bytes" doc:"Memory of its own"`
	Mapped   int64  `json:"mapped_bytes" doc:"Files below KG_DATA_DIR that are read as memory; the system keeps of them what there is room for"`
	Reason   string `json:"reason" doc:"Why not all passages are found; empty when they are"`
	// Vectors is nil without a model that embeds passages.
	Vectors *PassageVectorStatus `json:"vectors,omitempty" doc:"The embeddings of passages that are kept in memory; absent without a model that embeds them"`
	// Lag is nil while it is not ready.
	Lag   *float64 `json:"lag_seconds" doc:"Time since the database was last asked what has changed; a question asks anew"`
	Loads int64    `json:"loads" doc:"How often it was compared with all passages of the database"`
}
