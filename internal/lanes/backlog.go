package lanes

import (
	"time"

	"github.com/kappagraph/kappa"
)

const (
	slowLook     = 5 * time.Millisecond // a claim that takes longer may have walked far
	lookShare    = 5                    // whole looks that are slow take at most one part in so many of the time
	longestBlind = time.Second          // between two whole looks
)

// backlog remembers how far a lane has claimed. A claim reads its index from the
// front, over the entries of claims that have ended; PostgreSQL removes those as
// it goes, but not while a transaction might see them. While an old one does,
// each claim is slower than the last, and a lane in full flow walks over the jobs
// of its last few claims. So after a look at the whole index that was slow, the
// next ones begin where the last one ended, or where another claimer of the lane
// has got to since. What comes in before that place, an older job that is approved
// late or tried again, waits for the next whole look: five times as long as one
// takes, and a second at most.
type backlog struct {
	tokenFloor int64
	after      map[place]kappa.ClaimPosition
	wholeDue   time.Time // until then looks begin where the last one ended
}

// place is what has an order of its own in the index.
type place struct {
	jobType  string
	priority int
}

// whole reports whether the next look is to be at the whole index.
func (b *backlog) whole(now time.Time) bool { return !now.Before(b.wholeDue) }

// request completes a request for the next look.
func (b *backlog) request(r kappa.ClaimRequest, whole bool) kappa.ClaimRequest {
	r.TokenFloor = b.tokenFloor
	if whole {
		return r
	}
	for _, p := range b.after {
		r.After = append(r.After, p)
	}
	return r
}

// note remembers what a look took, and how long it needed for it.
func (b *backlog) note(batch kappa.ClaimBatch, whole bool, began, ended time.Time) {
	b.tokenFloor = batch.TokenFloor
	if b.after == nil {
		b.after = map[place]kappa.ClaimPosition{}
	}
	for _, c := range batch.Claims {
		at := place{c.JobType, c.Position.Priority}
		if last, ok := b.after[at]; !ok || last.Compare(c.Position) < 0 {
			b.after[at] = c.Position
		}
	}
	if took := ended.Sub(began); whole && took > slowLook {
		b.wholeDue = ended.Add(min((lookShare-1)*took, longestBlind))
	}
}
