package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/knowledge"
)

// tableSeries are what queries to the graph have done on the tables.
func tableSeries() []series[knowledge.GraphWork] {
	one := func(kind prometheus.ValueType, name, help string, value func(knowledge.GraphWork) float64) series[knowledge.GraphWork] {
		return newSeries(kind, "graph_"+name, help, nil, func(w knowledge.GraphWork, emit func(float64, ...string)) { emit(value(w)) })
	}
	return []series[knowledge.GraphWork]{
		one(prometheus.CounterValue, "chunks_total", "Queries for the neighbours of a level or of a chunk of one.", func(w knowledge.GraphWork) float64 { return float64(w.Chunks) }),
		one(prometheus.CounterValue, "chunks_failed_total", "Chunks that could not be read, the late ones among them.", func(w knowledge.GraphWork) float64 { return float64(w.Failed) }),
		one(prometheus.CounterValue, "chunks_late_total", "Chunks that were given up because their time ran out.", func(w knowledge.GraphWork) float64 { return float64(w.Late) }),
		one(prometheus.CounterValue, "sequential_total", "Levels of several chunks that were read alone because no worker was free.", func(w knowledge.GraphWork) float64 { return float64(w.Sequential) }),
		one(prometheus.GaugeValue, "workers_busy", "Workers that read chunks now.", func(w knowledge.GraphWork) float64 { return float64(w.Workers) }),
		one(prometheus.GaugeValue, "workers_max", "Workers that all queries may use together.", func(w knowledge.GraphWork) float64 { return float64(w.MaxWorkers) }),
	}
}
