package serve

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

// tolerant are the routes that clients of another service call, which may send members
// that mean nothing here. See docs/api.md.
const tolerant = `
POST /artifacts
POST /concepts
POST /concepts/{id}/evidence
POST /edges
POST /graph/batch
POST /ontology/
POST /ontology/annealing-cycle
POST /ontology/proposals/{id}/review
POST /ontology/{name}/dissolve
PUT /ontology/{name}/lifecycle
POST /ontology/{name}/reassign
POST /ontology/{name}/rename
POST /programs/execute
POST /projection/{ontology}/regenerate
POST /query/connect
POST /query/connect-by-search
POST /query/documents/search
POST /query/enriched-path
POST /query/neighborhood
POST /query/polarity-axis
POST /query/polarity-axis/jobs
POST /query/related
POST /query/search
POST /query/sources/search
POST /rbac/check-permission
POST /vocabulary/consolidate
POST /vocabulary/epistemic-status/measure
POST /vocabulary/generate-embeddings
POST /vocabulary/merge
POST /vocabulary/refresh-categories
POST /vocabulary/sync
POST /vocabulary/types
`

// TestUnknownMembers sends a member that nobody knows to each route with a JSON body: all
// but the tolerant ones refuse it by its name.
func TestUnknownMembers(t *testing.T) {
	api := newWholeAPIFor(t, apitest.NewAccounts())
	var document struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]json.RawMessage
			}
		}
	}
	_, body := apitest.Call(t, api, apitest.Request{Method: "GET", Path: "/openapi.json"})
	check(t, json.Unmarshal([]byte(body), &document))
	ignores := strings.Split(strings.TrimSpace(tolerant), "\n")
	refused := 0
	for path, methods := range document.Paths {
		for method, op := range methods {
			route := strings.ToUpper(method) + " " + path
			if op.RequestBody.Content["application/json"] == nil || slices.Contains(ignores, route) || route == "POST /dataclips" {
				continue // a dataclip has any members
			}
			refused++
			resp, answer := apitest.Call(t, api, apitest.Request{Method: strings.ToUpper(method), Path: parameter.ReplaceAllString(path, "1"), Body: `{"no_such_member":1}`})
			if resp.StatusCode != 422 || !strings.Contains(answer, `"no_such_member"`) {
				t.Errorf("%s: %d %s, want 422 that names no_such_member", route, resp.StatusCode, answer)
			}
		}
	}
	if refused < 35 {
		t.Errorf("only %d routes were asked", refused)
	}
}
