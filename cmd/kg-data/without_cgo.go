//go:build !cgo

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "kg-data was built without cgo, and so without DuckDB; build it with a C compiler (apt-get install gcc g++) and CGO_ENABLED=1")
	os.Exit(1)
}
