package streams

import (
	"context"
	"errors"
	nethttp "net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/work"
)

const replayBatch = 500 // events read at a time

// jobs are what streams show.
type jobs interface {
	Job(ctx context.Context, id string) (work.Job, error)
	Jobs(ctx context.Context, f work.JobFilter) ([]work.Job, error)
}

// history is what streams read.
type history interface {
	// EventsAfter returns the events of a job with a number above seq, in order,
	// at most limit of them.
	EventsAfter(ctx context.Context, id string, seq int64, limit int) ([]work.Event, error)
	// JobsByIDs returns the jobs among ids that there are, in any order. It takes
	// up to work.MaxJobList ids.
	JobsByIDs(ctx context.Context, ids []string) ([]work.Job, error)
}

// hub hands out the events of jobs as they are committed. A hub that stops
// returns CodeUnavailable.
type hub interface {
	// Subscribe returns a subscription that watches no job yet.
	Subscribe() (work.Subscription, error)
	// SubscribeAll returns one that notifies of the jobs it does not watch, too, that
	// they changed.
	SubscribeAll() (work.Subscription, error)
}

func (a *API) registerStream(r *http.Router) {
	r.RegisterRaw(http.Route{
		Method: "GET", Path: "/jobs/{id}/stream", Permission: access.JobsRead, ByRow: true, Unrecorded: true, ID: "jobs.stream",
		Summary: "Follow a job as server-sent events", Credential: a.credential, Document: documentStream,
	}, a.serveStream)
}

func documentStream(op *huma.Operation) {
	text := &huma.Schema{Type: huma.TypeString}
	number := &huma.Schema{Type: huma.TypeInteger, Format: "int64"}
	op.Parameters = append([]*huma.Param{
		{Name: "id", In: "path", Required: true, Description: "The id of a job", Schema: text},
		{Name: "Last-Event-ID", In: "header", Description: "The number of the last event that was seen: what followed it comes", Schema: number},
		{Name: "last_event_id", In: "query", Description: "Instead of the header", Schema: number},
	}, credentialParams()...)
	http.Respond(op, "200", http.EventStreamType, "The events", text)
	http.Respond(op, "204", "", "The job is over and the client has seen its last event", nil)
}

// serveStream shows one job. It watches first and reads the job second, so that
// no event falls between them; those that the read contained are dropped by
// their numbers.
func (a *API) serveStream(c *gin.Context) error {
	id := c.Param("id")
	if !kappa.IsJobID(id) {
		return http.JobNotFound(id)
	}
	f, err := a.newFlow(c, access.JobsRead)
	if err != nil {
		return err
	}
	t := &stream{flow: f, id: id}
	return t.serve(c, t)
}

// stream shows one job to one client.
type stream struct {
	flow
	id   string // of the job
	last int64  // number of the last event that the client has
	sub  work.Subscription
}

// begin adds what comes before the live events: the job as it is, or the events
// that the client has missed. It ends the stream when there is nothing after
// that.
func (t *stream) begin(c *gin.Context) error {
	ctx := c.Request.Context()
	var err error
	if t.sub, err = t.api.cfg.Hub.Subscribe(); err != nil {
		return err
	}
	if err := t.sub.Watch(ctx, t.id); err != nil {
		return noJob(err, t.id)
	}
	job, err := http.PermittedJob(ctx, access.JobsRead, t.id, t.api.cfg.Jobs.Job)
	if err != nil {
		return err
	}
	seen, resumed := lastEventID(c.Request)
	switch {
	case resumed && job.Status.Terminal() && seen >= job.EventSeq:
		c.Status(nethttp.StatusNoContent)
		c.Writer.WriteHeaderNow()
		return errNothingNew
	case !resumed:
		return t.snapshot(job)
	case seen > job.EventSeq:
		return t.reset("ahead", job)
	}
	t.last = seen
	err = t.replay(ctx, job.EventSeq)
	if errors.Is(err, errPruned) || err == nil && job.Status.Terminal() { // its terminal event is not among those kept
		return t.reset("pruned", job)
	}
	return err
}

func (t *stream) ready() <-chan struct{} { return t.sub.Ready() }

func (t *stream) leave() {
	if t.sub != nil {
		t.sub.Close()
	}
}

// noJob says of a job that is not there what GET /jobs/{id} says.
func noJob(err error, id string) error {
	if kappa.ErrorCode(err) == kappa.CodeNotFound {
		return http.JobNotFound(id)
	}
	return err
}

// errNothingNew reports that the client was answered that there is nothing new.
var errNothingNew = errors.New("the client has seen the job to its end")

// errPruned reports that events are no longer kept.
var errPruned = errors.New("events are no longer kept")

// reset says that it is not possible to go on after what the client has seen,
// and starts again from the job as it is.
func (t *stream) reset(reason string, job work.Job) error {
	t.out.add(frame{event: "reset", data: http.EncodeJSON(map[string]string{"reason": reason})})
	return t.snapshot(job)
}

// snapshot shows the job as it is, and what follows from that.
func (t *stream) snapshot(job work.Job) error {
	t.last = job.EventSeq
	if job.Status.Terminal() {
		// Who loses the connection here has not seen the end.
		t.out.add(frame{id: t.last - 1, event: "snapshot", data: http.EncodeJSON(job)})
		t.out.add(terminalFrame(job))
		return endOver
	}
	t.out.add(frame{id: t.last, event: "snapshot", data: http.EncodeJSON(job)})
	if job.Progress != nil {
		t.out.add(frame{id: t.last, event: string(work.EventProgress), data: http.EncodeJSON(job.Progress)})
	}
	return nil
}

// terminalFrame is the last event of a job that is over.
func terminalFrame(job work.Job) frame {
	f := frame{id: job.EventSeq, event: string(job.Status)}
	switch job.Status {
	case work.StatusFailed:
		f.data = http.EncodeJSON(map[string]string{"error": http.Or(job.Error, "")})
	case work.StatusCancelled:
		f.data = http.EncodeJSON(map[string]string{"message": "Job was cancelled"})
	default:
		f.data = orEmpty(job.Result)
	}
	return f
}

// orEmpty returns a JSON value, {} instead of nothing or null.
func orEmpty(data []byte) []byte {
	if len(data) == 0 || string(data) == "null" {
		return []byte("{}")
	}
	return data
}

// replay sends the stored events up to the one numbered until. It returns
// errPruned when the next one is not there.
func (t *stream) replay(ctx context.Context, until int64) error {
	for t.last < until {
		page, err := t.api.cfg.Events.EventsAfter(ctx, t.id, t.last, replayBatch)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return errPruned
		}
		for i := range page {
			if page[i].Seq != t.last+1 {
				return errPruned
			}
			if err := t.event(&page[i]); err != nil {
				return err
			}
		}
		if err := t.push(nil); err != nil {
			return err
		}
	}
	return nil
}

// event adds an event, and ends the stream with a terminal one.
func (t *stream) event(e *work.Event) error {
	t.last = e.Seq
	t.out.addText(t.api.frames.of(e), string(e.Kind))
	if e.Kind.Terminal() {
		return endOver
	}
	return nil
}

// take adds the live events that the client does not have.
func (t *stream) take(context.Context) error {
	d := t.sub.Take()
	for _, e := range d.Events {
		if e.Seq <= t.last || e.JobID != t.id {
			continue
		}
		if err := t.event(e); err != nil {
			return err
		}
	}
	switch {
	case len(d.Gone) > 0:
		return t.end(endDeleted, "Job disappeared")
	case d.Ended:
		return t.sendAway(endBehind)
	}
	return nil
}
