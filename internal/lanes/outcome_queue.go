package lanes

import (
	"context"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
)

// A statement by itself costs about as much as fifteen outcomes do in it, so a
// second one beside the first has to bring several times as many. Two keep the
// database at work while the answer to one of them is read.
const (
	maxFinish    = 2000                 // outcomes in one statement
	maxGroups    = 2                    // statements at a time, on a connection each
	secondGroup  = 100                  // outcomes for which a second statement is worth while
	finishBusy   = 5 * time.Millisecond // since the last statement: there is traffic
	finishLinger = time.Millisecond     // for more outcomes, while there is traffic
)

// outcomeQueue holds ended attempts until they are stored, and decides when a
// group of them is due. A group is of one worker, and of one job only one outcome
// is on its way at a time.
type outcomeQueue struct {
	wake kappa.Waker // what was waited for may have come

	mu      sync.Mutex          // guards what follows
	atWork  int                 // attempts whose outcomes are still to come
	waiting []*run              // in the order in which they came
	enough  int                 // with so many waiting, next is woken
	until   time.Time           // when waiting for more ends; zero when it has not begun
	groups  int                 // on their way
	last    time.Time           // when the last of them was stored
	jobs    map[string]struct{} // whose outcomes wait or are on their way
	doubles []*run              // other attempts at those jobs
	closed  bool
}

func newOutcomeQueue() *outcomeQueue {
	return &outcomeQueue{wake: kappa.NewWaker(), enough: 1, jobs: map[string]struct{}{}}
}

// expect says that attempts begin, each of which is to be added or dismissed.
func (q *outcomeQueue) expect(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.atWork += n
}

// dismiss says that an attempt ends without an outcome.
func (q *outcomeQueue) dismiss() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.atWork--
	if q.atWork == 0 {
		q.wake.Wake()
	}
}

// add queues an ended attempt. It reports false when nothing is stored any more.
func (q *outcomeQueue) add(r *run) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.atWork--
	if q.closed {
		return false
	}
	q.addLocked(r)
	if len(q.waiting) >= q.enough || q.atWork == 0 {
		q.wake.Wake()
	}
	return true
}

func (q *outcomeQueue) addLocked(r *run) {
	if _, double := q.jobs[r.claim.JobID]; double {
		q.doubles = append(q.doubles, r)
		return
	}
	q.jobs[r.claim.JobID] = struct{}{}
	q.waiting = append(q.waiting, r)
}

// next waits until a group is due and appends it to runs. It returns none when
// ctx has ended. The group is on its way until stored is called.
func (q *outcomeQueue) next(ctx context.Context, runs []*run) []*run {
	for ctx.Err() == nil {
		group, wait := q.take(time.Now(), runs)
		if len(group) > 0 {
			return group
		}
		var over <-chan time.Time
		if wait > 0 {
			over = time.After(wait)
		}
		select {
		case <-ctx.Done():
		case <-q.wake.C():
		case <-over:
		}
	}
	return runs
}

// take takes a group that is due, or says how long to wait at most, where 0 is
// until woken. Without traffic a group is due at once. Under traffic it waits a
// moment as long as other attempts are at work: jobs that were claimed together
// often end together, and a slot that is freed alone is claimed alone.
func (q *outcomeQueue) take(now time.Time, runs []*run) (group []*run, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	need := 1
	if q.groups > 0 {
		need = secondGroup
	}
	if len(q.waiting) < need {
		q.enough, q.until = need, time.Time{}
		return nil, 0
	}
	busy := q.groups > 0 || now.Sub(q.last) < finishBusy
	if q.until.IsZero() && busy {
		q.until = now.Add(finishLinger)
	}
	if len(q.waiting) < maxFinish && q.atWork > 0 && now.Before(q.until) {
		q.enough = maxFinish
		return nil, q.until.Sub(now)
	}
	q.until = time.Time{}
	q.groups++
	return q.takeLocked(runs), 0
}

// takeLocked takes what waits of the worker who has waited longest.
func (q *outcomeQueue) takeLocked(runs []*run) []*run {
	worker := q.waiting[0].claim.Worker
	rest := q.waiting[:0]
	for _, r := range q.waiting {
		if len(runs) < maxFinish && r.claim.Worker == worker {
			runs = append(runs, r)
		} else {
			rest = append(rest, r)
		}
	}
	clear(q.waiting[len(rest):])
	q.waiting = rest
	return runs
}

// stored says that a group is not on its way any more.
func (q *outcomeQueue) stored(group []*run) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range group {
		delete(q.jobs, r.claim.JobID)
	}
	doubles := q.doubles
	q.doubles = nil
	for _, r := range doubles {
		q.addLocked(r)
	}
	q.groups--
	q.last = time.Now()
	q.wake.Wake()
}

// close returns what waits; nothing can be added any more.
func (q *outcomeQueue) close() []*run {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	rest := append(q.waiting, q.doubles...)
	q.waiting, q.doubles = nil, nil
	return rest
}
