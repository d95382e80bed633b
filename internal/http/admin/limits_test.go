package admin

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestLimits(t *testing.T) {
	post := func(body string) apitest.Request {
		return apitest.Request{Method: "POST", Path: "/admin/limits", Body: body}
	}
	put := func(body string) apitest.Request {
		return apitest.Request{Method: "PUT", Path: "/admin/limits/7", Body: body}
	}
	for name, tt := range map[string]struct {
		apitest.Request
		status int
		says   string // in the answer
		does   string
	}{
		"none":                      {apitest.Request{Method: "GET", Path: "/admin/limits"}, 200, `{"limits":[]}`, ""},
		"a user":                    {post(`{"scope":"user","value":"alice","max_running":2,"reason":"r"}`), 200, `"scope":"user","value":"alice","max_running":2,"reason":"r","set_by":"`, "limit jobs of alice: at most 2 at once"},
		"each value of a key":       {post(`{"scope":"data","key":"meta.host","each":true,"max_running":1,"per_second":0.5,"reason":"r"}`), 200, `"each":true`, "limit jobs of each data.meta.host: at most 1 at once and at most 1 start in 2 seconds"},
		"one value of a key":        {post(`{"scope":"data","key":"host","value":"a b","per_second":2.5,"reason":"r"}`), 200, `"per_second":2.5`, "limit jobs with data.host=a b: at most 2.5 starts a second"},
		"neither one nor each":      {post(`{"scope":"user","max_running":2,"reason":"r"}`), 422, "must be there, or each must be true", ""},
		"one and each":              {post(`{"scope":"user","value":"alice","each":true,"max_running":2,"reason":"r"}`), 422, "contradict each other", ""},
		"no number":                 {post(`{"scope":"user","value":"alice","reason":"r"}`), 422, "or per_second must be there", ""},
		"none at once":              {post(`{"scope":"user","value":"alice","max_running":0,"reason":"r"}`), 422, "max_running: must be at least 1, got 0", ""},
		"fewer than none at once":   {post(`{"scope":"user","value":"alice","max_running":-1,"reason":"r"}`), 422, "must be at least 1, got -1", ""},
		"a number that is a word":   {post(`{"scope":"user","value":"alice","max_running":"two","reason":"r"}`), 422, "max_running", ""},
		"half a job":                {post(`{"scope":"user","value":"alice","max_running":1.5,"reason":"r"}`), 422, "max_running", ""},
		"no start ever":             {post(`{"scope":"user","value":"alice","per_second":0,"reason":"r"}`), 422, "must be from 0.001 to 1000, got 0", ""},
		"less than no start":        {post(`{"scope":"user","value":"alice","per_second":-3,"reason":"r"}`), 422, "got -3", ""},
		"a million a second":        {post(`{"scope":"user","value":"alice","per_second":1e6,"reason":"r"}`), 422, "got 1e+06", ""},
		"something else":            {post(`{"scope":"lane","value":"x","max_running":1,"reason":"r"}`), 422, "must be one of type, queue, user, ontology, data", ""},
		"data without a key":        {post(`{"scope":"data","value":"x","max_running":1,"reason":"r"}`), 422, "key: must not be empty", ""},
		"a key with a hole":         {post(`{"scope":"data","key":"a..b","value":"x","max_running":1,"reason":"r"}`), 422, "names with dots between them", ""},
		"a key of a type":           {post(`{"scope":"type","key":"host","value":"x","max_running":1,"reason":"r"}`), 422, "belongs to data, not to type", ""},
		"a queue that is none":      {post(`{"scope":"queue","value":"a b","max_running":1,"reason":"r"}`), 422, "value", ""},
		"without a reason":          {post(`{"scope":"user","value":"alice","max_running":2,"reason":" "}`), 422, "reason", ""},
		"an unknown member":         {post(`{"scope":"user","value":"alice","max_running":2,"reason":"r","until":"noon"}`), 422, "until", ""},
		"nothing":                   {post(""), 422, "scope", ""},
		"other numbers":             {put(`{"per_second":3,"reason":"r"}`), 200, `"limit_id":7`, "change 7: at most 3 starts a second"},
		"other numbers, which none": {put(`{"reason":"r"}`), 422, "to limit nothing, remove the limit", ""},
		"no numbers":                {put(""), 422, "reason", ""},
		"another user":              {put(`{"value":"bob","max_running":3,"reason":"r"}`), 422, "value", ""},
		"the end":                   {apitest.Request{Method: "DELETE", Path: "/admin/limits/7"}, 200, `"limit_id":7`, "unlimit 7"},
		"the end of what is not":    {apitest.Request{Method: "DELETE", Path: "/admin/limits/seven"}, 422, "id", ""},
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
