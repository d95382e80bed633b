package datasets

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/corpus/datasets"
)

// registerMetrics adds the figures of the workers, which are asked for at each scrape.
func (a *API) registerMetrics(registry prometheus.Registerer) {
	if a.cfg.Figures == nil {
		return
	}
	gauge := func(name, help string, value func(datasets.Figures) float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "kappa_dataset_" + name, Help: help}, func() float64 { return value(a.cfg.Figures()) }))
	}
	counter := func(name, help string, value func(datasets.Figures) int64) {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "kappa_dataset_" + name, Help: help}, func() float64 { return float64(value(a.cfg.Figures())) }))
	}
	gauge("workers_alive", "Dataset workers that run.", func(f datasets.Figures) float64 { return float64(f.Alive) })
	gauge("workers_busy", "Of them, those with a task.", func(f datasets.Figures) float64 { return float64(f.Busy) })
	gauge("disk_bytes", "Files of datasets that are kept.", func(f datasets.Figures) float64 { return float64(f.DiskBytes) })
	counter("tasks_total", "Tasks given to dataset workers.", func(f datasets.Figures) int64 { return f.Tasks })
	counter("workers_started_total", "Dataset workers started.", func(f datasets.Figures) int64 { return f.Started })
	counter("workers_killed_total", "Dataset workers killed at a deadline, or because nobody waited any more.", func(f datasets.Figures) int64 { return f.Killed })
	counter("workers_crashed_total", "Dataset workers that ended by themselves.", func(f datasets.Figures) int64 { return f.Crashed })
	counter("workers_retired_total", "Dataset workers replaced after their tasks.", func(f datasets.Figures) int64 { return f.Retired })
}
