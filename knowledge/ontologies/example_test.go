package ontologies_test

import (
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/ontologies"
)

func ExampleCheckLifecycle() {
	fmt.Println(ontologies.CheckLifecycle(ontologies.LifecycleFrozen))
	fmt.Println(kappa.ErrorCode(ontologies.CheckLifecycle("asleep")))
	// Output:
	// <nil>
	// invalid
}

func ExampleNode_Row() {
	n := ontologies.Node{ID: "12", Name: "Letters"}
	fmt.Println(n.Row().Ontology)
	// Output: Letters
}
