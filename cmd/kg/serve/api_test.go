package serve

import (
	"encoding/json"
	"log/slog"
	nethttp "net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa/internal/auth"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/internal/lanes"
	"github.com/kappagraph/kappa/internal/notify"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/remote"
	"github.com/kappagraph/kappa/work"
)

// publicRoutes are the only ones that take no bearer.
var publicRoutes = []string{
	"GET /", "GET /health", "GET /readyz", "GET /livez", "GET /openapi.json", "GET /docs", "GET /worker/websocket", "GET /.well-known/kappa-server",
	"GET /.well-known/oauth-protected-resource", "GET /.well-known/oauth-protected-resource/mcp", "GET /.well-known/oauth-authorization-server",
	"POST /auth/oauth/clients/personal", "POST /auth/oauth/token", "POST /auth/oauth/revoke", "POST /auth/register", "POST /auth/session",
}

// newWholeAPI returns the API with all its resources. Nothing is behind it.
func newWholeAPI(t *testing.T) *http.Server {
	t.Helper()
	return newWholeAPIFor(t, apitest.NewAccounts())
}

// newWholeAPIFor is newWholeAPI with accounts of one's own.
func newWholeAPIFor(t *testing.T, accounts *apitest.Accounts) *http.Server {
	t.Helper()
	s := &server{
		db: &postgres.DB{}, types: &work.JobTypes{}, settings: &Settings{Version: "test"}, log: slog.New(slog.DiscardHandler),
		accounts: &auth.Service{},
		queue:    queuePart{worker: &lanes.Worker{}, manager: &lanes.Manager{}, runner: &lanes.Runner{}, finisher: &lanes.Finisher{}, orphans: &lanes.Orphans{}}, // whose locks probes take
		remote:   &remote.Server{}, events: events{hub: &notify.Hub{}},
	}
	check(t, s.openDatasets(t.Context()))
	cfg := s.apiConfig()
	cfg.Auth = accounts
	return apitest.ServeWith(t, cfg, s.resources()...)
}

// registered returns the routes that the API answers, in the router's notation.
func registered(t *testing.T, api *http.Server) gin.RoutesInfo {
	t.Helper()
	engine, ok := api.Handler().(*gin.Engine)
	if !ok {
		t.Fatalf("the handler is a %T", api.Handler())
	}
	return slices.DeleteFunc(engine.Routes(), func(r gin.RouteInfo) bool { return r.Method == nethttp.MethodHead }) // each goes with a GET
}

// samplePath fills the parameters of a registered path.
func samplePath(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, ":") || strings.HasPrefix(p, "*") {
			parts[i] = "x"
		}
	}
	return strings.Join(parts, "/")
}

// canonical is a path at the root and without a trailing slash.
func canonical(path string) string {
	path = strings.TrimSuffix(path, "/")
	if path == "/api" || path == "" {
		return "/"
	}
	return strings.TrimPrefix(path, "/api")
}

// speaksOtherwise reports whether the refusals of a route are those of another protocol.
func speaksOtherwise(name string) bool {
	_, path, _ := strings.Cut(name, " ")
	return strings.HasPrefix(path, "/v1/") || path == "/chat" || path == "/tags"
}

func TestEveryRouteDemandsABearer(t *testing.T) {
	api := newWholeAPI(t)
	routes := registered(t, api)
	if len(routes) < 300 {
		t.Fatalf("only %d routes are registered", len(routes))
	}
	open := map[string]bool{}
	for _, r := range routes {
		name := r.Method + " " + canonical(r.Path)
		for token, want := range map[string]string{apitest.None: "Not authenticated", "expired": "Could not validate credentials"} {
			resp, body := apitest.Call(t, api, apitest.Request{Method: r.Method, Path: samplePath(r.Path), Token: token})
			if slices.Contains(publicRoutes, name) {
				open[name] = true
				if resp.StatusCode == nethttp.StatusUnauthorized {
					t.Errorf("%s %s: 401, but it is public", r.Method, r.Path)
				}
				continue
			}
			if speaksOtherwise(name) {
				if resp.StatusCode != nethttp.StatusUnauthorized || !strings.Contains(body, want) {
					t.Errorf("%s %s: %d %s", r.Method, r.Path, resp.StatusCode, body)
				}
			} else if p := apitest.WantProblem(t, resp, body, nethttp.StatusUnauthorized); p.Detail != want {
				t.Errorf("%s %s: detail %q, want %q", r.Method, r.Path, p.Detail, want)
			}
			if resp.Header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s %s: no WWW-Authenticate", r.Method, r.Path)
			}
		}
	}
	if len(open) != len(publicRoutes) {
		t.Errorf("public routes %v, want %v", open, publicRoutes)
	}
}

