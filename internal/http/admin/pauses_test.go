package admin

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestPauses(t *testing.T) {
	for name, tt := range map[string]struct {
		apitest.Request
		status int
		says   string // in the answer
		does   string
	}{
		"none":                   {apitest.Request{Method: "GET", Path: "/admin/pauses"}, 200, `{"pauses":[]}`, ""},
		"a user":                 {apitest.Request{Method: "POST", Path: "/admin/pauses", Body: `{"scope":"user","value":"alice","reason":"r"}`}, 200, `"scope":"user","value":"alice","reason":"r","paused_by":"`, "pause user alice: r"},
		"everything":             {apitest.Request{Method: "POST", Path: "/admin/pauses", Body: `{"scope":"all","reason":"r"}`}, 200, `"scope":"all","reason":"r"`, "pause all : r"},
		"everything by a name":   {apitest.Request{Method: "POST", Path: "/admin/pauses", Body: `{"scope":"all","value":"x","reason":"r"}`}, 422, "belongs to a type", ""},
		"a type without a name":  {apitest.Request{Method: "POST", Path: "/admin/pauses", Body: `{"scope":"type","reason":"r"}`}, 422, "must not be empty", ""},
		"a queue that is none":   {apitest.Request{Method: "POST", Path: "/admin/pauses", Body: `{"scope":"queue","value":"a b","reason":"r"}`}, 422, "value", ""},
		"without a reason":       {apitest.Request{Method: "POST", Path: "/admin/pauses", Body: `{"scope":"user","value":"alice","reason":" "}`}, 422, "reason", ""},
		"something else":         {apitest.Request{Method: "POST", Path: "/admin/pauses", Body: `{"scope":"lane","value":"x","reason":"r"}`}, 422, "must be one of all, type, queue, ontology, user", ""},
		"an unknown member":      {apitest.Request{Method: "POST", Path: "/admin/pauses", Body: `{"scope":"all","reason":"r","until":"noon"}`}, 422, "until", ""},
		"nothing":                {apitest.Request{Method: "POST", Path: "/admin/pauses"}, 422, "scope", ""},
		"the end":                {apitest.Request{Method: "DELETE", Path: "/admin/pauses/7"}, 200, `"pause_id":7`, "resume 7"},
		"the end of what is not": {apitest.Request{Method: "DELETE", Path: "/admin/pauses/seven"}, 422, "id", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			resp, body := apitest.Call(t, newServer(t, f), tt.Request)
			if resp.StatusCode != tt.status || !strings.Contains(body, tt.says) {
				t.Errorf("%d %s, want %d and %s", resp.StatusCode, body, tt.status, tt.says)
			}
			if did := strings.Join(f.did, ", "); did != tt.does {
				t.Errorf("did %q, want %q", did, tt.does)
			}
		})
	}
}
