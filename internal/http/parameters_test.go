package http_test

import (
	"context"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// lister has a route of each kind with parameters.
type lister struct{}

type listing struct {
	Limit  int    `query:"limit" default:"5"`
	Status string `query:"status"`
}

func (lister) Register(r *http.Router) error {
	http.Register(r, http.Route{Method: "GET", Path: "/things", Permission: access.GraphRead, ID: "graph.things", Summary: "List"},
		func(_ context.Context, in *listing) (echo, error) { return echo{in.Status}, nil })
	http.Register(r, http.Route{Method: "GET", Path: "/well", Permission: access.Public, ID: "health.well", Summary: "Be well"},
		func(context.Context, *struct{}) (echo, error) { return echo{}, nil })
	r.RegisterRaw(http.Route{Method: "GET", Path: "/raw", Permission: access.GraphRead, ID: "graph.raw", Summary: "Be raw", Document: func(op *huma.Operation) {
		op.Parameters = []*huma.Param{{Name: "mode", In: "query", Schema: &huma.Schema{Type: huma.TypeString}}}
		http.Respond(op, "200", "application/json", "What was asked for", http.SchemaOf[echo](r))
	}}, func(c *gin.Context) error {
		http.WriteJSON(c, 200, echo{c.Query("mode")})
		return nil
	})
	return nil
}

// TestParameters sends queries with parameters that a route has, and has not.
func TestParameters(t *testing.T) {
	s := apitest.Serve(t, lister{})
	for query, want := range map[string]string{
		"/things?limit=3&status=x":        "",
		"/api/things/?status=x":           "",
		"/well?cache=7":                   "",
		"/raw?mode=a":                     "",
		"/things?statu=x":                 "statu: is not a known parameter; did you mean status?",
		"/things?Limit=3":                 "Limit: is not a known parameter; did you mean limit?",
		"/things?token=geheim":            "token: is not a known parameter; known are limit, status",
		"/things?zzzzzzzz=1&limits=2":     "limits: is not a known parameter; did you mean limit?; zzzzzzzz: is not a known parameter; known are limit, status",
		"/raw?mod=a":                      "mod: is not a known parameter; did you mean mode?",
		"/raw?" + strings.Repeat("x", 99): "is not a known parameter; known are mode",
	} {
		resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: query})
		if want == "" && resp.StatusCode != 200 || want != "" && (resp.StatusCode != 422 || !strings.Contains(body, want)) {
			t.Errorf("%s: %d %s, want %q", query, resp.StatusCode, body, want)
		}
		if strings.Contains(body, "geheim") {
			t.Errorf("%s repeats a value: %s", query, body)
		}
	}
	resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/things?colour=red", Token: apitest.None})
	apitest.WantProblem(t, resp, body, 401)
}
