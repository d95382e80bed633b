package http

import (
	nethttp "net/http"
	"strings"
	"testing"
	"time"
)

func TestBearer(t *testing.T) {
	s := newTestServer(t, testConfig(newBackend()))
	for name, tt := range map[string]struct {
		path   string
		header string
		status int
	}{
		"the scheme's case does not matter": {"/sample/x", "bearer good", 200},
		"basic credentials are none":        {"/sample/x", "Basic Z29vZA==", 401},
		"a token with spaces is none":       {"/sample/x", "Bearer good bad", 401},
		"a scheme alone is none":            {"/sample/x", "Bearer", 401},
		"a huge token is none":              {"/sample/x", "Bearer " + strings.Repeat("a", 5000), 401},
		"the query counts on streams only":  {"/sample/x?token=good", "", 401},
		"a disabled user is forbidden":      {"/sample/x", "Bearer disabled", 403},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := call(t, s, request{method: "GET", path: tt.path, token: "-", header: map[string]string{"Authorization": tt.header}})
			if resp.StatusCode != tt.status {
				t.Errorf("status %d with %s, want %d", resp.StatusCode, body, tt.status)
			}
		})
	}
}

func TestPathForms(t *testing.T) {
	s := newTestServer(t, testConfig(newBackend()))
	t.Run("each route answers in every form, never with a redirect", func(t *testing.T) {
		for _, path := range []string{"/livez", "/sample/a_1"} {
			for _, form := range []string{path, path + "/", "/api" + path, "/api" + path + "/"} {
				if resp, body := call(t, s, request{method: "GET", path: form}); resp.StatusCode != 200 {
					t.Errorf("GET %s: %d %s", form, resp.StatusCode, body)
				}
			}
		}
		for _, form := range []string{"/", "/api", "/api/"} {
			if resp, _ := call(t, s, request{method: "GET", path: form, token: "-"}); resp.StatusCode != 200 {
				t.Errorf("GET %s: %d", form, resp.StatusCode)
			}
		}
	})
	t.Run("values in the path are decoded once, and + stays", func(t *testing.T) {
		_, body := call(t, s, request{method: "GET", path: "/sample/a%2Fb+c%2525"})
		if !strings.Contains(body, `"name":"a/b+c%25"`) {
			t.Error(body)
		}
		_, body = call(t, s, request{method: "GET", path: "/sample/sha256%3Aab+c"})
		if !strings.Contains(body, `"name":"sha256:ab+c"`) {
			t.Error(body)
		}
	})
	t.Run("an unknown route is a 404", func(t *testing.T) {
		for _, path := range []string{"/nope", "/api/nope", "/sample/x/y/z", "//sample/x", "/api/api/sample/x"} {
			resp, body := call(t, s, request{method: "GET", path: path})
			wantProblem(t, resp, body, nethttp.StatusNotFound)
		}
	})
	t.Run("a wrong method is a 405 that says which are right", func(t *testing.T) {
		resp, body := call(t, s, request{method: "PUT", path: "/sample/a"})
		wantProblem(t, resp, body, nethttp.StatusMethodNotAllowed)
		if got := resp.Header.Get("Allow"); got != "GET" {
			t.Errorf("Allow %q, want GET", got)
		}
	})
	t.Run("a route that is not built is a 501", func(t *testing.T) {
		for _, r := range []request{
			{method: "GET", path: "/admin/status"},
			{method: "POST", path: "/ingest/image"},
			{method: "GET", path: "/ontology/a%2Fb/files"},
			{method: "POST", path: "/ontology/"},
			{method: "GET", path: "/admin/keys"},
			{method: "PUT", path: "/api/admin/keys/a/b/c"},
			{method: "GET", path: "/vocabulary/epistemic-status/X"},
			{method: "GET", path: "/ontology/tombstones"},
			{method: "GET", path: "/projection/__all__"},
		} {
			resp, body := call(t, s, r)
			if p := wantProblem(t, resp, body, nethttp.StatusNotImplemented); !strings.Contains(p.Detail, "not built yet") {
				t.Errorf("detail %q", p.Detail)
			}
		}
	})
}

func TestARouteWithoutPermissionCannotBeRegistered(t *testing.T) {
	s := newTestServer(t, testConfig(newBackend()))
	defer func() {
		if recover() == nil {
			t.Error("it was registered")
		}
	}()
	s.mount(Route{Method: "GET", Path: "/forgotten"})
}

func TestNew(t *testing.T) {
	t.Run("names everything that is missing", func(t *testing.T) {
		_, err := New(Config{Limits: Limits{Body: -1}})
		for _, want := range []string{"Auth must be set", "Log must be set", "Body must not be negative, got -1"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v does not say %q", err, want)
			}
		}
	})
	t.Run("limits have defaults", func(t *testing.T) {
		l := Limits{}.withDefaults()
		if l.Unconfirmed != DefaultUnconfirmed || l.Body != 30*time.Second {
			t.Errorf("limits %+v", l)
		}
	})
}
