package vocabulary_test

import (
	"fmt"

	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

func ExampleTextOf() {
	fmt.Println(vocabulary.TextOf("PART_OF"))
	// Output: part of, belongs to a whole
}

func ExampleReverses() {
	fmt.Println(vocabulary.Reverses("SUPPORTS", "CONTRADICTS"))
	// Output: true
}

// A small vocabulary is left alone, and a very large one takes no new types.
func ExampleLimits_Aggressiveness() {
	limits := vocabulary.DefaultLimits()
	_, small := limits.Aggressiveness(10)
	_, large := limits.Aggressiveness(1000)
	fmt.Println(small, large)
	// Output: comfort block
}
