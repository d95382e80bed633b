package remote

import (
	"sync/atomic"

	"github.com/kappagraph/kappa/work"
)

// endings count the runs of a worker that have ended, until that is stored.
type endings struct{ completed, failed, late atomic.Int64 }

// count counts an end that was stored.
func (e *endings) count(status work.Status) {
	switch status {
	case work.StatusCompleted:
		e.completed.Add(1)
	case work.StatusFailed:
		e.failed.Add(1)
	default: // cancelled, or tried again
	}
}

// take returns the counts, and begins again.
func (e *endings) take() work.RemoteSeen {
	return work.RemoteSeen{Completed: e.completed.Swap(0), Failed: e.failed.Swap(0), Late: e.late.Swap(0)}
}

// putBack adds counts that could not be stored.
func (e *endings) putBack(seen work.RemoteSeen) {
	e.completed.Add(seen.Completed)
	e.failed.Add(seen.Failed)
	e.late.Add(seen.Late)
}
