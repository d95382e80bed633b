package ingest

import (
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa/corpus"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testLog writes to t's log.
func testLog(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}

// smallOptions cut often, so that short texts have several chunks.
func smallOptions() corpus.ChunkOptions {
	return corpus.ChunkOptions{TargetWords: 10, MinWords: 8, MaxWords: 15, OverlapWords: 4}
}
