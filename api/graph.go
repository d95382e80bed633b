package api

import (
	"github.com/kappagraph/kappa/knowledge"
)

// GraphCheckList are the checks of a graph.
type GraphCheckList struct {
	Checks []knowledge.GraphCheck `json:"checks" doc:"In the order in which they are to be checked, and repaired"`
}

// CountersRefreshed says which counters were wrong.
type CountersRefreshed struct {
	Success bool                      `json:"success"`
	Message string                    `json:"message"`
	Count   int                       `json:"changed_count"`
	Changes []knowledge.CounterChange `json:"changes" doc:"Every counter"`
}

// SearchThresholdSet is the threshold of searches after a change.
type SearchThresholdSet struct {
	Key       string  `json:"key"`
	Threshold float64 `json:"threshold"`
}

// GraphCounters are the counters of a graph, beside what is counted now.
type GraphCounters struct {
	Counters knowledge.GraphCounters `json:"counters"`
	Now      CountersSnapshot        `json:"current_snapshot"`
}

// CountersSnapshot is what is counted now.
type CountersSnapshot struct {
	Concepts int64 `json:"concepts"`
	Edges    int64 `json:"edges"`
	Sources  int64 `json:"sources"`
	Types    int64 `json:"vocab_types"`
	Total    int64 `json:"total_objects" doc:"The sum of the others"`
}
