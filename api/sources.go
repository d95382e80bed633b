package api

import (
	"github.com/kappagraph/kappa/corpus"
)

// SourceList is a page of chunks and how many there are.
type SourceList struct {
	Sources []corpus.ListedSource `json:"sources"`
	Total   int                   `json:"total" doc:"How many there are in all"`
	Limit   int                   `json:"limit"`
	Offset  int                   `json:"offset"`
	Next    *string               `json:"next_cursor" doc:"cursor of the next page; null after the last one"`
}

// SourceHits are the chunks that a search found.
type SourceHits struct {
	Query     string             `json:"query"`
	Count     int                `json:"count"`
	Results   []corpus.SourceHit `json:"results"`
	Threshold float64            `json:"threshold_used"`
}
