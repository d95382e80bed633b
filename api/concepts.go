package api

import (
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// ConceptList is a page of concepts and how many there are.
type ConceptList struct {
	Concepts []questions.ListedConcept `json:"concepts"`
	Total    int                       `json:"total" doc:"How many there are in all"`
	Offset   int                       `json:"offset"`
	Limit    int                       `json:"limit"`
	Next     *string                   `json:"next_cursor" doc:"cursor of the next page; null after the last one"`
}

// ConceptMerges are merges of concepts, newest first.
type ConceptMerges struct {
	Merges []knowledge.ConceptMerge `json:"merges" doc:"Newest first"`
}

// ConceptMentions are what documents call a concept.
type ConceptMentions struct {
	Mentions []knowledge.ConceptMention `json:"mentions" doc:"In the order in which they were read"`
}

// NameBlocks are the pairs of names that are never one concept.
type NameBlocks struct {
	Blocks []knowledge.NameBlock `json:"blocks" doc:"Newest first"`
}

// NamesakeList are concepts of one name.
type NamesakeList struct {
	Namesakes []knowledge.Namesakes `json:"namesakes" doc:"By their name"`
}
