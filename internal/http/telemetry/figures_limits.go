package telemetry

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/work"
)

// limitSeries are what an operator has limited, which is little: see work.MaxLimits.
func limitSeries() []series[askedFigures] {
	gauge := func(name, help string, value func(work.Limit) int) series[askedFigures] {
		return newSeries(prometheus.GaugeValue, "limit_"+name, help, []string{"limit", "what"}, func(a askedFigures, emit func(value float64, labels ...string)) {
			for _, l := range a.limits {
				emit(float64(value(l)), strconv.Itoa(l.ID), l.What())
			}
		})
	}
	return []series[askedFigures]{
		gauge("running_jobs", "Jobs under a limit that run.", func(l work.Limit) int { return l.Running }),
		gauge("held_jobs", "Jobs under a limit that wait, for it or for a slot, counted to 10000.", func(l work.Limit) int { return l.Held }),
	}
}
