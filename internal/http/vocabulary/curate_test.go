package vocabulary

import (
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestCurating holds what clients read and what is done.
func TestCurating(t *testing.T) {
	for _, c := range []struct {
		method, path, body string
		want, did          []string
	}{
		{"GET", "/vocabulary/similar/CAUSES?limit=1", "", []string{`"category":"causation","total_compared":2`, `[{"relationship_type":"HELPS","category":"llm_generated","is_builtin":false,"usage_count":0,"similarity":0.95}]`}, nil},
		{"GET", "/vocabulary/similar/CAUSES?limit=1&reverse=true", "", []string{`"relationship_type":"PART_OF"`}, nil},
		{"GET", "/vocabulary/category-scores/HELPS", "", []string{`"category":"causation","confidence":0.95,"ambiguous":false,"runner_up_category":"composition"`, `"assigned_category":"causation"`}, nil},
		{"GET", "/vocabulary/analyze/HELPS", "", []string{`"merge_candidates":[{"source":"HELPS","target":"CAUSES","similarity":0.95,"reverses":false}]`, `"potential_misclassification":true`, `"category_fit":0,"potential_miscategorization":true,"suggestion":"It is most like the category causation (95 %)`, `"most_similar_same_category":[],"most_similar_other_categories":[{"relationship_type":"CAUSES"`}, nil},
		{"GET", "/vocabulary/analyze/CAUSES", "", []string{`"category_fit":1,"potential_miscategorization":false,"suggestion":null`}, nil},
		{"GET", "/vocabulary/merges", "", []string{`"merges":[]`}, nil},
		{"GET", "/vocabulary/reviews", "", []string{`"total":1`, `"source":"HELPS"`}, nil},
		{"GET", "/vocabulary/config", "", []string{`"vocab_max":90`, `"auto_execute_threshold":0.9`}, nil},
		{"GET", "/admin/vocabulary/profiles/linear", "", []string{`"profile_name":"linear","control_x1":0`}, nil},
		{"GET", "/vocabulary/types?include_inactive=true", "", []string{`"total":4,"active":2`, `WAS_MERGED`}, nil},
		{"POST", "/vocabulary/merge", `{"deprecated_type":"helps","target_type":"CAUSES"}`, []string{`"merge_id":3`, `"edges_updated":7`}, []string{"merge HELPS CAUSES by admin"}},
		{"POST", "/vocabulary/merge", `{"deprecated_type":"HELPS","target_type":"CAUSES","dry_run":true}`, []string{`"dry_run":true`, `"edges_updated":7`}, nil},
		{"POST", "/vocabulary/merges/3/undo", `{}`, []string{`HELPS is a type of its own again`}, []string{"undo"}},
		{"POST", "/vocabulary/reviews", `{"source":"HELPS","target":"CAUSES","action":"reject"}`, []string{`"status":"rejected"`}, []string{"rejected HELPS CAUSES by admin"}},
		{"POST", "/vocabulary/reviews", `{"source":"HELPS","target":"CAUSES","action":"accept"}`, []string{`"merge_id":3`}, []string{"accepted HELPS CAUSES by admin"}},
		{"PUT", "/vocabulary/config", `{"aggressiveness_profile":"linear"}`, []string{`"aggressiveness_profile":"linear"`}, []string{"set linear"}},
		{"GET", "/admin/vocabulary/config", "", []string{`"vocab_max":90,"vocab_emergency":300,"pruning_mode":"hitl"`, `"synonym_threshold_strong":0.9,"synonym_threshold_moderate":0.75`, `"embedding_model":"local","updated_at":null,"updated_by":null,"current_size":`, `"zone":"`}, nil},
		{"PUT", "/admin/vocabulary/config", `{"vocab_max":80,"consolidation_similarity_threshold":0.95,"updated_by":"somebody else"}`, []string{`"updated_fields":["vocab_max","consolidation_similarity_threshold"]`, `"vocab_max":80`}, []string{"set aggressive 80 0.95"}},
		{"GET", "/admin/vocabulary/profiles", "", []string{`"total":2,"builtin":1,"custom":1`, `"profile_name":"mine"`}, nil},
		{"DELETE", "/admin/vocabulary/profiles/mine", "", []string{`"success":true,"profile_name":"mine"`}, []string{"delete mine"}},
		{"POST", "/vocabulary/sync", `{"dry_run":false}`, []string{`"total_graph_types":1,"total_vocab_types":2,"missing":[],"system_types":[],"synced":[],"failed":[]`}, nil},
		{"POST", "/vocabulary/consolidate", `{"dry_run":true,"wait":false}`, []string{`"status":"approved"`}, []string{`vocab_consolidate {"target_size":90,"auto_mode":true,"dry_run":true,"batch_size":5,"auto_execute_threshold":0.9,"prune_unused":false}`}},
		{
			"POST", "/vocabulary/consolidate", `{"target_size":90,"batch_size":1,"auto_execute_threshold":0.9,"dry_run":false,"prune_unused":true}`,
			[]string{
				`"status":"completed"`, `"initial_size":9,"final_size":7`, `"size_reduction":2`, `"pruned_count":1`, `"rejected":[]`, `"message":"Merged 1 type and removed 1 type that nothing uses: 7 of 9 are left."`,
				`"auto_executed":[{"deprecated":"HELPS","target":"SUPPORTS","similarity":0.95,"reasoning":"similarity 0.95","edges_updated":4,"merge_id":3,"error":null}]`,
			},
			[]string{`vocab_consolidate {"target_size":90,"auto_mode":true,"dry_run":false,"batch_size":1,"auto_execute_threshold":0.9,"prune_unused":true}`},
		},
		{"POST", "/vocabulary/refresh-categories", `{"wait":false}`, []string{`"status":"approved"`}, []string{`vocab_refresh {"only_computed":true}`}},
		{"POST", "/vocabulary/refresh-categories", `{"only_computed":false}`, []string{`"success":true,"refreshed_count":2`, `"skipped_count":33,"failed_count":0,"assignments":[{"relationship_type":"HELPS","category":"evidential","confidence":0.8`}, []string{`vocab_refresh {"only_computed":false}`}},
		{"POST", "/vocabulary/generate-embeddings", `{"force_regenerate":true,"wait":false}`, []string{`"status":"approved"`}, []string{`vocab_embedding {"only_missing":false}`}},
		{"POST", "/vocabulary/generate-embeddings", `{"force_regenerate":false,"only_missing":true}`, []string{`"success":true,"generated":2,"skipped":33,"failed":0`}, []string{`vocab_embedding {"only_missing":true}`}},
	} {
		f := &fake{}
		resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: c.method, Path: c.path, Body: c.body})
		if resp.StatusCode != 200 {
			t.Errorf("%s %s: %d %s", c.method, c.path, resp.StatusCode, body)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %s\nlacks %s", c.path, body, want)
			}
		}
		if !slices.EqualFunc(f.did, c.did, strings.HasPrefix) {
			t.Errorf("%s %s did %q, want %q", c.method, c.path, f.did, c.did)
		}
	}
}

