//go:build cgo

package main

// #include <stdint.h>
// uint64_t duckdb_row_count(void *result);
// // See the C interface of DuckDB.
import "C"

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/kappagraph/kappa/corpus/datasets"
)

var ofResult = reflect.TypeFor[mapping.Result]()

// promised returns how many rows a result has. The driver takes a chunk of rows for which
// there is no memory for the end of them, and DuckDB keeps no error of it: so who reads rows
// counts them. The driver does not show its result, which is read where it keeps it.
func promised(found driver.Rows) (int64, error) {
	rows := reflect.ValueOf(found)
	if rows.Kind() == reflect.Pointer && rows.Elem().Kind() == reflect.Struct {
		if field := rows.Elem().FieldByName("res"); field.IsValid() && field.Type() == ofResult {
			result := *(*mapping.Result)(unsafe.Pointer(field.UnsafeAddr()))
			return int64(C.duckdb_row_count(unsafe.Pointer(&result))), nil //nolint:gocritic // it sees what cgo makes of the call
		}
	}
	return 0, failure(datasets.ErrInternal, "the rows of the answer cannot be counted", fmt.Sprintf("%T", found))
}

// checkPromise makes sure that all rows of a result were read.
func checkPromise(found driver.Rows, read int64) error {
	want, err := promised(found)
	if err == nil && want != read {
		err = outOfMemory()
	}
	return err
}
