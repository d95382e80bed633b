package apitest

import (
	"encoding/json"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http"
)

// Operation is one that the OpenAPI document describes.
type Operation struct {
	Method, Path string // from where it is in the document
	OperationID  string
	Summary      string
	Tags         []string
	Parameters   []Parameter
	RequestBody  struct {
		Content  map[string]any
		Required bool
	}
	Responses map[string]struct{ Content map[string]any }
	Security  []map[string][]string
}

// Parameter is one of an Operation.
type Parameter struct {
	Name, In string
	Required bool
}

// Spec is the OpenAPI document as far as tests look at it.
type Spec struct {
	OpenAPI    string
	Info       struct{ Title, Version string }
	Paths      map[string]map[string]Operation
	Components struct {
		Schemas         map[string]any
		SecuritySchemes map[string]any
	}
	Tags []struct{ Name string }
}

// ReadSpec returns the OpenAPI document of a server, and its text.
func ReadSpec(t testing.TB, s *http.Server) (Spec, string) {
	t.Helper()
	_, body := Call(t, s, Request{Method: "GET", Path: "/openapi.json", Token: None})
	var doc Spec
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			op.Method, op.Path = strings.ToUpper(method), path
			methods[method] = op
		}
	}
	return doc, body
}

// Operations returns the operations for which fits holds, so that one that is added
// is tested by itself. There must be at least so many.
func Operations(t testing.TB, s *http.Server, least int, fits func(Operation) bool) []Operation {
	t.Helper()
	doc, _ := ReadSpec(t, s)
	var found []Operation
	for _, methods := range doc.Paths {
		for _, op := range methods {
			if fits(op) {
				found = append(found, op)
			}
		}
	}
	slices.SortFunc(found, func(a, b Operation) int { return strings.Compare(a.OperationID, b.OperationID) })
	if len(found) < least {
		t.Fatalf("only %d operations are described, want %d", len(found), least)
	}
	return found
}

// Takes reports whether op has a parameter in the path, the query or the header; ""
// is one of any name.
func (op Operation) Takes(in, name string) bool {
	for _, p := range op.Parameters {
		if p.In == in && (name == "" || p.Name == name) {
			return true
		}
	}
	return false
}

// TakesQuery reports whether op has parameters in the query, and is no stream.
func (op Operation) TakesQuery() bool {
	return op.Takes("query", "") && op.Responses["200"].Content[http.EventStreamType] == nil
}

// TakesName reports whether op has a place for any text in its path, or a key.
func (op Operation) TakesName() bool {
	return op.Takes("path", "") || op.Takes("header", "Idempotency-Key")
}

// TakesBody reports whether op has a body.
func (op Operation) TakesBody() bool { return op.RequestBody.Content != nil }

// MayTake reports whether a body is of the kind that op describes. An empty form
// says nothing of its kind, and a body that is not required may be left out.
func (op Operation) MayTake(contentType, body string) bool {
	if body == "" && !op.RequestBody.Required {
		return true
	}
	if op.RequestBody.Content["application/json"] != nil {
		return json.Valid([]byte(body))
	}
	media, _, err := mime.ParseMediaType(contentType)
	return body == "" || err == nil && (media == http.MultipartType || media == http.URLEncodedType)
}

var pathParameter = regexp.MustCompile(`\{\w+\}`)

// PathWith puts a value into each parameter of the path.
func (op Operation) PathWith(value string) string {
	return pathParameter.ReplaceAllLiteralString(op.Path, url.PathEscape(value))
}
