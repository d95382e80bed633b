package http_test

import (
	"fmt"
	nethttp "net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestBearer(t *testing.T) {
	s := apitest.Serve(t, &sample{})
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
			resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: tt.path, Token: apitest.None, Header: map[string]string{"Authorization": tt.header}})
			if resp.StatusCode != tt.status {
				t.Errorf("status %d with %s, want %d", resp.StatusCode, body, tt.status)
			}
		})
	}
}

func TestPathForms(t *testing.T) {
	s := apitest.Serve(t, &sample{})
	t.Run("each route answers in every form, never with a redirect", func(t *testing.T) {
		for _, path := range []string{"/livez", "/sample/a_1"} {
			for _, form := range []string{path, path + "/", "/api" + path, "/api" + path + "/"} {
				if resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: form}); resp.StatusCode != 200 {
					t.Errorf("GET %s: %d %s", form, resp.StatusCode, body)
				}
			}
		}
		for _, form := range []string{"/", "/api", "/api/"} {
			if resp, _ := apitest.Call(t, s, apitest.Request{Method: "GET", Path: form, Token: apitest.None}); resp.StatusCode != 200 {
				t.Errorf("GET %s: %d", form, resp.StatusCode)
			}
		}
	})
	t.Run("values in the path are decoded once, and + stays", func(t *testing.T) {
		_, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/sample/a%2Fb+c%2525"})
		if !strings.Contains(body, `"name":"a/b+c%25"`) {
			t.Error(body)
		}
		_, body = apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/sample/sha256%3Aab+c"})
		if !strings.Contains(body, `"name":"sha256:ab+c"`) {
			t.Error(body)
		}
	})
	t.Run("an unknown route is a 404", func(t *testing.T) {
		for _, path := range []string{"/nope", "/api/nope", "/sample/x/y/z", "//sample/x", "/api/api/sample/x"} {
			resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: path})
			apitest.WantProblem(t, resp, body, nethttp.StatusNotFound)
		}
	})
	t.Run("a wrong method is a 405 that says which are right", func(t *testing.T) {
		resp, body := apitest.Call(t, s, apitest.Request{Method: "PUT", Path: "/sample/a"})
		apitest.WantProblem(t, resp, body, nethttp.StatusMethodNotAllowed)
		if got := resp.Header.Get("Allow"); got != "GET, HEAD" {
			t.Errorf("Allow %q, want GET, HEAD", got)
		}
	})
	t.Run("a route that is not built is a 501", func(t *testing.T) {
		for _, r := range []apitest.Request{
			{Method: "PUT", Path: "/concepts/a%2Fb"},
			{Method: "PATCH", Path: "/edges"},
			{Method: "PUT", Path: "/programs/7/"},
			{Method: "POST", Path: "/api/admin/storage/retention"},
			{Method: "POST", Path: "/database/query"},
		} {
			resp, body := apitest.Call(t, s, r)
			if p := apitest.WantProblem(t, resp, body, nethttp.StatusNotImplemented); !strings.Contains(p.Detail, "not built yet") {
				t.Errorf("detail %q", p.Detail)
			}
		}
	})
}

func TestARouteWithoutPermissionCannotBeRegistered(t *testing.T) {
	s := apitest.Serve(t, &sample{})
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "GET /forgotten demands no permission") {
			t.Errorf("it was registered, or refused for another reason: %s", said)
		}
	}()
	s.RegisterRaw(http.Route{Method: "GET", Path: "/forgotten", ID: "test.forgotten", Document: func(*huma.Operation) {}}, nil)
}

func TestNewNamesEverythingThatIsMissing(t *testing.T) {
	_, err := http.New(http.Config{Limits: http.Limits{Body: -1}})
	for _, want := range []string{"Auth must be set", "Log must be set", "Body must not be negative, got -1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}
