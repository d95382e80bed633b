package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa"
)

// loopSeries are the figures of what this server does again and again.
func loopSeries() []series[[]kappa.LoopState] {
	one := func(kind prometheus.ValueType, name, help string, value func(l kappa.LoopState) (float64, bool)) series[[]kappa.LoopState] {
		return newSeries(kind, "loop_"+name, help, []string{"loop"}, func(loops []kappa.LoopState, emit func(float64, ...string)) {
			for _, l := range loops {
				if v, ok := value(l); ok {
					emit(v, l.Name)
				}
			}
		})
	}
	always := func(value func(l kappa.LoopState) float64) func(kappa.LoopState) (float64, bool) {
		return func(l kappa.LoopState) (float64, bool) { return value(l), true }
	}
	return []series[[]kappa.LoopState]{
		one(prometheus.GaugeValue, "period_seconds", "A round of the loop is due so long after the last one.", always(func(l kappa.LoopState) float64 { return l.Period })),
		one(prometheus.GaugeValue, "last_run_timestamp_seconds", "When the last round of the loop ended, well or not.", func(l kappa.LoopState) (float64, bool) {
			if l.LastRun == nil {
				return 0, false
			}
			return float64(l.LastRun.UnixMilli()) / 1000, true
		}),
		one(prometheus.GaugeValue, "overdue_seconds", "For how long a round has been due, or under way, once that is several periods; 0 before.", always(func(l kappa.LoopState) float64 { return l.Overdue })),
		one(prometheus.CounterValue, "rounds_total", "Rounds of the loop that have ended.", always(func(l kappa.LoopState) float64 { return float64(l.Rounds) })),
		one(prometheus.CounterValue, "failures_total", "Of these, the rounds that failed.", always(func(l kappa.LoopState) float64 { return float64(l.Failures) })),
	}
}
