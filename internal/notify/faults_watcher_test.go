package notify

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/kappagraph/kappa/work"
)

const (
	faultWatchers = 130 // in each world, each of 2 to 6 jobs
	faultConsoles = 3   // watchers of all jobs besides
	replayPage    = 500
	openWithin    = 3 * time.Second
)

// watcher follows jobs to their ends, as a client does: on any server, with a
// connection that breaks at any moment, and on another from the last event that
// it has.
type watcher struct {
	*faultWorld
	rng     *rand.Rand
	jobs    int           // that it follows at a time
	pause   time.Duration // the longest that it is busy with something else
	records []*record
	figures watcherFigures
}

// visit is one connection of a watcher.
type visit struct {
	server *faultServer
	sub    work.Subscription
	jobs   map[string]*visited
	awake  time.Time // since when the watcher has been waiting for events
	ended  time.Time // zero while it lasts
}

// visited is one job on one connection.
type visited struct {
	*visit
	record *record
	began  time.Time // the history was read; what is committed from then on comes live
	base   int64     // last event of the history that was read
	live   int64     // last event that came live, 0 before
}

// run follows jobs until the world is calm, and the last ones to their ends.
func (v *watcher) run(ctx context.Context) {
	for ctx.Err() == nil && !v.calm.Load() {
		var open []*record
		for _, job := range v.board.pick(v.rng, v.jobs) {
			open = append(open, &record{job: job, from: -1})
		}
		v.records = append(v.records, open...)
		before := map[string]*visited{}
		for ctx.Err() == nil && len(open) > 0 {
			before = v.visit(ctx, open, before)
			open = unfinished(open)
			v.wait(ctx, upTo(v.rng, 200*time.Millisecond))
		}
		v.wait(ctx, upTo(v.rng, 20*time.Millisecond))
	}
}

func unfinished(records []*record) (open []*record) {
	for _, r := range records {
		if !r.over {
			open = append(open, r)
		}
	}
	return open
}

// visit makes one connection: it subscribes, reads the history after what it has,
// and takes what comes live. before is what it knew of the jobs when the last
// connection ended.
func (v *watcher) visit(ctx context.Context, open []*record, before map[string]*visited) map[string]*visited {
	c := &visit{server: v.server(v.rng), jobs: map[string]*visited{}}
	var err error
	if c.sub, err = c.server.hub.Subscribe(); err != nil {
		v.problem("subscribe on %s: %v", c.server.name, err)
		return before
	}
	defer c.sub.Close()
	for _, r := range open {
		j := &visited{visit: c, record: r}
		if err := v.begin(ctx, j, before[r.job]); err != nil {
			v.figures.refused++ // the database is away; the client comes back
			return before
		}
		c.jobs[r.job] = j
	}
	v.figures.visits++
	v.follow(ctx, c)
	c.ended = time.Now()
	return c.jobs
}

// begin watches a job and reads its history: at first as a snapshot or whole,
// and later from where the watcher was.
func (v *watcher) begin(ctx context.Context, j *visited, before *visited) error {
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	r := j.record
	if err := j.sub.Watch(ctx, r.job); err != nil {
		return err
	}
	var until int64
	var over bool
	err := j.server.store.pool.QueryRow(ctx, "SELECT event_seq, completed_at IS NOT NULL FROM kg_api.jobs WHERE job_id = $1", r.job).
		Scan(&until, &over)
	if err != nil {
		return err
	}
	if r.from < 0 {
		r.from = 0
		if v.rng.IntN(2) == 0 { // the snapshot shows the end, too
			r.from, r.over = until, over
		}
	}
	for r.last() < until {
		page, err := j.server.store.EventsOf(ctx, map[string]int64{r.job: r.last()}, replayPage)
		if err != nil {
			return err
		}
		for i := range page {
			e := &page[i]
			if e.Seq != r.last()+1 {
				v.problem("%s: the table has event %d after %d", r.job, e.Seq, r.last())
			}
			if before != nil && e.Seq > before.live {
				v.judge(before, e, before.ended)
			}
			r.add(e)
			v.figures.replayed++
		}
	}
	j.base, j.began = r.last(), time.Now()
	return nil
}

// follow takes what comes live until the connection breaks or there is no more
// to come.
func (v *watcher) follow(ctx context.Context, c *visit) {
	life := time.Hour
	if !v.keepsConnection && v.rng.IntN(3) > 0 {
		life = upTo(v.rng, 6*time.Second)
	}
	breaks := time.After(life)
	c.awake = time.Now()
	for c.unfinished() {
		select {
		case <-ctx.Done():
			return
		case <-breaks:
			return
		case <-c.sub.Ready():
		}
		if v.pause > 0 && v.rng.IntN(20) == 0 && !v.calm.Load() {
			v.wait(ctx, upTo(v.rng, v.pause))
			c.awake = time.Now()
			v.figures.pauses++
		}
		if !v.take(c) {
			return
		}
	}
}

// unfinished reports whether there is anything left to come.
func (c *visit) unfinished() bool {
	for _, j := range c.jobs {
		if !j.record.over {
			return true
		}
	}
	return false
}

// take takes what was collected, and reports whether the connection goes on.
// Now and then it breaks in the middle: what is left is lost, and so is what the
// watcher knew of it.
func (v *watcher) take(c *visit) bool {
	d := c.sub.Take()
	now := time.Now()
	lost := len(d.Events)
	if !v.keepsConnection && v.rng.IntN(100) == 0 {
		lost = v.rng.IntN(lost + 1)
	}
	for i, e := range d.Events {
		j := c.jobs[e.JobID]
		if j == nil {
			v.problem("%s, which is not watched, was delivered", e.JobID)
			continue
		}
		if e.Seq <= j.live {
			v.problem("%s: event %d came after event %d on one connection", e.JobID, e.Seq, j.live)
		}
		j.live = e.Seq
		if i < lost && e.Seq > j.base { // the history had the others
			v.judge(j, e, now)
			v.figures.take(j, e, now)
			j.record.add(e)
			v.delivered.Add(1)
		}
	}
	for _, job := range d.Gone {
		v.problem("%s is said to be gone", job)
	}
	if d.Ended {
		v.figures.ended++
	}
	return !d.Ended && lost == len(d.Events)
}
