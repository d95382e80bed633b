package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/kappagraph/kappa/work"
)

// JobTimes are histograms of how long attempts waited and ran: native ones, and for those who
// scrape without them of these buckets.
type JobTimes struct{ wait, run *prometheus.HistogramVec }

// timeBuckets are seconds: from what nobody notices up to an hour.
var timeBuckets = []float64{.005, .025, .1, .5, 1, 5, 15, 60, 300, 900, 3600}

// NewJobTimes returns histograms of nothing.
func NewJobTimes() *JobTimes {
	of := func(name, help string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "kappa", Name: name, Help: help, Buckets: timeBuckets, NativeHistogramBucketFactor: 1.2, NativeHistogramMaxBucketNumber: 160,
		}, []string{"lane", "job_type"})
	}
	return &JobTimes{
		wait: of("job_wait_seconds", "How long jobs waited for an attempt of this server since they could have been claimed."),
		run:  of("job_run_seconds", "How long attempts of this server ran that have ended."),
	}
}

// Ended counts an attempt.
func (j *JobTimes) Ended(a work.EndedAttempt) {
	j.wait.WithLabelValues(a.Lane, a.JobType).Observe(a.Waited.Seconds())
	j.run.WithLabelValues(a.Lane, a.JobType).Observe(a.Ran.Seconds())
}
