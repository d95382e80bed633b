package jobs

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa"
)

// testLane is where the test types run.
const testLane = "interactive"

// Noop returns the test type noop, which does nothing.
func Noop() kappa.JobType {
	return kappa.JobType{
		Name: kappa.TypeNoop, Summary: "Does nothing.", Lane: testLane, Schedulable: true, Retryable: true,
		Handler: func(context.Context, kappa.Claim) (json.RawMessage, error) { return json.RawMessage(`{}`), nil },
	}
}
