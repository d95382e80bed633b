package serve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http"
)

// TestRoutesAreDescribed: the reference is made of the OpenAPI document, so that what this
// lacks stands nowhere.
func TestRoutesAreDescribed(t *testing.T) {
	var document struct {
		Paths map[string]map[string]struct {
			OperationID, Summary string
			Parameters           []struct {
				Name, Description string
				Schema            struct{ Description string }
			}
		}
	}
	check(t, json.Unmarshal(newWholeAPI(t).OpenAPI(), &document))
	ids := map[string]bool{}
	for path, methods := range document.Paths {
		for method, op := range methods {
			ids[op.OperationID] = true
			if op.Summary == "" {
				t.Errorf("%s %s has no summary", method, path)
			}
			for _, p := range op.Parameters {
				if p.Description == "" && p.Schema.Description == "" {
					t.Errorf("%s %s does not say what %s is", method, path, p.Name)
				}
			}
		}
	}
	described := http.Described()
	if len(ids) < 250 || len(described) < 250 {
		t.Fatalf("%d routes and %d descriptions were found", len(ids), len(described))
	}
	for _, id := range described {
		if !ids[id] {
			t.Errorf("internal/http/descriptions is about %s, which is no route", id)
		}
	}
}

// TestDocumentedRoutes wants the routes that pages and descriptions name to exist.
func TestDocumentedRoutes(t *testing.T) {
	routes := append(servedRoutes(t), "GET /openapi.json") // which describes the others
	named := regexp.MustCompile("(?:^### |`)((?:GET|POST|PUT|PATCH|DELETE) /[^\\s`?]*)")
	checked := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "internal/http/descriptions/*.md"} {
		pages, err := filepath.Glob(filepath.Join("..", "..", "..", pattern))
		check(t, err)
		for _, name := range pages {
			page, err := os.ReadFile(name)
			check(t, err)
			for _, m := range named.FindAllStringSubmatch(string(page), -1) {
				checked++
				if !slices.Contains(routes, m[1]) {
					t.Errorf("%s names %s, which the server does not have", strings.TrimPrefix(name, "../../../"), m[1])
				}
			}
		}
	}
	if checked < 150 {
		t.Errorf("only %d routes were named", checked)
	}
}
