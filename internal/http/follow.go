package http

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/kappagraph/kappa"
)

const recheckTimeout = 5 * time.Second // for one look at the database

// follow forwards live events until the job is over, the client goes, the
// server stops, or the subscription ends because the client is too slow. In the
// last two cases the client comes back and resumes.
func (t *stream) follow(ctx context.Context, events <-chan *kappa.Event) error {
	limits, closing := t.server.cfg.Limits, t.server.closing
	silence := time.NewTimer(limits.Keepalive)
	defer silence.Stop()
	recheck := time.NewTicker(limits.Recheck)
	defer recheck.Stop()
	var leave <-chan time.Time
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-closing: // not all at once, or they all come back at once
			closing, leave = nil, time.After(rand.N(limits.StreamSpread))
		case <-leave:
			return errStreamOver
		case e, ok := <-events:
			if !ok {
				return errStreamOver
			}
			err = t.forward(ctx, *e)
		case <-silence.C:
			t.out.add(frame{event: "keepalive", data: encodeJSON(map[string]kappa.Time{"timestamp": kappa.At(time.Now())})})
		case <-recheck.C:
			err = t.recheck(ctx)
		}
		if err := errors.Join(err, t.out.push()); err != nil {
			return err
		}
		silence.Reset(time.Until(t.out.sentAt.Add(limits.Keepalive)))
	}
}

// forward adds a live event, unless the client has it, after those that are
// missing before it.
func (t *stream) forward(ctx context.Context, e kappa.Event) error {
	if e.Seq > t.last+1 {
		if err := t.catchUp(ctx, e.Seq-1); err != nil {
			return err
		}
	}
	if e.Seq <= t.last {
		return nil
	}
	return t.event(e)
}

// catchUp brings the client to at least the event numbered until, by a new
// snapshot if events are no longer kept.
func (t *stream) catchUp(ctx context.Context, until int64) error {
	err := t.replay(ctx, until)
	if !errors.Is(err, errPruned) {
		return err
	}
	job, err := t.server.cfg.Jobs.Job(ctx, t.id)
	if kappa.ErrorCode(err) == kappa.CodeNotFound {
		return t.end("Job disappeared")
	}
	if err != nil {
		return err
	}
	return t.snapshot(job)
}

// recheck ends the stream when its token is no longer good or the job is gone,
// and catches up with events that nobody told of. A database that does not
// answer is no reason to end.
func (t *stream) recheck(ctx context.Context) error {
	look, cancel := context.WithTimeout(ctx, recheckTimeout)
	defer cancel()
	_, err := t.server.admit(look, t.bearer, jobsRead)
	if code := kappa.ErrorCode(err); code == kappa.CodeUnauthenticated || code == kappa.CodeForbidden {
		return t.end("Access revoked")
	}
	job, err := t.server.cfg.Jobs.Job(look, t.id)
	if kappa.ErrorCode(err) == kappa.CodeNotFound {
		return t.end("Job disappeared")
	}
	if err == nil && job.EventSeq > t.last {
		return t.catchUp(look, job.EventSeq)
	}
	return nil
}

// end tells the client why the stream ends.
func (t *stream) end(reason string) error {
	t.out.add(frame{event: "error", data: encodeJSON(map[string]string{"error": reason})})
	return errors.Join(t.out.push(), errStreamOver)
}
