package lanes

import (
	"time"

	"github.com/kappagraph/kappa"
)

const (
	slowScan       = 5 * time.Millisecond // a claim that takes longer may have stepped over many dead entries
	fullScanShare  = 5                    // full scans that are slow take at most one part in so many of the time
	longestPartial = time.Second          // between two full scans
)

// backlog says where in the claim index the next claim begins. A claim scans the
// index from the front, over the entries of claims that have ended; PostgreSQL
// removes those as it goes, but not while a transaction might see them. While an old
// transaction does, each claim is slower than the last, and a busy lane steps over
// the jobs of its last few claims. So after a full scan that was slow, the next
// claims begin where the last one ended, or where another claimer of the lane has got
// to since. What comes in before that place, an older job that is approved late or
// retried, waits for the next full scan: five times as long as one takes, and a
// second at most.
type backlog struct {
	tokenFloor int64
	after      map[queuePart]kappa.ClaimPosition
	fullDue    time.Time // until then claims begin where the last one ended
}

// queuePart is what has an order of its own in the index.
type queuePart struct {
	jobType  string
	priority int
}

// full reports whether the next claim is to scan the whole index.
func (b *backlog) full(now time.Time) bool { return !now.Before(b.fullDue) }

// request completes a request for the next claim.
func (b *backlog) request(r kappa.ClaimRequest, full bool) kappa.ClaimRequest {
	r.TokenFloor = b.tokenFloor
	if full {
		return r
	}
	for _, p := range b.after {
		r.After = append(r.After, p)
	}
	return r
}

// claimed takes what a claim has returned, and how long it took.
func (b *backlog) claimed(batch kappa.ClaimBatch, full bool, began, ended time.Time) {
	b.tokenFloor = batch.TokenFloor
	if b.after == nil {
		b.after = map[queuePart]kappa.ClaimPosition{}
	}
	for _, c := range batch.Claims {
		part := queuePart{c.JobType, c.Position.Priority}
		if last, ok := b.after[part]; !ok || last.Compare(c.Position) < 0 {
			b.after[part] = c.Position
		}
	}
	if took := ended.Sub(began); full && took > slowScan {
		b.fullDue = ended.Add(min((fullScanShare-1)*took, longestPartial))
	}
}
