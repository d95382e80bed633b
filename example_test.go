package kappa_test

import (
	"errors"
	"fmt"

	"github.com/kappagraph/kappa"
)

// An error for the caller has a code, and a message that may be shown.
func ExampleInvalid() {
	err := fmt.Errorf("list jobs: %w", kappa.Invalid(kappa.FieldError{In: "query", Name: "limit", Rule: "must be at least 1, got 0"}))
	fmt.Println(kappa.ErrorCode(err), kappa.ErrorMessage(err))
	// Output: invalid limit: must be at least 1, got 0
}

// What a retry cannot help is said where that is known, and asked where it is decided.
func ExamplePermanent() {
	err := errors.New("no such file")
	fmt.Println(kappa.Retryable(err), kappa.Retryable(kappa.Permanent(err)))
	// Output: true false
}

func ExampleCursor() {
	c := kappa.Cursor{List: kappa.ListJobs, Keys: []int64{42}}
	back, ok := kappa.ParseCursor(kappa.ListJobs, c.String(), kappa.JobKeys)
	fmt.Println(back.Keys, ok)
	_, ok = kappa.ParseCursor(kappa.ListAudit, c.String(), kappa.AuditKeys)
	fmt.Println(ok)
	// Output:
	// [42] true
	// false
}
