package models

import "math"

// Coverage is how much of a kind of thing is embedded with the model of the server.
type Coverage struct {
	Total      int     `json:"total"`
	With       int     `json:"with_embeddings"`
	Without    int     `json:"without_embeddings"`
	Percentage float64 `json:"percentage" doc:"Of the total, that is embedded; 100 when there is nothing"`
	Other      int     `json:"incompatible_embeddings" doc:"Those without that are embedded with another model"`
	Stale      int     `json:"stale_embeddings" doc:"Those without whose text was another one when it was embedded"`
	Note       string  `json:"note,omitempty"`
}

// NewCoverage counts up.
func NewCoverage(total, with, other, stale int) Coverage {
	c := Coverage{Total: total, With: with, Without: total - with, Other: other, Stale: stale, Percentage: 100}
	if total > 0 {
		c.Percentage = math.Round(1000*float64(with)/float64(total)) / 10
	}
	return c
}

// EmbeddingCoverage is how much of the graph is embedded with the model of the server.
type EmbeddingCoverage struct {
	Concepts   Coverage
	Sources    Coverage
	Vocabulary Coverage
}
