package postgres_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// allExamples has a law checked with as many examples as rapid does: -rapid.checks, or 100.
const allExamples = math.MaxInt

// checkSome is [rapid.Check] with fewer examples, for laws whose examples take PostgreSQL long:
// rapid knows one number for all tests of a process. Once an example has failed, rapid makes
// it smaller with as many as it likes.
func checkSome(t *testing.T, examples int, law func(*rapid.T)) {
	t.Helper()
	begun, failed := 0, false
	rapid.Check(t, func(r *rapid.T) {
		if begun++; begun > examples && !failed {
			return
		}
		held := false
		defer func() { failed = failed || !held || r.Failed() }()
		law(r)
		held = true
	})
}
