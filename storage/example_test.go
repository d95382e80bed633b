package storage_test

import (
	"fmt"

	"github.com/kappagraph/kappa/storage"
)

func ExampleKindOf() {
	kind, counts := storage.KindOf("edges")
	fmt.Println(kind, counts)
	// Output: relationships true
}

func ExampleCheckParts() {
	fmt.Println(storage.CheckParts("body", "parts", []string{storage.StoredChunks}))
	fmt.Println(storage.CheckParts("body", "parts", []string{"jobs"}) != nil)
	// Output:
	// <nil>
	// true
}
