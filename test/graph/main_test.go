package graph_test

import (
	"os"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
