package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/knowledge"
)

// graphSeries are the graph that this server keeps in memory.
func graphSeries() []series[knowledge.GraphStatus] {
	type status = knowledge.GraphStatus
	type emit = func(value float64, labels ...string)
	ofGraph := func(kind prometheus.ValueType, name, help string, value func(status) float64) series[status] {
		return newSeries(kind, "graph_memory_"+name, help, nil, func(s status, emit emit) { emit(value(s)) })
	}
	return []series[status]{
		ofGraph(prometheus.GaugeValue, "used", "1 when queries read the graph in memory, 0 when they read the tables.", func(s status) float64 { return oneIf(s.State == knowledge.GraphReady) }),
		newSeries(prometheus.GaugeValue, "graph_memory_lag_seconds", "Time since the database was last asked what has changed in the graph.", nil, func(s status, emit emit) {
			if s.Lag != nil {
				emit(*s.Lag)
			}
		}),
		ofGraph(prometheus.GaugeValue, "bytes", "Memory of the graph.", func(s status) float64 { return float64(s.Bytes) }),
		ofGraph(prometheus.GaugeValue, "limit_bytes", "Memory that the graph may take.", func(s status) float64 { return float64(s.Limit) }),
		ofGraph(prometheus.GaugeValue, "edges", "Relationships of the graph in memory.", func(s status) float64 { return float64(s.Edges) }),
		ofGraph(prometheus.CounterValue, "loads_total", "How often the whole graph was loaded.", func(s status) float64 { return float64(s.Loads) }),
		ofGraph(prometheus.CounterValue, "changes_total", "Changes of the graph that were applied.", func(s status) float64 { return float64(s.Changes) }),
		ofGraph(prometheus.CounterValue, "transactions_total", "Transactions whose changes were applied.", func(s status) float64 { return float64(s.Transactions) }),
	}
}

// searchSeries are what this server keeps in memory for searches by meaning.
func searchSeries() []series[knowledge.GraphStatus] {
	type status = knowledge.SearchIndexStatus
	ofIndex := func(kind prometheus.ValueType, name, help string, value func(status) float64) series[knowledge.GraphStatus] {
		return newSeries(kind, "search_memory_"+name, help, nil, func(s knowledge.GraphStatus, emit func(value float64, labels ...string)) {
			if s.Search != nil {
				emit(value(*s.Search))
			}
		})
	}
	return []series[knowledge.GraphStatus]{
		ofIndex(prometheus.GaugeValue, "used", "1 when searches find concepts in memory, 0 when they read the tables.", func(s status) float64 { return oneIf(s.Ready) }),
		ofIndex(prometheus.GaugeValue, "embeddings", "1 when the embeddings are in memory, too.", func(s status) float64 { return oneIf(s.Embeddings) }),
		newSeries(prometheus.GaugeValue, "search_memory_lag_seconds", "Time since the database was last asked what has changed for searches.", nil, func(s knowledge.GraphStatus, emit func(value float64, labels ...string)) {
			if s.Search != nil && s.Search.Lag != nil {
				emit(*s.Search.Lag)
			}
		}),
		ofIndex(prometheus.GaugeValue, "bytes", "Memory that searches take.", func(s status) float64 { return float64(s.Bytes) }),
		ofIndex(prometheus.GaugeValue, "limit_bytes", "Memory that searches may take.", func(s status) float64 { return float64(s.Limit) }),
		ofIndex(prometheus.GaugeValue, "concepts", "Concepts in memory for searches.", func(s status) float64 { return float64(s.Concepts) }),
		ofIndex(prometheus.CounterValue, "loads_total", "How often all concepts were loaded for searches.", func(s status) float64 { return float64(s.Loads) }),
	}
}

// passageSeries are the index that this server answers questions from.
func passageSeries() []series[knowledge.GraphStatus] {
	type status = knowledge.PassageIndexStatus
	ofIndex := func(kind prometheus.ValueType, name, help string, value func(status) float64) series[knowledge.GraphStatus] {
		return newSeries(kind, "passage_index_"+name, help, nil, func(s knowledge.GraphStatus, emit func(value float64, labels ...string)) {
			if s.Passages != nil {
				emit(value(*s.Passages))
			}
		})
	}
	return []series[knowledge.GraphStatus]{
		ofIndex(prometheus.GaugeValue, "ready", "1 when questions are answered from all passages, 0 while some are not in the index.", func(s status) float64 { return oneIf(s.Ready) }),
		ofIndex(prometheus.GaugeValue, "passages", "Passages in the index.", func(s status) float64 { return float64(s.Passages) }),
		ofIndex(prometheus.GaugeValue, "segments", "Parts of the index; small ones are merged in the background.", func(s status) float64 { return float64(s.Segments) }),
		ofIndex(prometheus.GaugeValue, "heap_bytes", "Memory of the index of passages.", func(s status) float64 { return float64(s.Heap) }),
		ofIndex(prometheus.GaugeValue, "mapped_bytes", "Files of the index of passages, which are read as memory.", func(s status) float64 { return float64(s.Mapped) }),
		newSeries(prometheus.GaugeValue, "passage_index_lag_seconds", "Time since the database was last asked which passages have changed.", nil, func(s knowledge.GraphStatus, emit func(value float64, labels ...string)) {
			if s.Passages != nil && s.Passages.Lag != nil {
				emit(*s.Passages.Lag)
			}
		}),
		ofIndex(prometheus.CounterValue, "loads_total", "How often the index was compared with all passages.", func(s status) float64 { return float64(s.Loads) }),
	}
}
