package lanes

import (
	"context"
	"log/slog"
	"maps"
	"sync"

	"github.com/kappagraph/kappa/work"
)

// Rescues counts the jobs that this process takes back as the leader, over all of
// its terms. The zero value is ready to use, and nil counts nothing.
type Rescues struct {
	mu          sync.Mutex // guards what follows
	takenBack   map[string]int64
	quarantined int64
}

// add counts jobs that were taken back, which are in these statuses now. One of a
// lost worker that has failed is quarantined.
func (r *Rescues) add(why string, jobs map[string]work.Status) {
	if r == nil || len(jobs) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.takenBack == nil {
		r.takenBack = map[string]int64{}
	}
	r.takenBack[why] += int64(len(jobs))
	for _, status := range jobs {
		if why == work.TakenWorkerLost && status == work.StatusFailed {
			r.quarantined++
		}
	}
}

// report counts and logs jobs that were taken back.
func (r *Rescues) report(ctx context.Context, log *slog.Logger, why string, jobs map[string]work.Status) {
	r.add(why, jobs)
	for id, status := range jobs {
		log.WarnContext(ctx, "job taken back", "job", id, "status", status, "reason", why)
	}
}

// Counts returns how many jobs were taken back, by why, and how many of them were
// quarantined.
func (r *Rescues) Counts() (takenBack map[string]int64, quarantined int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.takenBack), r.quarantined
}
