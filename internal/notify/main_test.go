package notify

import (
	"log/slog"
	"os"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var quiet = slog.New(slog.DiscardHandler)
