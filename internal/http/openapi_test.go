package http

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
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

func TestOpenAPI(t *testing.T) {
	doc, body := readSpec(t)
	t.Run("names itself", func(t *testing.T) {
		if doc.OpenAPI != "3.1.0" || doc.Info.Title != "Kappa" || doc.Info.Version != "test" || doc.Components.SecuritySchemes["bearer"] == nil {
			t.Errorf("document %+v", doc.Info)
		}
	})
	t.Run("describes every route that is built, and no other", func(t *testing.T) {
		b := newBackend()
		b.err = kappa.NewError(kappa.CodeUnavailable, "down") // so that no stream begins
		s := newTestServer(t, testConfig(b))
		unbuilt := 0
		for _, r := range s.engine.Routes() {
			if r.Path != canonical(r.Path) || r.Path == "/openapi.json" {
				continue
			}
			path := regexp.MustCompile(`:(\w+)`).ReplaceAllString(r.Path, "{$1}")
			_, described := doc.Paths[path][strings.ToLower(r.Method)]
			if !described {
				_, described = doc.Paths[path+"/"][strings.ToLower(r.Method)]
			}
			resp, _ := call(t, s, request{method: r.Method, path: strings.Replace(samplePath(r.Path), "/x", "/"+knownJob, 1), contentType: "application/json", body: "{}"})
			if isUnbuilt := resp.StatusCode == 501; isUnbuilt == described {
				t.Errorf("%s %s: status %d, described %v", r.Method, r.Path, resp.StatusCode, described)
			} else if isUnbuilt {
				unbuilt++
			}
		}
		if unbuilt < 50 {
			t.Errorf("only %d routes are not built", unbuilt)
		}
	})
	t.Run("every operation is complete", func(t *testing.T) {
		ids := map[string]bool{}
		for path, methods := range doc.Paths {
			for method, op := range methods {
				name := strings.ToUpper(method) + " " + path
				if op.Summary == "" || op.OperationID == "" || ids[op.OperationID] {
					t.Errorf("%s has no summary or no id of its own", name)
				}
				ids[op.OperationID] = true
				if !slices.ContainsFunc(doc.Tags, func(tag struct{ Name string }) bool { return tag.Name == op.Tags[0] }) {
					t.Errorf("%s has the unknown tag %s", name, op.Tags[0])
				}
				if op.Responses["default"].Content[problemType] == nil || len(op.Responses) < 2 {
					t.Errorf("%s lacks a response", name)
				}
				if isPublic := slices.Contains(publicRoutes, name); isPublic == (len(op.Security) == 1) {
					t.Errorf("%s: public %v with security %v", name, isPublic, op.Security)
				}
				for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
					if !slices.ContainsFunc(op.Parameters, func(p struct {
						Name, In string
						Required bool
					},
					) bool {
						return p.Name == m[1] && p.In == "path" && p.Required
					}) {
						t.Errorf("%s does not describe %s", name, m[1])
					}
				}
			}
		}
	})
	t.Run("every reference leads somewhere, and every schema is used", func(t *testing.T) {
		used := map[string]bool{}
		for _, m := range regexp.MustCompile(`"\$ref":"([^"]*)"`).FindAllStringSubmatch(body, -1) {
			name, ok := strings.CutPrefix(m[1], "#/components/schemas/")
			if !ok || doc.Components.Schemas[name] == nil {
				t.Errorf("%s leads nowhere", m[1])
			}
			used[name] = true
		}
		for name := range doc.Components.Schemas {
			if !regexp.MustCompile(`^[A-Z]\w+$`).MatchString(name) {
				t.Errorf("schema %q has no good name", name)
			}
			if !used[name] {
				t.Errorf("schema %s is not used", name)
			}
		}
	})
	t.Run("forms and streams are described", func(t *testing.T) {
		if doc.Paths["/ingest"]["post"].RequestBody.Content[MultipartType] == nil ||
			doc.Paths["/ingest/text"]["post"].RequestBody.Content[URLEncodedType] == nil ||
			doc.Paths["/jobs/{id}/stream"]["get"].Responses["200"].Content["text/event-stream"] == nil {
			t.Error("a form or the stream is missing")
		}
		properties := doc.Components.Schemas["IngestForm"].(map[string]any)["properties"].(map[string]any)
		for _, field := range []string{
			"file", "ontology", "filename", "force", "auto_approve", "processing_mode", "target_words", "min_words", "max_words",
			"overlap_words", "source_type", "source_path", "source_hostname",
		} {
			if properties[field] == nil {
				t.Errorf("the form does not describe %s", field)
			}
		}
	})
	t.Run("what may be null says so", func(t *testing.T) {
		properties := doc.Components.Schemas["Job"].(map[string]any)["properties"].(map[string]any)
		for _, field := range []string{"progress", "analysis", "started_at", "error"} {
			if text, _ := json.Marshal(properties[field]); !strings.Contains(string(text), `"null"`) {
				t.Errorf("%s: %s", field, text)
			}
		}
	})
	t.Run("settings refuse what they do not know, other bodies ignore it", func(t *testing.T) {
		for schema, want := range map[string]bool{
			"LaneSettings": false, "ScheduleRequest": false, "ScheduleSettings": false, "PrioritySettings": false, "QuestionBody": true,
		} {
			if got := doc.Components.Schemas[schema].(map[string]any)["additionalProperties"]; got != want {
				t.Errorf("%s: additionalProperties %v, want %v", schema, got, want)
			}
		}
	})
	t.Run("bodies carry no links to schemas", func(t *testing.T) {
		if strings.Contains(body, "$schema") {
			t.Error("there is a $schema")
		}
	})
}
