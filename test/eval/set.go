package main

import (
	"github.com/kappagraph/kappa/knowledge"
)

// set is a data set.
type set struct {
	name      string
	documents []document
	pairsOnly bool // its relationships say which entities are related, not how
}

// document is a text with what a reader found in it. A nil list was not
// annotated and is not measured. Whatever is named has its other names beside it.
type document struct {
	name          string
	style         string // readme, minutes, …; may be empty
	passage       knowledge.Passage
	keyphrases    [][]string
	entities      [][]string
	concepts      [][]string // the other things that the text speaks of
	relationships []triple   // to be found
	alsoTrue      []triple   // right when found, and not missed otherwise
	denied        []triple   // denied, supposed or asked: never to be found
}

// triple is an annotated relationship. Each end may be named in several ways,
// and several types may fit.
type triple struct {
	from, to []string
	fits     []fit
}
