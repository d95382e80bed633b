package http

import (
	"context"
	"errors"
	nethttp "net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
)

const replayBatch = 500 // events read at a time

// history keeps the events of jobs.
type history interface {
	// EventsAfter returns the events of a job with a number above seq, in order,
	// at most limit of them.
	EventsAfter(ctx context.Context, id string, seq int64, limit int) ([]kappa.Event, error)
}

// hub hands out the events of a job as they are committed.
type hub interface {
	Subscribe(ctx context.Context, jobID string) (kappa.Subscription, error)
}

// The ends of a stream that are not failures.
var (
	errStreamOver = errors.New("the stream is over")
	errPruned     = errors.New("events are no longer kept")
)

func (s *Server) registerStream() {
	s.registerRaw(route{
		method: "GET", path: "/jobs/{id}/stream", permission: jobsRead, id: "jobs.stream",
		summary: "Follow a job as server-sent events", queryToken: true, document: documentStream,
	}, s.serveStream)
}

func documentStream(op *huma.Operation) {
	text := &huma.Schema{Type: huma.TypeString}
	number := &huma.Schema{Type: huma.TypeInteger, Format: "int64"}
	op.Description = "Events: snapshot, status, progress, completed, failed, cancelled, error and keepalive. " +
		"The id is the number of the job's event; send the last one seen as Last-Event-ID to go on after it."
	op.Parameters = []*huma.Param{
		{Name: "id", In: "path", Required: true, Schema: text},
		{Name: "Last-Event-ID", In: "header", Schema: number},
		{Name: "last_event_id", In: "query", Description: "Instead of the header", Schema: number},
		{Name: "token", In: "query", Description: "The bearer token, for clients that cannot send headers", Schema: text},
		{Name: "access_token", In: "query", Description: "The same as token", Schema: text},
	}
	respond(op, "200", "text/event-stream", "The events", text)
	respond(op, "204", "", "The job is over and the client has seen its last event", nil)
}

// serveStream subscribes first and reads the job second, so that no event falls
// between them; those that the read contained are dropped from the subscription
// by their numbers.
func (s *Server) serveStream(c *gin.Context) error {
	id, ctx := c.Param("id"), c.Request.Context()
	if !kappa.IsJobID(id) {
		return errNoJob(id)
	}
	sub, err := s.cfg.Hub.Subscribe(ctx, id)
	if err != nil {
		return err
	}
	defer sub.Close()
	job, err := s.cfg.Jobs.Job(ctx, id)
	if err != nil {
		return err
	}
	seen, resumed := lastEventID(c.Request)
	if resumed && job.Status.Terminal() && seen >= job.EventSeq {
		c.Status(nethttp.StatusNoContent)
		c.Writer.WriteHeaderNow()
		return nil
	}
	t := &stream{server: s, id: id, bearer: exchangeOf(ctx).bearer, out: openFrames(c, s.cfg.Limits.StreamWrite)}
	if !resumed || seen > job.EventSeq {
		err = t.snapshot(job)
	} else {
		err = t.resume(ctx, job, seen)
	}
	if err == nil {
		err = t.follow(ctx, sub.Events)
	}
	if err != nil && !errors.Is(err, errStreamOver) && ctx.Err() == nil {
		s.log.InfoContext(ctx, "stream cut", "request", exchangeOf(ctx).id, "job", id, "err", err)
	}
	return nil
}

// stream shows one job to one client.
type stream struct {
	server *Server
	id     string // of the job
	bearer string
	out    *frameWriter
	last   int64 // number of the last event that the client has
}

// snapshot shows the job as it is, and what follows from that.
func (t *stream) snapshot(job kappa.Job) error {
	t.last = job.EventSeq
	t.out.add(frame{id: t.last, event: "snapshot", data: encodeJSON(job)})
	switch {
	case job.Status.Terminal():
		t.out.add(terminalFrame(job))
		return errors.Join(t.out.push(), errStreamOver)
	case job.Progress != nil:
		t.out.add(frame{id: t.last, event: string(kappa.EventProgress), data: encodeJSON(job.Progress)})
	}
	return t.out.push()
}

// terminalFrame is the last event of a job that is over.
func terminalFrame(job kappa.Job) frame {
	f := frame{id: job.EventSeq, event: string(job.Status)}
	switch job.Status {
	case kappa.StatusFailed:
		f.data = encodeJSON(map[string]string{"error": or(job.Error, "")})
	case kappa.StatusCancelled:
		f.data = encodeJSON(map[string]string{"message": "Job was cancelled"})
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

// resume goes on after the last event that the client has seen. When the events
// since then are not kept any more, it starts again from the job as it is.
func (t *stream) resume(ctx context.Context, job kappa.Job, seen int64) error {
	t.last = seen
	err := t.replay(ctx, job.EventSeq)
	if errors.Is(err, errPruned) {
		return t.snapshot(job)
	}
	return errors.Join(err, t.out.push())
}

// replay sends the stored events up to the one numbered until. It returns
// errPruned when the next one is not there.
func (t *stream) replay(ctx context.Context, until int64) error {
	for t.last < until {
		page, err := t.server.cfg.Events.EventsAfter(ctx, t.id, t.last, replayBatch)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return errPruned
		}
		for _, e := range page {
			if err := t.event(e); err != nil {
				return err
			}
		}
		if err := t.out.push(); err != nil {
			return err
		}
	}
	return nil
}

// event adds the next event. It ends the stream with a terminal one, and
// returns errPruned for one that is not the next.
func (t *stream) event(e kappa.Event) error {
	if e.Seq != t.last+1 {
		return errPruned
	}
	t.last = e.Seq
	t.out.add(frame{id: e.Seq, event: string(e.Kind), data: orEmpty(e.Payload)})
	if e.Kind.Terminal() {
		return errors.Join(t.out.push(), errStreamOver)
	}
	return nil
}
