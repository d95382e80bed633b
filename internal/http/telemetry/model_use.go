package telemetry

import (
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/corpus/models"
)

// mostModels is how many models have figures of their own; those that come later share one
// name. Operators choose few, but remote workers name theirs as they like.
const mostModels = 100

// otherModels is what the later ones are called together.
const otherModels = "(other)"

// ModelUse counts what calls of models have used and cost that this server has counted.
type ModelUse struct {
	calls, tokens, cost *prometheus.CounterVec

	mu    sync.Mutex // guards what follows
	known map[[2]string]bool
}

// NewModelUse returns counters of nothing.
func NewModelUse() *ModelUse {
	of := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "kappa", Subsystem: "model", Name: name, Help: help}, append([]string{"provider", "model"}, labels...))
	}
	return &ModelUse{
		calls:  of("calls_total", "Calls of models that have ended, by whether there was an answer.", "outcome"),
		tokens: of("tokens_total", "Tokens that providers have charged, by direction.", "direction"),
		cost:   of("cost_usd_total", "US dollars that calls have cost, at the prices that this server knows."),
		known:  map[[2]string]bool{},
	}
}

// Begin shows a model from now on, before it is called: what its first call costs is then a
// rise like that of any other.
func (u *ModelUse) Begin(provider, model string) {
	provider, model = u.labels(provider, model)
	for _, outcome := range []string{"answered", "failed"} {
		u.calls.WithLabelValues(provider, model, outcome)
	}
	for _, direction := range []string{"input", "output"} {
		u.tokens.WithLabelValues(provider, model, direction)
	}
	u.cost.WithLabelValues(provider, model)
}

// Counted counts a call.
func (u *ModelUse) Counted(c models.Call, r models.CallResult) {
	provider, model, ok := strings.Cut(c.Model, "/")
	if !ok {
		provider, model = c.Provider, c.Model
	}
	provider, model = u.labels(provider, model)
	outcome := "answered"
	if r.Failed {
		outcome = "failed"
	}
	u.calls.WithLabelValues(provider, model, outcome).Inc()
	u.tokens.WithLabelValues(provider, model, "input").Add(float64(max(r.Usage.Input, 0)))
	u.tokens.WithLabelValues(provider, model, "output").Add(float64(max(r.Usage.Output, 0)))
	u.cost.WithLabelValues(provider, model).Add(max(r.Cost, 0))
}

// labels returns what a model is called in figures.
func (u *ModelUse) labels(provider, model string) (string, string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	key := [2]string{provider, model}
	if !u.known[key] {
		if len(u.known) >= mostModels {
			return otherModels, otherModels
		}
		u.known[key] = true
	}
	return provider, model
}
