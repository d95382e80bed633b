package datasets_test

import (
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/datasets"
)

// A query reports every rule that it breaks at once.
func ExampleQuery_Validate() {
	q := datasets.Query{SQL: "SELECT 1", Datasets: []datasets.Dataset{{URL: "https://example.com/a.parquet", TableName: "a b"}}, Limit: 2000}
	fmt.Println(kappa.ErrorMessage(q.Validate()))
	// Output: limit: must be at most 1000, got 2000; datasets[0].table_name: must be a letter or underscore, then letters, digits and underscores, 63 at most; got "a b"
}

// What went wrong decides whether the same question can go well.
func ExampleError() {
	err := &datasets.Error{Type: datasets.ErrSQL, Message: "no table is called b"}
	fmt.Println(kappa.ErrorCode(err))
	// Output: invalid
}