func TestBadCurating(t *testing.T) {
	f := &fake{}
	post := func(path, body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: path, Body: body}
	}
	get := func(path string) apitest.Request { return apitest.Request{Method: "GET", Path: path} }
	apitest.Refuses(t, newServer(t, f), map[string]apitest.Refusal{
		"an unknown type":       apitest.Refused(get("/vocabulary/similar/NO_SUCH"), 404, "not found", ""),
		"too many":              apitest.Refused(get("/vocabulary/similar/CAUSES?limit=101"), 422, "limit: must be at most 100, got 101", "query.limit"),
		"into itself":           apitest.Refused(post("/vocabulary/merge", `{"deprecated_type":"A","target_type":"A"}`), 422, "must be another type", "body.target_type"),
		"no name":               apitest.Refused(post("/vocabulary/merge", `{"deprecated_type":"a b","target_type":"A"}`), 422, "deprecated_type: must consist of", "body.deprecated_type"),
		"an unknown merge":      apitest.Refused(post("/vocabulary/merges/4/undo", `{}`), 404, "Merge not found", ""),
		"a merge that is none":  apitest.Refused(post("/vocabulary/merges/x/undo", `{}`), 404, "Merge not found", ""),
		"an unknown action":     apitest.Refused(post("/vocabulary/reviews", `{"source":"A","target":"B","action":"maybe"}`), 422, "action: must be one of accept, reject", "body.action"),
		"an unknown status":     apitest.Refused(get("/vocabulary/reviews?status=x"), 422, "status: must be one of", "query.status"),
		"no settings":           apitest.Refused(apitest.Request{Method: "PUT", Path: "/vocabulary/config", Body: `{}`}, 422, "No fields to update", ""),
		"limits out of order":   apitest.Refused(apitest.Request{Method: "PUT", Path: "/vocabulary/config", Body: `{"vocab_max":400}`}, 422, "vocab_emergency: must be at least 401", "body.vocab_emergency"),
		"a threshold of 0.1":    apitest.Refused(post("/vocabulary/consolidate", `{"auto_execute_threshold":0.1}`), 422, "auto_execute_threshold: must be between 0.5 and 1", "body.auto_execute_threshold"),
		"an unknown setting":    apitest.Refused(apitest.Request{Method: "PUT", Path: "/vocabulary/config", Body: `{"vocab_mx":80}`}, 422, "vocab_mx: ", "body.vocab_mx"),
		"a mode there is not":   apitest.Refused(apitest.Request{Method: "PUT", Path: "/admin/vocabulary/config", Body: `{"pruning_mode":"naive"}`}, 422, "pruning_mode: must be hitl", "body.pruning_mode"),
		"only who":              apitest.Refused(apitest.Request{Method: "PUT", Path: "/admin/vocabulary/config", Body: `{"updated_by":"x"}`}, 422, "No fields to update", ""),
		"two thresholds":        apitest.Refused(apitest.Request{Method: "PUT", Path: "/admin/vocabulary/config", Body: `{"synonym_threshold_strong":0.8,"consolidation_similarity_threshold":0.9}`}, 422, "must be the same", "body.consolidation_similarity_threshold"),
		"no curve":              apitest.Refused(post("/admin/vocabulary/profiles", `{"profile_name":"mine","control_x1":1.5,"control_y1":0,"control_x2":1,"control_y2":1}`), 422, "control_x1: must be between 0 and 1", "body.control_x1"),
		"a type in two words":   apitest.Refused(post("/vocabulary/types", `{"relationship_type":"HELD BY"}`), 422, "relationship_type: must consist of", "body.relationship_type"),
		"a built-in type":       apitest.Refused(post("/vocabulary/types", `{"relationship_type":"HELD","is_builtin":true}`), 422, "is_builtin: must be false", "body.is_builtin"),
		"a category with space": apitest.Refused(post("/vocabulary/types", `{"relationship_type":"HELD","category":"a b"}`), 422, "category: must be", "body.category"),
		"an unknown profile":    apitest.Refused(get("/admin/vocabulary/profiles/x"), 404, "Profile not found: x", ""),
	}, func() int { return len(f.did) })
}

