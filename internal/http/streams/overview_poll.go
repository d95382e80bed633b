package streams

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// How a stream of many jobs finds the jobs that concern it.
const (
	maxListed     = 200  // jobs that it begins with
	maxShown      = 1000 // jobs that it follows at once; a lane's worth of them is far less
	maxPending    = 5000 // changed jobs that wait to be read
	maxRemembered = 4096 // jobs that are known not to matter any more
	pollPause     = 200 * time.Millisecond
	pollTries     = 5 // for a job that is not there: its notification may come a moment before it can be read
	pollTimeout   = 5 * time.Second
	pollRetry     = time.Second      // after one that failed
	clockLeeway   = 10 * time.Second // between the database and what is known of its clock
)

// memory remembers at least the last maxRemembered ids that were added.
type memory struct{ now, before map[string]struct{} }

func (m *memory) add(id string) {
	if m.now == nil || len(m.now) >= maxRemembered {
		m.now, m.before = map[string]struct{}{}, m.now
	}
	m.now[id] = struct{}{}
}

func (m *memory) has(id string) bool {
	_, now := m.now[id]
	_, before := m.before[id]
	return now || before
}

// listActive returns the newest of the selected jobs that are not over, and
// whether there are more. Named jobs are not among them.
func (o *overview) listActive(ctx context.Context) (ids []string, truncated bool, err error) {
	jobs, err := o.list(ctx, work.StatusPending, work.StatusAwaitingApproval, work.StatusApproved, work.StatusProcessing)
	if len(jobs) > maxListed {
		jobs, truncated = jobs[:maxListed], true
	}
	for _, job := range jobs {
		ids = append(ids, job.ID)
	}
	return ids, truncated, err
}

// listEnded returns the newest of the selected jobs that have ended since the
// stream began: their end may be among the messages that were lost.
func (o *overview) listEnded(ctx context.Context) (ids []string, err error) {
	jobs, err := o.list(ctx, "")
	for _, job := range jobs {
		if job.CompletedAt != nil && job.CompletedAt.After(o.since.Add(-clockLeeway)) {
			ids = append(ids, job.ID)
		}
	}
	return ids, err
}

// list returns the newest of the selected jobs of each status, the newest first,
// and one more than are shown if there is one.
func (o *overview) list(ctx context.Context, statuses ...work.Status) ([]work.Job, error) {
	var found []work.Job
	for _, ontology := range o.ontologies() {
		for _, status := range statuses {
			all := work.JobFilter{Ontology: ontology, Limit: maxListed + 1}
			if status != "" {
				all.Statuses = []work.Status{status}
			}
			filter, some := all.Narrow(o.open.principal)
			if !some {
				continue
			}
			jobs, err := o.api.cfg.Jobs.Jobs(ctx, filter)
			if err != nil {
				return nil, err
			}
			found = append(found, jobs...)
		}
	}
	newestFirst(found)
	// A job may have changed its status in between and be there twice.
	return slices.CompactFunc(found, func(a, b work.Job) bool { return a.ID == b.ID }), nil
}

// ontologies returns the ontologies to list, "" for all.
func (o *overview) ontologies() []string {
	if o.sel.allJobs {
		return []string{""}
	}
	return o.sel.ontologies
}

// collect records which jobs are to be read.
func (o *overview) collect(d work.Delivery) {
	if o.lanes != nil && (d.Resync || len(d.Changed) > 0) {
		o.api.lanes.changed.Wake()
	}
	if !o.sel.wantsChanges() {
		return
	}
	o.relist = o.relist || d.Resync
	for _, id := range d.Changed {
		if o.concerns(id) {
			o.pending[id] = 0
		}
	}
	if len(o.pending) > maxPending { // more than can be read: begin again
		clear(o.pending)
		o.relist = true
		o.opening(true)
	}
}

// concerns reports whether a job may have to be shown that is not.
func (o *overview) concerns(id string) bool {
	_, shown := o.shown[id]
	return !shown && !o.past.has(id)
}

// poll reads the jobs that were collected, a few times a second at most. What
// fails is done again later: it is no reason to end the stream.
func (o *overview) poll(ctx context.Context) {
	if len(o.pending) == 0 && !o.relist {
		return
	}
	if wait := time.Until(o.nextAt); wait > 0 {
		o.wakeAfter(wait)
		return
	}
	o.nextAt = time.Now().Add(pollPause)
	within, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	if err := o.pollNow(within); err != nil {
		o.nextAt = time.Now().Add(pollRetry + rand.N(pollRetry))
		o.api.cfg.Log.DebugContext(ctx, "jobs of a stream not read", "request", http.RequestID(ctx), "err", err)
	}
	if len(o.pending) > 0 || o.relist {
		o.wakeAfter(time.Until(o.nextAt))
	}
}

// wakeAfter wakes the stream after a time.
func (o *overview) wakeAfter(wait time.Duration) {
	if o.alarm == nil {
		o.alarm = time.AfterFunc(wait, o.open.wake.Wake)
		return
	}
	o.alarm.Reset(wait)
}

func (o *overview) stopAlarm() {
	if o.alarm != nil {
		o.alarm.Stop()
	}
}

// pollNow lists the jobs if messages were lost, and reads up to work.MaxJobList of
// those that were collected. It may be repeated after a failure.
func (o *overview) pollNow(ctx context.Context) error {
	if err := o.listJobs(ctx); err != nil {
		return err
	}
	var batch []string
	for id := range o.pending {
		if len(batch) < work.MaxJobList && o.concerns(id) {
			batch = append(batch, id)
		} else if !o.concerns(id) {
			delete(o.pending, id)
		}
	}
	found, err := o.readJobs(ctx, batch)
	if err != nil {
		return err
	}
	for _, id := range batch {
		if o.pending[id]++; found[id] || o.pending[id] >= pollTries {
			delete(o.pending, id)
		}
	}
	return nil
}

func (o *overview) listJobs(ctx context.Context) error {
	if !o.relist {
		return nil
	}
	active, truncated, err := o.listActive(ctx)
	if err != nil {
		return err
	}
	ended, err := o.listEnded(ctx)
	if err != nil {
		return err
	}
	o.relist = false
	if truncated {
		o.opening(true)
	}
	for _, id := range slices.Concat(active, ended) {
		o.pending[id] = 0
	}
	return nil
}

// readJobs shows those of the jobs that are selected. One that is not over is
// watched first and read after that, so that none of its events is missed. It
// returns which of them there are.
func (o *overview) readJobs(ctx context.Context, ids []string) (found map[string]bool, err error) {
	jobs, err := o.read(ctx, ids)
	if err != nil {
		return nil, err
	}
	found = make(map[string]bool, len(jobs))
	var live []string
	for _, job := range jobs {
		found[job.ID] = true
		switch {
		case !o.sel.matches(job) || o.open.principal.PermitRow(access.JobsRead, job.Row()) != nil:
			o.past.add(job.ID)
		case job.Status.Terminal():
			o.show(job)
		default:
			live = append(live, job.ID)
		}
	}
	if room := maxShown - len(o.shown); len(live) > room {
		live = live[:max(0, room)]
		o.opening(true)
	}
	if err := o.watch(ctx, live); ignoreNotFound(err) != nil {
		return nil, err
	}
	if jobs, err = o.read(ctx, live); err != nil {
		return nil, err
	}
	for _, job := range jobs {
		o.show(job)
	}
	return found, nil
}
