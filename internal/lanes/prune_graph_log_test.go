package lanes

import (
	"context"
	"errors"
	"testing"
	"time"
)

// fakeGraphLog has rows below the floor.
type fakeGraphLog struct {
	rows, batches int
	keep          time.Duration
	err           error
}

func (f *fakeGraphLog) AdvanceGraphLog(_ context.Context, _ int64, keep time.Duration) error {
	f.keep = keep
	return f.err
}

func (f *fakeGraphLog) PruneGraphLog(_ context.Context, _ int64, most int) (int, error) {
	f.batches++
	n := min(most, f.rows)
	f.rows -= n
	return n, nil
}

func TestGraphLog(t *testing.T) {
	t.Parallel()
	f := &fakeGraphLog{rows: 2*graphLogBatch + 1}
	g := NewGraphLog(GraphLogConfig{Store: f, Log: quiet})
	if err := g.runOnce(t.Context(), 1); err != nil || f.rows != 0 || f.batches != 3 || f.keep != graphLogKeep {
		t.Errorf("%v, %+v", err, f)
	}
	f.err, f.rows = errors.New("deposed"), 1
	if err := g.runOnce(t.Context(), 1); !errors.Is(err, f.err) || f.rows != 1 {
		t.Errorf("who leads no longer deletes: %v, %+v", err, f)
	}
}
