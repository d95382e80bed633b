package models

import (
	"context"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// fake is what the resource shows.
type fake struct {
	fails  bool
	checks int
}

func (*fake) Status(context.Context) ([]kappa.ProviderStatus, error) {
	return []kappa.ProviderStatus{{Name: "openai", InFlight: 3, Waiting: 4}, {Name: "ollama", InFlight: 1}}, nil
}

func (f *fake) Check(context.Context) []kappa.ProviderCheck {
	f.checks++
	return []kappa.ProviderCheck{{Provider: "openai", OK: true}, {Provider: "ollama", OK: !f.fails}}
}

func (*fake) Extraction() kappa.ExtractionConfig {
	return kappa.ExtractionConfig{Provider: "openai", Model: "gpt"}
}

func (*fake) Embedding(context.Context) (kappa.EmbeddingConfig, error) {
	return kappa.EmbeddingConfig{Model: "e", EmbeddingSpace: kappa.EmbeddingSpace{GraphModel: "f", GraphDimensions: 8}}, nil
}

func TestRoutes(t *testing.T) {
	f := &fake{fails: true}
	s := apitest.Serve(t, New(Config{Providers: f, MaxCalls: 32}))
	for _, c := range []struct{ method, path, want string }{
		{"GET", "/admin/providers", `"max_calls":32,"in_flight":4,"waiting":4`},
		{"POST", "/admin/providers/check", `"ok":false`},
		{"GET", "/extraction/config", `"provider":"openai","model":"gpt"`},
		{"GET", "/embedding/config", `"graph_model":"f","graph_dimensions":8`},
	} {
		if resp, body := apitest.Call(t, s, apitest.Request{Method: c.method, Path: c.path}); resp.StatusCode != 200 || !strings.Contains(body, c.want) {
			t.Errorf("%s %s: %d %s, want %s", c.method, c.path, resp.StatusCode, body, c.want)
		}
		if resp, _ := apitest.Call(t, s, apitest.Request{Method: c.method, Path: c.path, Token: apitest.None}); resp.StatusCode != 401 {
			t.Errorf("%s %s: %d without a token", c.method, c.path, resp.StatusCode)
		}
	}
	if f.checks != 1 {
		t.Errorf("checked %d times", f.checks)
	}
}
