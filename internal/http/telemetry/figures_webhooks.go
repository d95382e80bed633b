package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/webhooks"
)

// attemptSeries are the deliveries that this server has tried.
func attemptSeries() []series[map[string]int64] {
	return []series[map[string]int64]{
		newSeries(prometheus.CounterValue, "webhook_attempts_total", "Attempts of this server at deliveries to webhooks, by how they ended: delivered, failed (it is tried again) or given_up.", []string{"outcome"},
			func(attempts map[string]int64, emit func(value float64, labels ...string)) {
				for outcome, n := range attempts {
					emit(float64(n), outcome)
				}
			}),
	}
}

// webhookSeries are the webhooks, which are few: see webhooks.Max.
func webhookSeries() []series[askedFigures] {
	gauge := func(name, help string, value func(webhooks.Webhook) float64) series[askedFigures] {
		return newSeries(prometheus.GaugeValue, "webhook_"+name, help, []string{"webhook"}, func(a askedFigures, emit func(value float64, labels ...string)) {
			for _, w := range a.webhooks {
				emit(value(w), w.ID)
			}
		})
	}
	return []series[askedFigures]{
		gauge("enabled", "1 for a webhook that is told of events, 0 for one that is disabled.", func(w webhooks.Webhook) float64 { return oneIf(w.Enabled) }),
		gauge("failing", "1 for a webhook whose last attempt has failed.", func(w webhooks.Webhook) float64 { return oneIf(w.FailingSince != nil) }),
		gauge("waiting_deliveries", "Deliveries of a webhook that are not over, counted to 10000.", func(w webhooks.Webhook) float64 { return float64(w.Waiting) }),
	}
}
