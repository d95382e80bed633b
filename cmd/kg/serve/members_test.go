package serve

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

// TestUnknownMembers sends a member that nobody knows to each route with a JSON body: it is
// refused by its name, and not lost in an answer that looks well.
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
	refused := 0
	for path, methods := range document.Paths {
		for method, op := range methods {
			route := strings.ToUpper(method) + " " + path
			if op.RequestBody.Content["application/json"] == nil || route == "POST /dataclips" {
				continue // a dataclip has any members
			}
			refused++
			resp, answer := apitest.Call(t, api, apitest.Request{Method: strings.ToUpper(method), Path: parameter.ReplaceAllString(path, "1"), Body: `{"no_such_member":1}`})
			if resp.StatusCode != 422 || !strings.Contains(answer, `"no_such_member"`) {
				t.Errorf("%s: %d %s, want 422 that names no_such_member", route, resp.StatusCode, answer)
			}
		}
	}
	if refused < 68 {
		t.Errorf("only %d routes were asked", refused)
	}
}
