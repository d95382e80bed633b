package check_test

import (
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

func ExampleRules() {
	var r check.Rules
	r.Add("query", "limit", check.Range(0, 1, 100))
	r.Add("query", "ontology", check.OptionalName("", kappa.MaxOntologyName))
	fmt.Println(kappa.ErrorMessage(r.Err()))
	// Output: limit: must be at least 1, got 0
}

func ExampleOneOf() {
	fmt.Println(check.OneOf("fast", "slow", "slower"))
	// Output: must be one of slow, slower, got "fast"
}
