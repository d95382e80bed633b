package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/corpus/models"
)

// providerSeries are the calls to the providers of models, of all servers together.
func providerSeries() []series[askedFigures] {
	gauge := func(name, help string, value func(models.ProviderStatus) float64) series[askedFigures] {
		return newSeries(prometheus.GaugeValue, "provider_"+name, help, []string{"provider"}, func(a askedFigures, emit func(value float64, labels ...string)) {
			for _, p := range a.providers {
				emit(value(p), p.Name)
			}
		})
	}
	return []series[askedFigures]{
		gauge("calls_in_flight", "Calls to a provider of models that run.", func(p models.ProviderStatus) float64 { return float64(p.InFlight) }),
		gauge("calls_waiting", "Calls to a provider of models that wait.", func(p models.ProviderStatus) float64 { return float64(p.Waiting) }),
		gauge("calls_max", "Calls to a provider of models that may run at once.", func(p models.ProviderStatus) float64 { return float64(p.Limits.Calls) }),
		gauge("failures", "Failures of a provider in a row, since its last answer.", func(p models.ProviderStatus) float64 { return float64(p.Failures) }),
		gauge("throttled_seconds", "For how long nobody calls a provider.", func(p models.ProviderStatus) float64 {
			if p.ThrottledUntil == nil {
				return 0
			}
			return max(time.Until(p.ThrottledUntil.Time).Seconds(), 0)
		}),
		gauge("jobs_waiting", "Jobs that wait for a provider.", func(p models.ProviderStatus) float64 { return float64(p.JobsWaiting) }),
		gauge("jobs_overdue", "Jobs that have waited for a provider for longer than KG_PROVIDER_PATIENCE.", func(p models.ProviderStatus) float64 { return float64(p.JobsOverdue) }),
		gauge("longest_wait_seconds", "For how long a job has waited for a provider at most.", func(p models.ProviderStatus) float64 {
			if p.WaitingSince == nil {
				return 0
			}
			return max(time.Since(p.WaitingSince.Time).Seconds(), 0)
		}),
	}
}
