package naming_test

import (
	"fmt"

	"github.com/kappagraph/kappa/knowledge/naming"
)

func ExampleSameName() {
	fmt.Println(naming.SameName("the colour wheels", "Color Wheel"))
	fmt.Println(naming.SameName("C++", "C#"))
	// Output:
	// true
	// false
}

func ExampleConceptSlug() {
	fmt.Println(naming.ConceptSlug("Latent heat (of fusion)"))
	// Output: latent-heat-of-fusion
}

func ExampleEditDistance() {
	fmt.Println(naming.EditDistance("serach", "search"))
	// Output: 2
}
