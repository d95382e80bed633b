package apitest

import (
	"bytes"
	"fmt"
	"mime"
	nethttp "net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Validator holds answers to an OpenAPI document: their status and content type must be
// described, and a body in JSON must be what its schema says and nothing more.
type Validator struct {
	document map[string]any
	paths    []template

	mu       sync.Mutex // guards what is below
	compiler *jsonschema.Compiler
	schemas  map[string]*jsonschema.Schema // by place in the document
}

// template is a path of the document in its segments, and its operations.
type template struct {
	path       string
	segments   []string
	operations map[string]any
}

const documentURL = "https://kappa.invalid/openapi.json"

// NewValidator reads an OpenAPI 3.1 document.
func NewValidator(document []byte) (*Validator, error) {
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	v := &Validator{document: parsed.(map[string]any), compiler: jsonschema.NewCompiler(), schemas: map[string]*jsonschema.Schema{}}
	closeObjects(v.document["components"])
	v.compiler.AssertFormat()
	if err := v.compiler.AddResource(documentURL, parsed); err != nil {
		return nil, fmt.Errorf("read the schemas: %w", err)
	}
	for path, operations := range v.document["paths"].(map[string]any) {
		v.paths = append(v.paths, template{path, strings.Split(strings.Trim(path, "/"), "/"), operations.(map[string]any)})
	}
	return v, nil
}

// closeObjects refuses members that are not described. Requests may have such, answers
// must not.
func closeObjects(node any) {
	switch node := node.(type) {
	case map[string]any:
		if _, described := node["properties"].(map[string]any); described && node["additionalProperties"] == true {
			node["additionalProperties"] = false
		}
		for _, child := range node {
			closeObjects(child)
		}
	case []any:
		for _, child := range node {
			closeObjects(child)
		}
	}
}

// operation returns the operation that answers a request, and its path in the document;
// nil when there is none.
func (v *Validator) operation(method, path string) (string, map[string]any) {
	if rest, ok := strings.CutPrefix(path, "/api"); ok && (rest == "" || rest[0] == '/') {
		path = rest
	}
	segments := strings.Split(strings.Trim(path, "/"), "/")
	best, literal := template{}, -1
	for _, t := range v.paths {
		if n := t.match(segments); n > literal && t.operations[strings.ToLower(method)] != nil {
			best, literal = t, n
		}
	}
	if literal < 0 {
		return "", nil
	}
	return best.path, best.operations[strings.ToLower(method)].(map[string]any)
}

// match returns how many segments are the same, -1 when another one differs.
func (t template) match(segments []string) int {
	if len(t.segments) != len(segments) {
		return -1
	}
	same := 0
	for i, s := range t.segments {
		switch {
		case s == segments[i]:
			same++
		case !strings.HasPrefix(s, "{"):
			return -1
		}
	}
	return same
}

// Check returns what is wrong with an answer to a request; nil for a route that the
// document does not have, such as one that is not built.
func (v *Validator) Check(method, path string, resp *nethttp.Response, body []byte) error {
	place, op := v.operation(method, path)
	if op == nil {
		return nil
	}
	responses := op["responses"].(map[string]any)
	status := strconv.Itoa(resp.StatusCode)
	response, ok := responses[status].(map[string]any)
	if !ok && resp.StatusCode >= 400 {
		status = "default"
		response, ok = responses[status].(map[string]any)
	}
	if !ok {
		return fmt.Errorf("%s %s: the document does not describe status %d", method, place, resp.StatusCode)
	}
	content, _ := response["content"].(map[string]any)
	contentType, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	key, described := "", false
	for k := range content {
		if plain, _, _ := strings.Cut(k, ";"); plain == contentType {
			key, described = k, true
		}
	}
	switch {
	case len(content) == 0 && len(body) == 0 || resp.StatusCode == nethttp.StatusNotModified:
		return nil
	case len(content) == 0:
		return fmt.Errorf("%s %s: status %d has a body, which the document does not describe: %.200s", method, place, resp.StatusCode, body)
	case content["application/octet-stream"] != nil && !described:
		return nil // bytes in a type of their own
	case !described:
		return fmt.Errorf("%s %s: status %d has the type %q, which the document does not describe", method, place, resp.StatusCode, contentType)
	case !strings.HasSuffix(contentType, "/json") && !strings.HasSuffix(contentType, "+json"):
		return nil
	}
	schema, err := v.schema(documentURL + "#/paths/" + pointer(place) + "/" + strings.ToLower(method) + "/responses/" + status + "/content/" + pointer(key) + "/schema")
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, place, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s %s: status %d is not JSON: %w", method, place, resp.StatusCode, err)
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s %s: status %d is not as described: %w\n%.2000s", method, place, resp.StatusCode, err, body)
	}
	return nil
}

// schema compiles the schema at a place once.
func (v *Validator) schema(place string) (*jsonschema.Schema, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.schemas[place]; s != nil {
		return s, nil
	}
	s, err := v.compiler.Compile(place)
	v.schemas[place] = s
	return s, err
}

// pointer escapes a name in a JSON pointer within a URL.
func pointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B", " ", "%20", ";", "%3B", "=", "%3D").Replace(name)
}

// validators are those of the documents that tests of this process have seen.
var validators sync.Map // of *Validator, by the document

// ValidatorOf returns the validator of a document.
func ValidatorOf(t testing.TB, document []byte) *Validator {
	t.Helper()
	if v, ok := validators.Load(string(document)); ok {
		return v.(*Validator)
	}
	v, err := NewValidator(document)
	if err != nil {
		t.Fatal(err)
	}
	validators.Store(string(document), v)
	return v
}
