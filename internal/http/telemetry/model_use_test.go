package telemetry

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestModelUse(t *testing.T) {
	use := NewModelUse()
	cfg := (&fake{}).config()
	cfg.Figures.ModelUse = use
	s := apitest.Serve(t, New(cfg))
	shown := func() string {
		_, body := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/metrics"})
		return body
	}
	wantLines := func(want ...string) {
		t.Helper()
		body := shown()
		for _, line := range want {
			if !strings.Contains(body, line+"\n") {
				t.Errorf("no %s", line)
			}
		}
	}
	use.Begin("openai", "m")
	wantLines(`kappa_model_cost_usd_total{model="m",provider="openai"} 0`, `kappa_model_calls_total{model="m",outcome="failed",provider="openai"} 0`)
	call := models.Call{Provider: "openai", Model: "openai/m", Purpose: models.ForExtraction, JobID: "job_1"}
	use.Counted(call, models.CallResult{Usage: models.TokenUsage{Input: 1000, Output: 200}, Cost: .25})
	use.Counted(call, models.CallResult{Usage: models.TokenUsage{Input: 10}, Cost: .5, Failed: true})
	wantLines(
		`kappa_model_cost_usd_total{model="m",provider="openai"} 0.75`,
		`kappa_model_tokens_total{direction="input",model="m",provider="openai"} 1010`, `kappa_model_tokens_total{direction="output",model="m",provider="openai"} 200`,
		`kappa_model_calls_total{model="m",outcome="answered",provider="openai"} 1`, `kappa_model_calls_total{model="m",outcome="failed",provider="openai"} 1`,
	)
	// Names that workers make up do not fill the memory.
	for i := range 3 * mostModels {
		use.Counted(models.Call{Model: fmt.Sprintf("worker/%d", i)}, models.CallResult{Cost: 1})
	}
	body := shown()
	if n := strings.Count(body, "kappa_model_cost_usd_total{"); n != mostModels+1 {
		t.Errorf("%d models are shown, want %d", n, mostModels+1)
	}
	wantLines(`kappa_model_cost_usd_total{model="(other)",provider="(other)"} 201`)
}
