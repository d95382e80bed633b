package jobs

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa/work"
)

// testLane is where the test types run.
const testLane = "interactive"

// Noop returns the test type noop, which does nothing.
func Noop() work.JobType {
	return work.JobType{
		Name: work.TypeNoop, Summary: "Does nothing.", Lane: testLane, Schedulable: true, Retryable: true,
		Handler: func(context.Context, work.Claim) (json.RawMessage, error) { return json.RawMessage(`{}`), nil },
	}
}
