package http

import (
	"encoding/json"
	"testing"
)

// spec is the OpenAPI document as far as the tests look at it.
type spec struct {
	OpenAPI    string
	Info       struct{ Title, Version string }
	Paths      map[string]map[string]operation
	Components struct {
		Schemas         map[string]any
		SecuritySchemes map[string]any
	}
	Tags []struct{ Name string }
}

type operation struct {
	OperationID string
	Summary     string
	Tags        []string
	Parameters  []struct {
		Name, In string
		Required bool
	}
	RequestBody struct{ Content map[string]any }
	Responses   map[string]struct{ Content map[string]any }
	Security    []map[string][]string
}

func readSpec(t testing.TB) (spec, string) {
	t.Helper()
	_, body := call(t, newTestServer(t, testConfig(newBackend())), request{method: "GET", path: "/openapi.json", token: "-"})
	var doc spec
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	return doc, body
}
