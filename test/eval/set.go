package main

import (
	"github.com/kappagraph/kappa"
)

// set is a data set.
type set struct {
	name      string
	documents []document
	pairsOnly bool // its relationships say which entities are related, not how
}

// document is a text with what a reader found in it. A nil list was not
// annotated and is not measured.
type document struct {
	name          string
	passage       kappa.Passage
	keyphrases    []string
	entities      [][]string // each with its other names
	relationships []triple
}

// triple is an annotated relationship. Each end may be named in several ways,
// and several types may fit.
type triple struct {
	from, to []string
	types    []string
}
