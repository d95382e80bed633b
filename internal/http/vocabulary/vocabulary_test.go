package vocabulary

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestAnswers holds what clients read of the vocabulary.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		method, path string
		want         []string
	}{
		{"GET", "/vocabulary/status", []string{`"vocab_size":33`, `"vocab_min":30,"vocab_max":90,"vocab_emergency":300`, `"zone":"comfort"`, `"builtin_types":33,"custom_types":0`, `"profile":"aggressive"`}},
		{"GET", "/vocabulary/types", []string{
			`"total":2,"active":2,"builtin":1,"custom":1`, `"relationship_type":"CAUSES","category":"causation","is_builtin":true`,
			`"edge_count":9`, `"relationship_type":"HELD_BY"`, `"edge_count":null`, `"epistemic_status":null`,
		}},
		{"GET", "/vocabulary/epistemic-status", []string{
			`"total":1`, `"relationship_type":"CAUSES","epistemic_status":"MIXED_GROUNDING"`,
			`"stats":{"avg_grounding":0.2,"std_grounding":0.0816,"min_grounding":0.1,"max_grounding":0.3,"measured_concepts":3,"sampled_edges":4,"total_edges":9}`,
			`"vocabulary_changes_since_measurement":1`, `"measured_epoch":5`,
		}},
		{"GET", "/vocabulary/epistemic-status/CAUSES", []string{`"relationship_type":"CAUSES"`, `"vocabulary_changes_since_measurement":1`, `"rationale":"The mean grounding of 3 concepts`}},
		{"POST", "/vocabulary/epistemic-status/measure", []string{`"success":true`, `"total_types":1,"stored_count":1`, `"classifications":{"MIXED_GROUNDING":1}`, `"sample_results":[{`}},
	} {
		r := apitest.Request{Method: c.method, Path: c.path}
		if c.method == "POST" {
			r.Body = "{}"
		}
		resp, body := apitest.Call(t, newServer(t, &fake{}), r)
		if resp.StatusCode != 200 {
			t.Errorf("%s: %d %s", c.path, resp.StatusCode, body)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %s\nlacks %s", c.path, body, want)
			}
		}
	}
	t.Run("without the built-in types", func(t *testing.T) {
		_, body := apitest.Call(t, newServer(t, &fake{}), apitest.Request{Method: "GET", Path: "/vocabulary/types?include_builtin=no"})
		if strings.Contains(body, "CAUSES") || !strings.Contains(body, `"total":2`) {
			t.Errorf("got %s", body)
		}
	})
	t.Run("before the first measurement all is null, and lists are lists", func(t *testing.T) {
		_, body := apitest.Call(t, newServer(t, &fake{never: true}), apitest.Request{Method: "GET", Path: "/vocabulary/epistemic-status"})
		for _, want := range []string{`"types":[]`, `"last_measurement_at":null`, `"vocabulary_changes_since_measurement":null`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s\nlacks %s", body, want)
			}
		}
	})
	t.Run("a status selects, in whatever case", func(t *testing.T) {
		f := &fake{}
		apitest.Call(t, newServer(t, f), apitest.Request{Method: "GET", Path: "/vocabulary/epistemic-status?status_filter=contradicted"})
		if f.asked != "CONTRADICTED" {
			t.Errorf("asked for %q", f.asked)
		}
	})
	t.Run("the defaults of a measurement", func(t *testing.T) {
		f := &fake{}
		apitest.Call(t, newServer(t, f), apitest.Request{Method: "POST", Path: "/vocabulary/epistemic-status/measure", Body: `{"sample_size":null}`})
		if f.size != 100 || !f.stored {
			t.Errorf("%d edges, stored: %v", f.size, f.stored)
		}
	})
}

func TestBadInput(t *testing.T) {
	get := func(path string) apitest.Request { return apitest.Request{Method: "GET", Path: path} }
	measure := func(body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: "/vocabulary/epistemic-status/measure", Body: body}
	}
	f := &fake{}
	apitest.Refuses(t, newServer(t, f), map[string]apitest.Refusal{
		"an unknown status":      apitest.Refused(get("/vocabulary/epistemic-status?status_filter=GOOD"), 422, "status_filter: must be one of", "query.status_filter"),
		"an unknown type":        apitest.Refused(get("/vocabulary/epistemic-status/NO_SUCH"), 404, "'NO_SUCH' not found", ""),
		"a type with a NUL":      apitest.Refused(get("/vocabulary/epistemic-status/a%00"), 404, "not found", ""),
		"no edges to sample":     apitest.Refused(measure(`{"sample_size":0}`), 422, "sample_size: must be at least 1", "body.sample_size"),
		"too many edges":         apitest.Refused(measure(`{"sample_size":10001}`), 422, "sample_size: must be at most 10000", "body.sample_size"),
		"text for a number":      apitest.Refused(measure(`{"sample_size":"all"}`), 422, "sample_size: must be", "body.sample_size"),
		"a flag that is not one": apitest.Refused(get("/vocabulary/types?include_builtin=perhaps"), 422, "include_builtin", "query.include_builtin"),
		"a body that is no JSON": apitest.Refused(measure(`{`), 400, "not valid JSON", ""),
		"another method":         apitest.Refused(apitest.Request{Method: "DELETE", Path: "/vocabulary/status"}, 405, "", ""),
	}, func() int { return f.size })
}
