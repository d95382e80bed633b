package main

import (
	"os"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// actAsKG makes the test program behave as kg: tests that kill a server run it
// as a process of its own.
const actAsKG = "KG_TEST_ACT_AS_KG"

func TestMain(m *testing.M) {
	if os.Getenv(actAsKG) != "" {
		os.Args = append([]string{"kg"}, os.Args[1:]...)
		main()
	}
	os.Exit(pgtest.Main(m))
}
