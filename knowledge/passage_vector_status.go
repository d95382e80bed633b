package knowledge

// PassageVectorStatus is what a server knows about the embeddings of passages that it keeps in
// memory, by which questions find passages that say the same in other words.
type PassageVectorStatus struct {
	Model    string `json:"model"`
	Ready    bool   `json:"ready" doc:"Questions find passages by their meaning; otherwise by their words alone"`
	Reason   string `json:"reason" doc:"Why they do not; empty when they do"`
	Passages int    `json:"passages" doc:"That are embedded by the model"`
	Bytes    int64  `json:"memory_bytes"`
	Limit    int64  `json:"memory_limit_bytes"`
	// Lag is nil while it is not ready.
	Lag   *float64 `json:"lag_seconds" doc:"Time since the database was last asked what has changed"`
	Loads int64    `json:"loads" doc:"How often all of them were loaded"`
}
