package pgtest

import (
	"os"
	"testing"
)

// SlowTier skips a test that takes too long for every change: make test-slow and
// make test-all run it, and so does the continuous integration. Whoever calls it is a
// test whose name ends in _Slow, so that the slow tier alone can be run.
func SlowTier(tb testing.TB) {
	tb.Helper()
	if os.Getenv("KG_TEST_SLOW") == "" {
		tb.Skip("slow tier: run make test-all")
	}
}
