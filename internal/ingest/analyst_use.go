package ingest

import (
	"context"
	"slices"
	"time"

	"github.com/kappagraph/kappa/work"
)

// When what was used is stored, by which all servers claim: as soon as it is worth
// mentioning, and otherwise now and then.
const (
	useWorth  = 500 * time.Millisecond // of one owner
	useStored = time.Second
)

// uses are how long the documents of owners have been analysed.
type uses struct {
	known   map[int]time.Duration // of late, as far as this server knows
	pending []work.AnalysisUse    // not stored yet
	since   time.Time             // when the first of those came
	worth   bool                  // one of those is worth mentioning
}

func newUses() uses { return uses{known: map[int]time.Duration{}} }

// claimed takes over what the claim of a document says of its owner.
func (u *uses) claimed(job work.PendingJob) {
	const most = 10_000 // owners, whose use is forgotten then: the next claim says it again
	if len(u.known) > most {
		clear(u.known)
	}
	u.known[job.Owner] = job.Used
	for _, p := range u.pending {
		if p.Owner == job.Owner {
			u.known[job.Owner] += p.Took
		}
	}
}

// of returns how long the documents of an owner have been analysed of late.
func (u *uses) of(owner int) time.Duration { return u.known[owner] }

// add counts the analysis of a document.
func (u *uses) add(owner int, took time.Duration) {
	u.known[owner] += took
	i := slices.IndexFunc(u.pending, func(p work.AnalysisUse) bool { return p.Owner == owner })
	if i < 0 {
		if i = len(u.pending); i == 0 {
			u.since = time.Now()
		}
		u.pending = append(u.pending, work.AnalysisUse{Owner: owner})
	}
	p := &u.pending[i]
	p.Documents, p.Took = p.Documents+1, p.Took+took
	u.worth = u.worth || p.Took >= useWorth
}

// flush stores what has been counted, when it is time. What cannot be stored is kept for the
// next time.
func (u *uses) flush(ctx context.Context, store func(ctx context.Context, uses []work.AnalysisUse) error) error {
	if len(u.pending) == 0 || !u.worth && time.Since(u.since) < useStored {
		return nil
	}
	if err := store(ctx, u.pending); err != nil {
		return err
	}
	u.pending, u.worth = nil, false
	return nil
}
