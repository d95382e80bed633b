package models

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/work"
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

func (*fake) Status(context.Context) ([]models.ProviderStatus, error) {
	return []models.ProviderStatus{{Name: "openai", InFlight: 3, Waiting: 4}, {Name: "ollama", InFlight: 1}}, nil
}

func (f *fake) Check(context.Context) []models.ProviderCheck {
	f.checks++
	return []models.ProviderCheck{{Provider: "openai", OK: true}, {Provider: "ollama", OK: !f.fails}}
}

func (*fake) MaxCalls() int { return 32 }

func (*fake) Extraction() models.ExtractionConfig {
	return models.ExtractionConfig{Provider: "openai", Model: "gpt"}
}

func (*fake) Embedding(context.Context) (models.EmbeddingConfig, error) {
	return models.EmbeddingConfig{Model: "e", EmbeddingSpace: models.EmbeddingSpace{GraphModel: "f", GraphDimensions: 8}}, nil
}

func (f *fake) config() Config {
	return Config{
		Providers: f, Chooser: f, Profiles: f, Limiter: f, Keys: f, Jobs: jobs{}, Ends: jobs{},
		Spent: func(_ context.Context, within time.Duration) ([]work.ModelUsage, error) {
			return []work.ModelUsage{{Model: "m", Purpose: "extraction", Calls: int(within.Hours()), USD: 0.5}, {Model: "e", Purpose: "embedding", USD: 0.25}}, nil
		},
		Coverage: func(context.Context, string) (models.EmbeddingCoverage, error) {
			return models.EmbeddingCoverage{}, nil
		},
		SlotProviders: func(models.Slot) []string { return []string{"openai", "off"} },
		DefaultModel:  func(_ models.Slot, provider string) string { return map[string]string{"openai": "seer"}[provider] },
	}
}

// jobs are done at once.
type jobs struct{}

func (jobs) SubmitJob(_ context.Context, j work.NewJob) (work.Job, error) {
	return work.Job{ID: "job_" + j.Type}, nil
}

func (jobs) Await(_ context.Context, id string) (work.Job, error) {
	return work.Job{ID: id, Result: []byte(`{"processed_count":2,"sources_embedded":1}`)}, nil
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

// TestSpending sums up what models have cost.
func TestSpending(t *testing.T) {
	s := apitest.Serve(t, New((&fake{}).config()))
	resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/admin/models/spending?days=2"})
	if resp.StatusCode != 200 || !strings.Contains(body, `"days":2,"usd":0.75`) || !strings.Contains(body, `"calls":48`) {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	for _, days := range []string{"0", "366", "-1", "x"} {
		if resp, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/admin/models/spending?days=" + days}); resp.StatusCode != 422 {
			t.Errorf("%s days: %d %s", days, resp.StatusCode, body)
		}
	}
}
