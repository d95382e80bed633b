package corpus_test

import (
	"fmt"

	"github.com/kappagraph/kappa/corpus"
)

func ExampleParseBudget() {
	b, _ := corpus.ParseBudget("$2.50, 50000tokens")
	fmt.Println(b)
	fmt.Println(b.Reached(1.20, 50_000))
	// Output:
	// $2.5, 50000 tokens
	// true
}

func ExampleTableCells() {
	fmt.Printf("%q\n", corpus.TableCells("| When | `a | b` |"))
	// Output: ["When" "`a | b`"]
}

// A document is the same document wherever it comes from: its bytes are its id.
func ExampleContentHash() {
	fmt.Println(corpus.ContentHash([]byte("Water boils.")))
	// Output: sha256:78f7b478beb28f6875d2cc91080c5c82bff05d8b888c738fbd2d5bc93588c517
}
