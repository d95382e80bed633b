package lanes

import (
	"slices"
	"time"

	"github.com/kappagraph/kappa/work"
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
//
// It also knows the owners whose jobs were claimed last. A claim searches for the jobs of
// each of them, and between them for those of others: so all are found however many one
// of them has, and take turns.
type backlog struct {
	tokenFloor int64
	after      map[queuePart]work.ClaimPosition
	parts      []queuePart // of after, in the order in which they were claimed from
	served     []int       // owners, in the order in which they were served
	fullDue    time.Time   // until then claims begin where the last one ended
}

// mostParts is how many parts of the index a claim goes to one by one. Those of further
// owners are found between them.
const mostParts = 64

// queuePart is what has an order of its own in the index.
type queuePart struct {
	jobType  string
	priority int
	owner    int
}

// full reports whether the next claim is to scan the whole index.
func (b *backlog) full(now time.Time) bool { return !now.Before(b.fullDue) }

// request completes a request for the next claim.
func (b *backlog) request(r work.ClaimRequest, full bool) work.ClaimRequest {
	r.TokenFloor, r.Served = b.tokenFloor, slices.Clone(b.served)
	for _, part := range b.parts {
		p, known := b.after[part]
		if full || !known {
			p = work.ClaimPosition{JobType: part.jobType, Priority: part.priority, UserID: part.owner}
		}
		r.After = append(r.After, p)
	}
	return r
}

// claimed takes what a claim of so many jobs has returned, and how long it took. A full
// scan that was given all that it asked for may have left some behind that came back, in
// the parts that it took nothing from or after what it took: the next claims begin there.
func (b *backlog) claimed(batch work.ClaimBatch, full bool, asked int, began, ended time.Time) {
	b.tokenFloor = batch.TokenFloor
	if b.after == nil || full && len(batch.Claims) >= asked {
		b.after = map[queuePart]work.ClaimPosition{}
	}
	for _, c := range batch.Claims {
		part := queuePart{c.JobType, c.Position.Priority, c.Position.UserID}
		if last, ok := b.after[part]; !ok || last.Compare(c.Position) < 0 {
			b.after[part] = c.Position
		}
		b.parts = toEnd(b.parts, part)
		b.served = toEnd(b.served, part.owner)
	}
	for len(b.parts) > mostParts {
		delete(b.after, b.parts[0])
		b.parts = b.parts[1:]
	}
	b.served = b.served[max(0, len(b.served)-mostParts):]
	if took := ended.Sub(began); full && took > slowScan {
		b.fullDue = ended.Add(min((fullScanShare-1)*took, longestPartial))
	}
}

// toEnd puts an item at the end of a list that has each once.
func toEnd[T comparable](list []T, item T) []T {
	if n := len(list); n > 0 && list[n-1] == item {
		return list // as nearly always
	}
	if i := slices.Index(list, item); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	return append(list, item)
}
