package lanes

import (
	"maps"
	"sync"

	"github.com/kappagraph/kappa"
)

// tally counts what the lanes of this process do. A lane's count outlives the
// lane, which comes and goes with leadership.
type tally struct {
	mu    sync.Mutex // guards lanes
	lanes map[string]*kappa.LaneCount
}

// claimed counts the jobs of a claim.
func (t *tally) claimed(lane string, jobs int) {
	if jobs == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.laneLocked(lane).Claims += int64(jobs)
}

// stale counts an attempt that has learnt that its claim is another's.
func (t *tally) stale(lane string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.laneLocked(lane).Stale++
}

// ended counts attempts whose ends the database has answered: with the job's
// status, or with nothing where the claim was stale.
func (t *tally) ended(runs []*run, outcomes []kappa.Outcome, statuses map[string]kappa.Status) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, r := range runs {
		count := t.laneLocked(r.claim.Lane)
		if status, stored := statuses[r.claim.JobID]; stored {
			count.Ended[attemptOutcome(status, outcomes[i])]++
		} else {
			count.Stale++
		}
	}
}

// attemptOutcome says how an attempt has ended whose job is in a status now.
func attemptOutcome(status kappa.Status, o kappa.Outcome) kappa.AttemptOutcome {
	switch {
	case status.Terminal():
		return kappa.AttemptOutcome(status)
	case o.CountRetry:
		return kappa.AttemptRetried
	}
	return kappa.AttemptReleased
}

func (t *tally) laneLocked(lane string) *kappa.LaneCount {
	count := t.lanes[lane]
	if count == nil {
		count = &kappa.LaneCount{Ended: map[kappa.AttemptOutcome]int64{}}
		if t.lanes == nil {
			t.lanes = map[string]*kappa.LaneCount{}
		}
		t.lanes[lane] = count
	}
	return count
}

// counts returns a copy.
func (t *tally) counts() map[string]kappa.LaneCount {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := make(map[string]kappa.LaneCount, len(t.lanes))
	for lane, count := range t.lanes {
		c := *count
		c.Ended = maps.Clone(count.Ended)
		counts[lane] = c
	}
	return counts
}
