package pgtest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package and returns the exit code, for its TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
//
// It ends the cluster of the test process afterwards and fails when a goroutine
// is left over that none of the options allows.
func Main(m *testing.M, options ...goleak.Option) int {
	s := &shared{}
	process.Store(s)
	code := m.Run()
	if err := s.stop(context.Background()); err != nil {
		fmt.Fprintf(os.Stderr, "pgtest: stop the test cluster: %v\n", err)
		code = max(code, 1)
	}
	if code != 0 {
		return code
	}
	if err := goleak.Find(options...); err != nil {
		fmt.Fprintf(os.Stderr, "pgtest: goroutines are left over: %v\n", err)
		return 1
	}
	return 0
}
