package projection_test

import (
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/knowledge/projection"
)

func ExampleQuery_Validate() {
	q := projection.NewQuery("Letters")
	fmt.Println(q.Validate("body", ""))
	q.Algorithm = "umap"
	fmt.Println(kappa.ErrorMessage(q.Validate("body", "")))
	// Output:
	// <nil>
	// algorithm: must be one of tsne, pca, got "umap"
}

// Few items have few neighbours: the perplexity that was asked for is lowered.
func ExampleEffectivePerplexity() {
	fmt.Println(projection.EffectivePerplexity(30, 1000), projection.EffectivePerplexity(30, 10))
	// Output: 30 3
}
