package remote

import (
	"context"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// runLogs number the lines of a run's log.
type runLogs struct {
	begun bool
	last  int
}

const cutMark = " … (cut)"

// addLog adds lines to the log of a run, up to its limit.
func (r *run) addLog(ctx context.Context, store runs, lines []work.RunLogLine) error {
	if !r.logs.begun {
		last, err := store.LastLogLine(ctx, r.key)
		if err != nil {
			return err
		}
		r.logs.begun, r.logs.last = true, last
	}
	kept := lines[:0:0]
	for _, l := range lines {
		if r.logs.last >= wire.MaxLogLines {
			break
		}
		r.logs.last++
		l.Line = r.logs.last
		l.Level, l.Source, l.StepID, l.WorkerTime = cut(l.Level, 16), cut(l.Source, 16), cut(l.StepID, 64), cut(l.WorkerTime, 64)
		l.Message = storable(l.Message)
		if r.logs.last == wire.MaxLogLines {
			l.Message = "the log is full: what comes after this line is left out"
		}
		kept = append(kept, l)
	}
	if len(kept) == 0 {
		return nil
	}
	return store.AddLog(ctx, r.key, kept)
}
