package streams

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

// overview shows many jobs, and lanes, to one client. Each change of a job that
// it shows comes once and in order; after a loss of messages it reads the
// jobs again.
type overview struct {
	flow
	sel   selection
	sub   work.Subscription
	lanes *laneView // nil when no lanes are shown

	since   time.Time
	shown   map[string]int64 // of each watched job, the number that the client has
	past    memory           // jobs that were shown to their end, or that are none of ours
	pending map[string]int   // jobs to be read: how often they were not there
	relist  bool             // list the jobs, too
	nextAt  time.Time        // when to poll again at the earliest
	alarm   *time.Timer      // wakes the stream at nextAt; nil when nothing waits
}

// begin adds what the client sees first. Nothing is sent before all of it is
// known.
func (o *overview) begin(c *gin.Context) (err error) {
	subscribe := o.api.cfg.Hub.Subscribe
	if o.sel.wantsChanges() || o.sel.wantsLanes() {
		subscribe = o.api.cfg.Hub.SubscribeAll
	}
	if o.sub, err = subscribe(); err != nil {
		return err
	}
	if o.sel.wantsLanes() {
		o.lanes = o.api.lanes.join(o.sel, o.open.wake.Wake)
	}
	return o.first(c.Request.Context())
}

func (o *overview) ready() <-chan struct{} { return o.sub.Ready() }

func (o *overview) leave() {
	o.stopAlarm()
	if o.lanes != nil {
		o.api.lanes.leave(o.lanes)
	}
	if o.sub != nil {
		o.sub.Close()
	}
}

// first adds what the client sees first.
func (o *overview) first(ctx context.Context) error {
	others, truncated, err := o.listActive(ctx)
	if err != nil {
		return err
	}
	if err := o.watch(ctx, o.sel.jobs); err != nil {
		return err
	}
	others = slices.DeleteFunc(others, func(id string) bool { return slices.Contains(o.sel.jobs, id) })
	if err := o.watch(ctx, others); ignoreNotFound(err) != nil {
		return err
	}
	jobs, err := o.read(ctx, slices.Concat(o.sel.jobs, others))
	if err != nil {
		return err
	}
	for _, id := range o.sel.jobs {
		if !slices.ContainsFunc(jobs, func(j work.Job) bool { return j.ID == id }) {
			return http.JobNotFound(id) // deleted a moment ago
		}
	}
	for _, job := range jobs {
		if err := o.open.principal.PermitFound(access.JobsRead, job.Row(), http.JobNotFound(job.ID)); err != nil {
			return err
		}
	}
	o.opening(truncated)
	for _, job := range jobs {
		if !job.Status.Terminal() || slices.Contains(o.sel.jobs, job.ID) {
			o.show(job)
		}
	}
	if o.lanes == nil {
		return nil
	}
	return o.firstLanes(ctx)
}

// opening says that the stream begins, or that it shows less than there is.
func (o *overview) opening(truncated bool) {
	o.out.add(frame{event: "ready", data: http.EncodeJSON(map[string]bool{"truncated": truncated})})
}

// show adds a job as it is, which is not shown yet. One that is over is watched
// no more.
func (o *overview) show(job work.Job) {
	o.add("snapshot", job.ID, job.EventSeq, http.EncodeJSON(job))
	o.shown[job.ID] = job.EventSeq
	if job.Status.Terminal() {
		o.forget(job.ID)
	}
}

// forget ends the watch of a job that will not change any more.
func (o *overview) forget(id string) {
	o.sub.Unwatch(id)
	delete(o.shown, id)
	o.past.add(id)
}

// add adds an event of a job.
func (o *overview) add(event, jobID string, seq int64, payload []byte) {
	data := make([]byte, 0, len(payload)+64)
	data = append(data, `{"job_id":"`...)
	data = append(data, jobID...) // of job and hexadecimal digits
	data = append(data, `","seq":`...)
	data = strconv.AppendInt(data, seq, 10)
	data = append(data, `,"data":`...)
	data = append(data, orEmpty(payload)...)
	o.out.add(frame{event: event, data: append(data, '}')})
}

// take adds what has come since the last time.
func (o *overview) take(ctx context.Context) error {
	d := o.sub.Take()
	for _, e := range d.Events {
		o.forward(e)
	}
	for _, id := range d.Gone {
		o.gone(id)
	}
	o.collect(d)
	o.addLanes()
	if d.Ended {
		return o.sendAway(endBehind)
	}
	o.poll(ctx)
	return nil
}

// forward adds a live event that the client does not have. A job that is
// watched and not shown yet will be shown as it is then.
func (o *overview) forward(e *work.Event) {
	if o.lanes != nil && e.Kind != work.EventProgress {
		o.api.lanes.changed.Wake()
	}
	last, shown := o.shown[e.JobID]
	if !shown || e.Seq <= last {
		return
	}
	o.shown[e.JobID] = e.Seq
	o.add(string(e.Kind), e.JobID, e.Seq, e.Payload)
	if e.Kind.Terminal() {
		o.forget(e.JobID)
	}
}

// gone says that a job was deleted.
func (o *overview) gone(id string) {
	delete(o.pending, id)
	if _, shown := o.shown[id]; !shown {
		return
	}
	delete(o.shown, id)
	o.past.add(id)
	o.out.add(frame{event: "error", data: http.EncodeJSON(goneJob{JobID: id, Data: map[string]string{"error": "Job disappeared"}})})
}

type goneJob struct {
	JobID string            `json:"job_id"`
	Data  map[string]string `json:"data"`
}

// ignoreNotFound returns err unless it says that something is not there.
func ignoreNotFound(err error) error {
	if kappa.ErrorCode(err) == kappa.CodeNotFound {
		return nil
	}
	return err
}

// watch watches jobs. It names all of them that are not there in one
// CodeNotFound Error.
func (o *overview) watch(ctx context.Context, ids []string) error {
	var missing []string
	for _, id := range ids {
		err := o.sub.Watch(ctx, id)
		if ignoreNotFound(err) != nil {
			return err
		}
		if err != nil {
			missing = append(missing, id)
		}
	}
	if len(missing) > 0 {
		return kappa.NewError(kappa.CodeNotFound, "Job not found: "+strings.Join(missing, ", "))
	}
	return nil
}

// read returns the jobs among ids, the newest first.
func (o *overview) read(ctx context.Context, ids []string) ([]work.Job, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	jobs, err := o.api.cfg.Events.JobsByIDs(ctx, ids)
	newestFirst(jobs)
	return jobs, err
}

func newestFirst(jobs []work.Job) {
	slices.SortFunc(jobs, func(a, b work.Job) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt.Time), cmp.Compare(a.ID, b.ID))
	})
}
