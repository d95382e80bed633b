package models

import (
	"context"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// fake is what the resource shows. What its tests do not call is nil.
type fake struct {
	chooser
	profiles
	limiter
	keys

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

func (*fake) MaxCalls() int { return 32 }

func (*fake) Extraction() kappa.ExtractionConfig {
	return kappa.ExtractionConfig{Provider: "openai", Model: "gpt"}
}

func (*fake) Embedding(context.Context) (kappa.EmbeddingConfig, error) {
	return kappa.EmbeddingConfig{Model: "e", EmbeddingSpace: kappa.EmbeddingSpace{GraphModel: "f", GraphDimensions: 8}}, nil
}

func (f *fake) config() Config {
	return Config{
		Providers: f, Chooser: f, Profiles: f, Limiter: f, Keys: f, Jobs: jobs{}, Ends: jobs{},
		Coverage:      func(context.Context, string) (kappa.EmbeddingCoverage, error) { return kappa.EmbeddingCoverage{}, nil },
		SlotProviders: func(kappa.ModelSlot) []string { return []string{"openai", "off"} },
		DefaultModel:  func(_ kappa.ModelSlot, provider string) string { return map[string]string{"openai": "seer"}[provider] },
	}
}

// jobs are done at once.
type jobs struct{}

func (jobs) SubmitJob(_ context.Context, j kappa.NewJob) (kappa.Job, error) {
	return kappa.Job{ID: "job_" + j.Type}, nil
}

func (jobs) Await(_ context.Context, id string) (kappa.Job, error) {
	return kappa.Job{ID: id, Result: []byte(`{"processed_count":2,"sources_embedded":1}`)}, nil
}

func TestRoutes(t *testing.T) {
	f := &fake{fails: true}
	s := apitest.Serve(t, New(f.config()))
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
