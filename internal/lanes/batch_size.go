package lanes

import "github.com/kappagraph/kappa/work"

const (
	maxClaim   = 2000 // jobs in one claim
	smallBatch = 100  // jobs, below which the statement costs more than the jobs in it
)

// batchSize says how many of its free slots a lane claims for at once. A lane with
// many slots claims for half of them, so that the next jobs are claimed while the
// outcomes of these are stored. Each claim that fails halves the next one, down to
// the slots that a lane may have without MAX_LANE_SLOTS: a database that is too slow
// for many jobs at once can manage a few.
type batchSize struct {
	limit int // after a failure; 0 is none
}

// of returns how many jobs to claim for a number of free slots, which is not 0.
func (b *batchSize) of(slots, free int) int {
	most := min(free, max(slots/2, smallBatch), maxClaim)
	if b.limit > 0 {
		most = min(most, b.limit)
	}
	return most
}

// claimed says how a claim of so many jobs went.
func (b *batchSize) claimed(most int, err error) {
	switch {
	case err != nil:
		b.limit = max(most/2, work.DefaultMaxLaneSlots)
	case b.limit > 0:
		b.limit *= 2
		if b.limit >= maxClaim {
			b.limit = 0
		}
	}
}
