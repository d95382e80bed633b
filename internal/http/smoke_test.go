package http

import "testing"

func TestSmoke(t *testing.T) {
	s := newTestServer(t, testConfig(newBackend()))
	for _, r := range []request{
		{method: "GET", path: "/health", token: "-"}, {method: "GET", path: "/api", token: "-"}, {method: "GET", path: "/jobs"},
		{method: "GET", path: "/api/jobs/" + knownJob + "/"},
		{method: "PATCH", path: "/admin/workers/lanes/x", body: `{"max_slot": 3, "max_slots":"a", "enabled": 1}`},
		{method: "PATCH", path: "/admin/workers/lanes/x", body: ``},
		{method: "PATCH", path: "/admin/workers/lanes/x", body: `{"max_slots": 99}`},
		{method: "PATCH", path: "/admin/workers/lanes/x", body: `{"max_slots": 1e30}`},
		{method: "POST", path: "/query/search", body: `{"limit": 0}`},
		{method: "POST", path: "/query/search", body: `{"query": "x", "limit": 0, "what": 1}`},
		{method: "POST", path: "/query/search", body: `{"query": "x", "limit": null}`},
		{method: "POST", path: "/query/search", body: `{"query": `},
		{method: "POST", path: "/query/search", body: `query=x`, contentType: "text/plain"},
		{method: "POST", path: "/query/search"},
		{method: "GET", path: "/jobs?limit=x&status=foo"},
		{method: "GET", path: "/nope"}, {method: "PUT", path: "/jobs"}, {method: "GET", path: "/documents/x/content"},
		{method: "POST", path: "/jobs", body: `{"job_type":"noop","run_at":"x", "data":null}`},
		{method: "POST", path: "/auth/oauth/token", body: "grant_type=x", contentType: urlencodedType, token: "-"},
		{method: "POST", path: "/ingest/text", body: "text=hello&target_words=x&force=maybe", contentType: urlencodedType},
		{method: "GET", path: "/query/concept/panic"},
		{method: "DELETE", path: "/auth/oauth/clients/personal/x"},
		{method: "DELETE", path: "/jobs/" + knownJob + "?purge=maybe"},
	} {
		resp, body := call(t, s, r)
		t.Log(r.method, r.path, r.body, "->", resp.StatusCode, resp.Header, body)
	}
}
