//go:build cgo

package main

import (
	"errors"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

func failure(class kappa.DatasetErrorType, message, details string) *kappa.DatasetError {
	e := &kappa.DatasetError{Type: class, Message: message}
	if details != "" {
		e.Details = &details
	}
	return e
}

// notParquet makes an error of the reader one of the file.
func notParquet(err error) error {
	if err == nil {
		return nil
	}
	known := classify(err)
	if known.Type != kappa.DatasetSQL {
		return known
	}
	details := known.Message
	return failure(kappa.DatasetValidation, "this is no Parquet file that can be read", details)
}

// classify says of each failure whose it is. Whatever DuckDB says of a query is the
// query's, apart from memory.
func classify(err error) *kappa.DatasetError {
	if known, ok := errors.AsType[*kappa.DatasetError](err); ok {
		return known
	}
	message := err.Error()
	if library, ok := errors.AsType[*duckdb.Error](err); ok {
		message = library.Msg
		if library.Type == duckdb.ErrorTypeOutOfMemory {
			return outOfMemory()
		}
	}
	return classifySQL(message)
}

func classifySQL(message string) *kappa.DatasetError {
	lower := strings.ToLower(message)
	for _, sign := range []string{"out of memory", "bad_alloc", "failed to allocate", "could not allocate", "failure while allocating", "cannot allocate"} {
		if strings.Contains(lower, sign) {
			return outOfMemory()
		}
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	e := &kappa.DatasetError{Type: kappa.DatasetSQL, Message: first}
	if rest = strings.TrimSpace(rest); rest != "" {
		e.Details = &rest
	}
	return e
}

func outOfMemory() *kappa.DatasetError {
	return &kappa.DatasetError{Type: kappa.DatasetMemory, Message: "the query needs more memory than a worker has; ask for less at once"}
}

func tooLong() frame.Answer {
	return frame.Answer{Error: &kappa.DatasetError{Type: kappa.DatasetMemory, Message: "the answer is too large; ask for fewer rows or columns, or run it as a job"}}
}