// TestAdditions holds what is made and answered with 201.
func TestAdditions(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	for _, c := range []struct{ path, body, want, did string }{
		{"/vocabulary/types", `{"relationship_type":"held_in","category":"custom","description":"Is held in","is_builtin":false}`, `"relationship_type":"HELD_IN"`, "type HELD_IN by admin"},
		{"/admin/vocabulary/profiles", `{"profile_name":"mine","control_x1":0.2,"control_y1":0,"control_x2":0.8,"control_y2":1,"description":"Late but fast"}`, `"profile_name":"mine","control_x1":0.2`, "profile mine"},
	} {
		f.did = nil
		resp, body := apitest.Call(t, s, apitest.Request{Method: "POST", Path: c.path, Body: c.body})
		if resp.StatusCode != 201 || !strings.Contains(body, c.want) || !slices.Equal(f.did, []string{c.did}) {
			t.Errorf("%s: %d %s, did %q; want %s and %q", c.path, resp.StatusCode, body, f.did, c.want, c.did)
		}
	}
}

// TestJobThatDoesNotComplete says why, and that the job is there.
func TestJobThatDoesNotComplete(t *testing.T) {
	f := &fake{failed: kappa.NewError(kappa.CodeConflict, "Job job_1 was cancelled")}
	resp, body := apitest.Call(t, newServer(t, f), apitest.Request{Method: "POST", Path: "/vocabulary/consolidate", Body: `{}`})
	if resp.StatusCode != 409 || !strings.Contains(body, `"detail":"Job job_1 was cancelled"`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}
