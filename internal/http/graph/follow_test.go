package graph

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/knowledge/questions"
)

// TestFollowing asks every question for relationships in one direction, with a limit a hop and for
// a page, and wants each value that is not allowed to be refused with those that are.
func TestFollowing(t *testing.T) {
	f := &fake{}
	s := newServer(t, f)
	ask := func(path, body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: path, Body: body}
	}
	for path, ends := range map[string]string{
		"/query/related": `"concept_id":"a_1"`, "/query/neighborhood": `"concept_id":"a_1"`, "/query/within": `"seed_ids":["a_1"]`,
		"/query/connect": `"from_id":"a_1","to_id":"b_2"`, "/query/connect-by-search": `"from_query":"a","to_query":"b"`, "/query/enriched-path": `"from_id":"a_1","to_id":"b_2"`,
	} {
		if resp, body := apitest.Call(t, s, ask(path, `{`+ends+`,"direction":"in","limit_per_hop":7,"include_statistics":true}`)); resp.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
		apitest.Refuses(t, s, map[string]apitest.Refusal{
			path + " with a direction that is none": apitest.Refused(ask(path, `{`+ends+`,"direction":"up"}`), 422, `direction: must be one of both, out, in, got "up"`, "body.direction"),
			path + " with less than nothing a hop":  apitest.Refused(ask(path, `{`+ends+`,"limit_per_hop":-1}`), 422, "limit_per_hop: must be at least 0, got -1", "body.limit_per_hop"),
			path + " with too much a hop":           apitest.Refused(ask(path, `{`+ends+`,"limit_per_hop":1001}`), 422, "limit_per_hop: must be at most 1000, got 1001", "body.limit_per_hop"),
		}, func() int { return 0 })
	}
	follow := questions.RelationshipFilter{Direction: questions.HeadingIn, PerHop: 7}
	if !reflect.DeepEqual(f.around.RelationshipFilter, follow) || !reflect.DeepEqual(f.phrases.RelationshipFilter, follow) || !f.around.IncludeStatistics || !f.phrases.IncludeStatistics {
		t.Errorf("asked for %+v and %+v", f.around, f.phrases)
	}
	for body, rule := range map[string]string{`"limit":0`: "limit: must be at least 1, got 0", `"limit":51`: "limit: must be at most 50, got 51", `"offset":201`: "offset: must be at most 200, got 201", `"depth":4`: "depth: must be at most 3, got 4", `"depth":0`: "depth: must be at least 1, got 0"} {
		apitest.Refuses(t, s, map[string]apitest.Refusal{body: apitest.Refused(ask("/query/enriched-path", `{"from_id":"a_1","to_id":"b_2",`+body+`}`), 422, rule, "body."+rule[:strings.Index(rule, ":")])}, func() int { return 0 })
	}
}
