package questions_test

import (
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// A query reports every rule that it breaks at once.
func ExampleRelatedQuery_Validate() {
	q := questions.RelatedQuery{ConceptID: "a concept", MaxDepth: 9}
	fmt.Println(kappa.ErrorMessage(q.Validate()))
	// Output: concept_id: must consist of letters A to Z and a to z, digits, _, : and -, got "a concept"; max_depth: must be at most 5, got 9
}

func ExampleEpistemicFilter_Allows() {
	f := questions.EpistemicFilter{Exclude: []string{"contradicted"}}
	fmt.Println(f.Allows("WELL_GROUNDED"), f.Allows("CONTRADICTED"))
	// Output: true false
}
