package lanes

import (
	"maps"
	"sync"

	"github.com/kappagraph/kappa/work"
)

// counts counts what the lanes of this process do. A lane's count outlives the
// lane, which comes and goes with leadership.
type counts struct {
	mu    sync.Mutex // guards lanes
	lanes map[string]*work.LaneCount
}

// claimed counts the jobs of a claim.
func (c *counts) claimed(lane string, jobs int) {
	if jobs == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.laneLocked(lane).Claims += int64(jobs)
}

// stale counts an attempt that was given up because its claim was gone.
func (c *counts) stale(lane string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.laneLocked(lane).Stale++
}

// ended counts attempts that the database has answered for: with the job's status,
// or with nothing where the claim was stale.
func (c *counts) ended(runs []*run, outcomes []work.Outcome, statuses map[string]work.Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, r := range runs {
		count := c.laneLocked(r.claim.Lane)
		if status, stored := statuses[r.claim.JobID]; stored {
			count.Ended[attemptOutcome(status, outcomes[i])]++
		} else {
			count.Stale++
		}
	}
}

// attemptOutcome says how an attempt has ended whose job is in a status now.
func attemptOutcome(status work.Status, o work.Outcome) work.AttemptOutcome {
	switch {
	case status.Terminal():
		return work.AttemptOutcome(status)
	case o.CountRetry:
		return work.AttemptRetried
	}
	return work.AttemptReleased
}

func (c *counts) laneLocked(lane string) *work.LaneCount {
	count := c.lanes[lane]
	if count == nil {
		count = &work.LaneCount{Ended: map[work.AttemptOutcome]int64{}}
		if c.lanes == nil {
			c.lanes = map[string]*work.LaneCount{}
		}
		c.lanes[lane] = count
	}
	return count
}

// copy returns the counts by lane.
func (c *counts) copy() map[string]work.LaneCount {
	c.mu.Lock()
	defer c.mu.Unlock()
	lanes := make(map[string]work.LaneCount, len(c.lanes))
	for lane, count := range c.lanes {
		copied := *count
		copied.Ended = maps.Clone(count.Ended)
		lanes[lane] = copied
	}
	return lanes
}
