package jobs

import (
	"context"
	"time"

	"github.com/kappagraph/kappa/knowledge/vocabulary"
	"github.com/kappagraph/kappa/work"
)

// Measuring finds out the epistemic status of every relationship type; see
// vocabulary.Vocabulary.MeasureEach.
type Measuring func(ctx context.Context, sampleSize int, store bool, each func(done, of int) error) (vocabulary.Measured, error)

// remeasurementData is the data of a job of the type epistemic_remeasurement.
type remeasurementData struct {
	SampleSize int  `json:"sample_size"`
	Store      bool `json:"store"`
}

// remeasurementResult is its result.
type remeasurementResult struct {
	Success         bool           `json:"success"`
	TotalTypes      int            `json:"total_types"`
	Stored          int            `json:"stored"`
	Classifications map[string]int `json:"classifications"` // how many types have each status
	SampleSize      int            `json:"sample_size"`
}

// NewRemeasurement returns the job type epistemic_remeasurement: it measures the
// relationship types as POST /vocabulary/epistemic-status/measure does. All types are
// sampled as of one moment, by statements that end when the job is cancelled; it yields
// after every type, and stores all statuses at once at the end. So nothing is left half
// measured, and an attempt after one that was interrupted measures all of them anew.
func NewRemeasurement(measure Measuring, claims checkpointer, retry work.Retrying) work.JobType {
	read := dataOf(remeasurementData{SampleSize: vocabulary.DefaultSampleSize, Store: true}, `{"sample_size": 100, "store": true}`, func(data remeasurementData) error {
		return vocabulary.CheckSampleSize("data.sample_size", data.SampleSize)
	})
	return typed(work.JobType{
		Name: vocabulary.TypeRemeasurement, Summary: "Measures how well the relationship types are grounded.", Lane: "maintenance",
		Schedulable: true, Retryable: true,
	}, read, func(ctx context.Context, c work.Claim, data remeasurementData) (any, error) {
		var emitted time.Time
		found, err := measure(ctx, data.SampleSize, data.Store, func(done, of int) error {
			p := work.Checkpoint{Progress: work.Progress{Stage: "measuring", Percent: 100 * done / max(1, of), ItemsProcessed: done, ItemsTotal: of}}
			if now := time.Now(); done == of || now.Sub(emitted) >= time.Second/work.ProgressPerSecond {
				p.Emit, emitted = true, now
			}
			return retry(ctx, "store a checkpoint", func(ctx context.Context) error { return claims.Checkpoint(ctx, c, p) })
		})
		return remeasurementResult{true, len(found.Types), found.Stored, found.ByStatus, data.SampleSize}, err
	})
}