// TestTheConsolesPathIsFree keeps /console/ for what people will look at.
func TestTheConsolesPathIsFree(t *testing.T) {
	api := newWholeAPI(t)
	for _, r := range registered(t, api) {
		if first := strings.Split(r.Path, "/")[1]; first == "console" || strings.HasPrefix(first, ":") || strings.HasPrefix(first, "*") {
			t.Errorf("%s %s takes the console's path", r.Method, r.Path)
		}
	}
	for _, path := range []string{"/console", "/console/", "/console/a/b"} {
		resp, body := apitest.Call(t, api, apitest.Request{Method: "GET", Path: path})
		apitest.WantProblem(t, resp, body, nethttp.StatusNotFound)
	}
}

func TestOpenAPI(t *testing.T) {
	api := newWholeAPI(t)
	doc, body := apitest.ReadSpec(t, api)
	t.Run("names itself", func(t *testing.T) {
		if doc.OpenAPI != "3.1.0" || doc.Info.Title != "Kappa" || doc.Info.Version != "test" || doc.Components.SecuritySchemes["bearer"] == nil {
			t.Errorf("document %+v", doc.Info)
		}
	})
	t.Run("describes every route that is built, and no other", func(t *testing.T) {
		unbuilt := 0
		for _, r := range registered(t, api) {
			if r.Path != canonical(r.Path) || r.Path == "/openapi.json" {
				continue
			}
			path := regexp.MustCompile(`:(\w+)`).ReplaceAllString(r.Path, "{$1}")
			_, described := doc.Paths[path][strings.ToLower(r.Method)]
			if !described {
				_, described = doc.Paths[path+"/"][strings.ToLower(r.Method)]
			}
			resp, _ := apitest.Call(t, api, apitest.Request{Method: r.Method, Path: samplePath(r.Path), Body: "{}"})
			if isUnbuilt := resp.StatusCode == nethttp.StatusNotImplemented; isUnbuilt == described {
				t.Errorf("%s %s: status %d, described %v", r.Method, r.Path, resp.StatusCode, described)
			} else if isUnbuilt {
				unbuilt++
			}
		}
		if unbuilt < 9 {
			t.Errorf("only %d routes are not built", unbuilt)
		}
	})
	t.Run("every operation is complete", func(t *testing.T) {
		ids := map[string]bool{}
		for _, methods := range doc.Paths {
			for _, op := range methods {
				if ids[op.OperationID] {
					t.Errorf("%s %s has no id of its own", op.Method, op.Path)
				}
				ids[op.OperationID] = true
				checkOperation(t, doc, op)
			}
		}
	})
	t.Run("every reference leads somewhere, and every schema is used", func(t *testing.T) { checkReferences(t, doc, body) })
	t.Run("forms and streams are described", func(t *testing.T) {
		if doc.Paths["/ingest"]["post"].RequestBody.Content[http.MultipartType] == nil ||
			doc.Paths["/ingest/text"]["post"].RequestBody.Content[http.URLEncodedType] == nil ||
			doc.Paths["/jobs/{id}/stream"]["get"].Responses["200"].Content[http.EventStreamType] == nil {
			t.Error("a form or the stream is missing")
		}
		for _, field := range []string{
			"file", "ontology", "filename", "force", "auto_approve", "processing_mode", "target_words", "min_words", "max_words",
			"overlap_words", "source_type", "source_path", "source_hostname",
		} {
			if properties(doc, "IngestForm")[field] == nil {
				t.Errorf("the form does not describe %s", field)
			}
		}
	})
	t.Run("what may be null says so", func(t *testing.T) {
		for _, field := range []string{"progress", "analysis", "started_at", "error"} {
			if text, _ := json.Marshal(properties(doc, "Job")[field]); !strings.Contains(string(text), `"null"`) {
				t.Errorf("%s: %s", field, text)
			}
		}
	})
	t.Run("bodies refuse what they do not know, answers may have more one day", func(t *testing.T) {
		for schema, want := range map[string]bool{
			"LaneSettings": false, "ScheduleRequest": false, "ScheduleSettings": false, "PrioritySettings": false, "SearchRequest": false, "SearchResult": true,
		} {
			if got := doc.Components.Schemas[schema].(map[string]any)["additionalProperties"]; got != want {
				t.Errorf("%s: additionalProperties %v, want %v", schema, got, want)
			}
		}
	})
	t.Run("bodies carry no links to schemas", func(t *testing.T) {
		if strings.Contains(body, "$schema") {
			t.Error("there is a $schema")
		}
	})
}

