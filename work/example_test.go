package work_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func ExampleStatus_CanBecome() {
	fmt.Println(work.StatusApproved.CanBecome(work.StatusProcessing))
	fmt.Println(work.StatusCompleted.CanBecome(work.StatusProcessing))
	// Output:
	// true
	// false
}

// An attempt that fails is tried again, until its job has no retries left.
func ExampleConclude() {
	claim := work.Claim{Retries: 0, MaxRetries: 3}
	o := work.Conclude(context.Background(), claim, nil, errors.New("the network is away"), 0.5)
	fmt.Println(o.Status, o.RunAt.Round(time.Second))
	o = work.Conclude(context.Background(), claim, nil, kappa.Permanent(errors.New("no such file")), 0.5)
	fmt.Println(o.Status, o.Error)
	// Output:
	// approved 1s
	// failed no such file
}

func ExampleParseStatus() {
	_, err := work.ParseStatus("done")
	fmt.Println(kappa.ErrorCode(err))
	// Output: invalid
}
