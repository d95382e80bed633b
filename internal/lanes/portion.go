package lanes

import "github.com/kappagraph/kappa"

const (
	maxClaim = 2000 // jobs in one claim
	fewJobs  = 100  // in a claim: with less, what it takes besides the jobs counts
)

// portion says for how many of the free slots a lane claims at once. A lane with
// many slots claims for half of them, so that the next jobs come while the ends of
// these are stored. After a claim that failed the next one is half as large, down
// to what a lane has without MAX_LANE_SLOTS: a database that is too slow for many
// at once gets on with few.
type portion struct {
	limit int // after a failure; 0 is none
}

// of returns how many jobs to claim for a number of free slots, which is not 0.
func (p *portion) of(slots, free int) int {
	most := min(free, max(slots/2, fewJobs), maxClaim)
	if p.limit > 0 {
		most = min(most, p.limit)
	}
	return most
}

// note notes how a claim for so many jobs went.
func (p *portion) note(most int, err error) {
	switch {
	case err != nil:
		p.limit = max(most/2, kappa.DefaultMaxLaneSlots)
	case p.limit > 0:
		p.limit *= 2
		if p.limit >= maxClaim {
			p.limit = 0
		}
	}
}