func properties(doc apitest.Spec, schema string) map[string]any {
	return doc.Components.Schemas[schema].(map[string]any)["properties"].(map[string]any)
}

// checkOperation checks that an operation says all that clients need.
func checkOperation(t *testing.T, doc apitest.Spec, op apitest.Operation) {
	t.Helper()
	name := op.Method + " " + op.Path
	if op.Summary == "" || op.OperationID == "" {
		t.Errorf("%s has no summary or no id", name)
	}
	if !slices.ContainsFunc(doc.Tags, func(tag struct{ Name string }) bool { return tag.Name == op.Tags[0] }) {
		t.Errorf("%s has the unknown tag %s", name, op.Tags[0])
	}
	problem := "application/problem+json"
	if speaksOtherwise(name) {
		problem = "application/json"
	}
	if op.Responses["default"].Content[problem] == nil || len(op.Responses) < 2 {
		t.Errorf("%s lacks a response", name)
	}
	if isPublic := slices.Contains(publicRoutes, name); isPublic == (len(op.Security) == 1) {
		t.Errorf("%s: public %v with security %v", name, isPublic, op.Security)
	}
	for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(op.Path, -1) {
		if !slices.Contains(op.Parameters, apitest.Parameter{Name: m[1], In: "path", Required: true}) {
			t.Errorf("%s does not describe %s", name, m[1])
		}
	}
}

// checkReferences checks that references and schemas belong together.
func checkReferences(t *testing.T, doc apitest.Spec, body string) {
	t.Helper()
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`"\$ref":"([^"]*)"`).FindAllStringSubmatch(body, -1) {
		name, ok := strings.CutPrefix(m[1], "#/components/schemas/")
		if !ok || doc.Components.Schemas[name] == nil {
			t.Errorf("%s leads nowhere", m[1])
		}
		used[name] = true
	}
	for name := range doc.Components.Schemas {
		if !regexp.MustCompile(`^[A-Z]\w+$`).MatchString(name) {
			t.Errorf("schema %q has no good name", name)
		}
		if !used[name] {
			t.Errorf("schema %s is not used", name)
		}
	}
}

// TestATokenThatMayOnlyRead uses a token whose scopes narrow what its user's role
// allows.
func TestATokenThatMayOnlyRead(t *testing.T) {
	const job = "/jobs/" + apitest.KnownJob
	api := newWholeAPI(t)
	for _, tt := range []struct{ method, path, detail string }{
		{"GET", "/jobs", ""},
		{"GET", "/admin/workers/status", ""},
		{"POST", "/query/search", ""},
		{"GET", "/admin/scheduler/status", ""},
		{"GET", "/admin/graph/status", ""},
		{"GET", "/admin/schedules", ""},
		{"POST", job + "/approve", "Permission denied: approve on jobs"},
		{"DELETE", job, "Permission denied: cancel on jobs"},
		{"POST", "/jobs", "Permission denied: write on jobs"},
		{"POST", "/ingest", "Permission denied: create on ingest"},
		{"POST", "/ingest/text", "Permission denied: create on ingest"},
		{"PATCH", "/admin/workers/lanes/x", "Permission denied: manage on workers"},
		{"DELETE", "/jobs?confirm=true", "Permission denied: delete on jobs"},
		{"POST", job + "/retry", "Permission denied: write on jobs"},
		{"POST", "/admin/workers" + job + "/cancel", "Permission denied: manage on workers"},
		{"PATCH", "/admin/workers" + job + "/priority?priority=1", "Permission denied: manage on workers"},
		{"POST", "/admin/scheduler/cleanup", "Permission denied: manage on workers"},
		{"POST", "/admin/schedules", "Permission denied: manage on workers"},
		{"DELETE", "/admin/schedules/x", "Permission denied: manage on workers"},
		{"POST", "/admin/schedules/x/run", "Permission denied: manage on workers"},
	} {
		resp, body := apitest.Call(t, api, apitest.Request{Method: tt.method, Path: tt.path, Token: apitest.ReadOnly})
		if tt.detail == "" {
			if resp.StatusCode == nethttp.StatusForbidden || resp.StatusCode == nethttp.StatusUnauthorized {
				t.Errorf("%s %s: %d", tt.method, tt.path, resp.StatusCode)
			}
			continue
		}
		if p := apitest.WantProblem(t, resp, body, nethttp.StatusForbidden); p.Detail != tt.detail {
			t.Errorf("%s %s: detail %q, want %q", tt.method, tt.path, p.Detail, tt.detail)
		}
	}
}
