package http

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// described is an operation that the OpenAPI document describes.
type described struct {
	method, path string
	operation
}

// describedWhere returns the operations for which fits holds, so that one that is
// added is fuzzed by itself. There must be at least so many.
func describedWhere(t testing.TB, least int, fits func(operation) bool) []described {
	t.Helper()
	doc, _ := readSpec(t)
	var found []described
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if fits(op) {
				found = append(found, described{strings.ToUpper(method), path, op})
			}
		}
	}
	slices.SortFunc(found, func(a, b described) int { return strings.Compare(a.OperationID, b.OperationID) })
	if len(found) < least {
		t.Fatalf("only %d operations are described, want %d", len(found), least)
	}
	return found
}

// takes reports whether an operation has a parameter in the path, the query or the
// header; "" is one of any name.
func (op operation) takes(in, name string) bool {
	for _, p := range op.Parameters {
		if p.In == in && (name == "" || p.Name == name) {
			return true
		}
	}
	return false
}

func takesBody(op operation) bool { return op.RequestBody.Content != nil }

var pathParameter = regexp.MustCompile(`\{\w+\}`)

// pathWith puts a value into each parameter of the path.
func (d described) pathWith(value string) string {
	return pathParameter.ReplaceAllLiteralString(d.path, url.PathEscape(value))
}
