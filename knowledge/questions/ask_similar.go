package questions

// SimilarPassages is what a model that embeds passages says to a question.
type SimilarPassages struct {
	Model   string            // "": none is configured
	Reason  string            // why nothing was compared; "" when it was
	Nearest []int32           // the most similar passages, best first, by their numbers
	Of      map[int32]float64 // how similar passages are, in deviations above what is usual in the library, -8 to 8
}

// Compared reports whether the model has had its say.
func (s SimilarPassages) Compared() bool { return s.Of != nil }

// AskMeaning says how an answer went by the meaning of its question.
type AskMeaning struct {
	Model  string `json:"model"`  // that embeds the passages
	Used   bool   `json:"used"`   // passages were found and ordered by it too
	Reason string `json:"reason"` // why it was not used, and the answer goes by the words alone; else empty
}

// AskReranking says how the order of an answer was revised by a reranker.
type AskReranking struct {
	Model    string  `json:"model"`
	Reranked bool    `json:"reranked"` // the passages stand in its order
	Passages int     `json:"passages"` // that it was given
	Reason   string  `json:"reason"`   // why it was not used, and the order is the server's own; else empty
	Cost     float64 `json:"cost_usd"` // of its call
}
