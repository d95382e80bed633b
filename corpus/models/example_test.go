package models_test

import (
	"fmt"

	"github.com/kappagraph/kappa/corpus/models"
)

func ExampleModel_CostOf() {
	m := models.Model{Name: "reader", PricePerMillion: 2, OutputPrice: 10}
	fmt.Println(m.CostOf(models.TokenUsage{Input: 500_000, Output: 100_000}))
	// Output: 2
}

func ExampleEmbedding_Cosine() {
	a, b := models.Embedding{1, 0}, models.Embedding{0, 1}
	fmt.Println(a.Cosine(a), a.Cosine(b))
	// Output: 1 0
}
