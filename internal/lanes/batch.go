package lanes

import "sync/atomic"

// batch is the runs of one claim. They all run at the same time, but for jobs
// that are over at once a goroutine each would cost more than they do. So a
// goroutine works on one after the other; before it calls a handler it makes sure
// that another one is in reserve, which goes on with the rest as soon as the
// handler waits for something or a processor is free.
type batch struct {
	runs    []*run
	taken   atomic.Int64
	reserve atomic.Bool // a goroutine was started that has taken no run yet
}

// next takes a run, or nil when all are taken. When reinforce is true, nobody is
// in reserve for the others: the caller has to start a goroutine before it works
// on the run.
func (b *batch) next() (r *run, reinforce bool) {
	i := int(b.taken.Add(1)) - 1
	if i >= len(b.runs) {
		return nil, false
	}
	r, b.runs[i] = b.runs[i], nil // a run is not to be kept by one of its batch that takes long
	return r, i+1 < len(b.runs) && b.reserve.CompareAndSwap(false, true)
}
