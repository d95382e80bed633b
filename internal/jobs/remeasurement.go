package jobs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/kappagraph/kappa"
)

// Measuring finds out the epistemic status of every relationship type; see
// vocabulary.Vocabulary.Measure.
type Measuring func(ctx context.Context, sampleSize int, store bool) (kappa.MeasuredVocabulary, error)

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
// sampled by one statement, which ends when the job is cancelled; it yields before and
// after it, and stores nothing in between.
func NewRemeasurement(measure Measuring, claims checkpointer, retry kappa.Retrying) kappa.JobType {
	return kappa.JobType{
		Name: kappa.TypeRemeasurement, Summary: "Measures how well the relationship types are grounded.", Lane: "maintenance",
		Schedulable: true, Retryable: true,
		Check: func(data json.RawMessage) error {
			_, err := readRemeasurement(data)
			return err
		},
		Handler: func(ctx context.Context, c kappa.Claim) (json.RawMessage, error) {
			data, err := readRemeasurement(c.Data)
			if err != nil {
				return nil, err
			}
			yield := func(percent int) error {
				return retry(ctx, "store a checkpoint", func(ctx context.Context) error {
					return claims.Checkpoint(ctx, c, kappa.Checkpoint{Progress: kappa.Progress{Stage: "measuring", Percent: percent}, Emit: true})
				})
			}
			if err := yield(0); err != nil {
				return nil, err
			}
			found, err := measure(ctx, data.SampleSize, data.Store)
			switch {
			case err != nil && ctx.Err() != nil:
				return nil, context.Cause(ctx)
			case err != nil:
				return nil, err
			}
			if err := yield(100); err != nil {
				return nil, err
			}
			return json.Marshal(remeasurementResult{true, len(found.Types), found.Stored, found.ByStatus, data.SampleSize})
		},
	}
}

// readRemeasurement returns the data of a job with its defaults filled in. It returns a
// CodeInvalid Error that names the rule that is broken.
func readRemeasurement(raw json.RawMessage) (remeasurementData, error) {
	data := remeasurementData{SampleSize: kappa.DefaultSampleSize, Store: true}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &data); err != nil {
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) && wrong.Field != "" {
				kinds := map[reflect.Kind]string{reflect.Int: "a whole number", reflect.Bool: "true or false"}
				return data, kappa.Invalid(dataField(wrong.Field, "must be "+cmp.Or(kinds[wrong.Type.Kind()], "text")+", got "+wrong.Value))
			}
			return data, kappa.Invalid(kappa.FieldError{In: "body", Name: "data", Rule: `must be an object such as {"sample_size": 100, "store": true}`})
		}
	}
	return data, kappa.CheckSampleSize("data.sample_size", data.SampleSize)
}
