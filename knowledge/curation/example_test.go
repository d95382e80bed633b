package curation_test

import (
	"fmt"

	"github.com/kappagraph/kappa/knowledge/curation"
)

// An ontology that another one holds most of is a part of it.
func ExampleEdges() {
	for _, e := range curation.Edges([]curation.Affinity{{Ontology: 1, Other: 2, Shared: 9, Concepts: 10, OfOther: 100, Similarity: 0.9}}) {
		fmt.Println(e.Source, e.Kind, e.Target)
	}
	// Output: 1 SPECIALIZES 2
}

func ExampleNewAnnealing() {
	fmt.Println(curation.NewAnnealing().Validate(""))
	// Output: <nil>
}
