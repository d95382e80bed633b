package knowledge_test

import (
	"fmt"

	"github.com/kappagraph/kappa/knowledge"
)

// A short name is the long one when a text has explained it.
func ExampleAliasOf() {
	known := knowledge.ExtractedConcept{Label: "natural language processing", SearchTerms: []string{"NLP"}}
	fmt.Println(knowledge.AliasOf(known, "NLP", nil) == knowledge.Abbreviation)
	fmt.Println(knowledge.AliasOf(knowledge.ExtractedConcept{Label: "natural language processing"}, "NLP", nil) == knowledge.NoAlias)
	// Output:
	// true
	// true
}

func ExampleExtractedConcept_EmbeddingText() {
	c := knowledge.ExtractedConcept{Label: "Glacier", Description: "A slow river of ice.", SearchTerms: []string{"ice stream"}}
	fmt.Printf("%q\n", c.EmbeddingText())
	// Output: "Glacier\nA slow river of ice\nice stream"
}

func ExampleSupport_Level() {
	fmt.Println(knowledge.Support{}.Level())
	// Output: insufficient
}
