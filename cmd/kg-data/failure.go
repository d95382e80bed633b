//go:build cgo

package main

import (
	"errors"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/dataset/frame"
)

func failure(class datasets.ErrorType, message, details string) *datasets.Error {
	e := &datasets.Error{Type: class, Message: message}
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
	if known.Type != datasets.ErrSQL {
		return known
	}
	details := known.Message
	return failure(datasets.ErrValidation, "this is no Parquet file that can be read", details)
}

// classify says of each failure whose it is. Whatever DuckDB says of a query is the
// query's, apart from memory.
func classify(err error) *datasets.Error {
	if known, ok := errors.AsType[*datasets.Error](err); ok {
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

func classifySQL(message string) *datasets.Error {
	lower := strings.ToLower(message)
	for _, sign := range []string{"out of memory", "bad_alloc", "failed to allocate", "could not allocate", "failure while allocating", "cannot allocate"} {
		if strings.Contains(lower, sign) {
			return outOfMemory()
		}
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	e := &datasets.Error{Type: datasets.ErrSQL, Message: first}
	if rest = strings.TrimSpace(rest); rest != "" {
		e.Details = &rest
	}
	return e
}

func outOfMemory() *datasets.Error {
	return &datasets.Error{Type: datasets.ErrMemory, Message: "the query needs more memory than a worker has; ask for less at once"}
}

func tooLong() frame.Answer {
	return frame.Answer{Error: &datasets.Error{Type: datasets.ErrMemory, Message: "the answer is too large; ask for fewer rows or columns, or run it as a job"}}
}
