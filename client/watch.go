package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// The rhythm of a watch.
const (
	silence      = 45 * time.Second // three missed keepalives: the connection is dead
	firstRetry   = time.Second      // before the server has said how long to wait
	longestRetry = 30 * time.Second
)

// Watch follows a job from its present state to its end. It yields a snapshot
// first, then each event in the order of its Seq, no status left out or
// doubled though a progress may be, and ends after the job's terminal event. A job that has ended already
// yields its snapshot and that event.
//
// A connection that breaks, or stays silent, is made anew from the last event
// seen, with a growing wait around what the server asked for; a snapshot may
// follow then. The watch yields an error and ends when the server refuses it,
// when the first connection fails, or when a lost server stays away for
// Config.RetryFor. A token that expires meanwhile is replaced: only a second
// refusal without news in between ends the watch. When ctx ends, it ends with its error. Stopping the
// iteration never touches the job.
func (s Jobs) Watch(ctx context.Context, jobID string) iter.Seq2[Update, error] {
	return func(yield func(Update, error) bool) {
		w := &watch{client: s.c, jobID: jobID, yield: yield, retry: firstRetry}
		if err := w.run(ctx); err != nil && !errors.Is(err, errStopped) {
			yield(Update{}, err)
		}
	}
}

// errRevoked reports that the token of a stream is no longer good.
var errRevoked = kappa.NewError(kappa.CodeUnauthenticated, "Access revoked")

// errStopped reports that the watch is over and that there is nothing to say.
var errStopped = errors.New("watch has ended")

// watch is the state of one Watch.
type watch struct {
	client *Client
	jobID  string
	yield  func(Update, error) bool

	lastSeq   int64
	connected bool          // at least once
	retry     time.Duration // as the server asked
	failures  int           // since the last event
	lostSince time.Time     // zero while events come
	opened    time.Time     // when the last stream began
	refused   bool          // its token was refused since the last event
}

// run makes connection after connection until the job ends.
func (w *watch) run(ctx context.Context) error {
	for {
		err := w.connect(ctx)
		switch {
		case errors.Is(err, errStopped):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case w.renew(err):
			continue
		case !w.worthRetrying(err):
			return err
		}
		if w.lostSince.IsZero() {
			w.lostSince = time.Now()
		}
		wait := w.backoff(err)
		if time.Since(w.lostSince)+wait > w.client.retryFor {
			return fmt.Errorf("watch lost the server %s ago: %w", time.Since(w.lostSince).Round(time.Second), err)
		}
		w.failures++
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// renew reports whether err says that the token of an open stream is no longer
// good, for the first time since the last event. A token lives shorter than many
// a job, so the next stream gets a new one.
func (w *watch) renew(err error) bool {
	if !errors.Is(err, errRevoked) || w.refused || w.client.tokens == nil {
		return false
	}
	w.refused = true
	w.client.tokens.dropUntil(w.opened)
	return true
}

// worthRetrying reports whether the next connection may do better.
func (w *watch) worthRetrying(err error) bool {
	if !w.connected || !broken(err) {
		return false
	}
	switch kappa.ErrorCode(err) {
	case kappa.CodeUnavailable, kappa.CodeRateLimited:
		return true
	case kappa.CodeInternal:
		var answer *Error
		return errors.As(err, &answer) && answer.Status >= 500 || errors.Is(err, ErrUnreachable)
	}
	return false
}

// backoff returns how long to wait: what the server asked for, doubled with
// each failure in a row, ±20 % so that many watches do not return together.
func (w *watch) backoff(err error) time.Duration {
	wait := min(w.retry<<min(w.failures, 10), max(longestRetry, w.retry))
	if answer, ok := errors.AsType[*Error](err); ok {
		wait = max(wait, answer.Problem.RetryAfter)
	}
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64()))
}

// connect opens the stream and reads it to its end. A stream that ends before
// the job does is an error that is worth a retry.
func (w *watch) connect(ctx context.Context) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(silence, func() { cancel(fmt.Errorf("nothing heard for %s", silence)) })
	defer watchdog.Stop()
	resp, err := w.client.send(within, w.request())
	if err != nil {
		return w.explain(ctx, within, err)
	}
	defer resp.Body.Close()
	w.connected, w.opened = true, time.Now()
	if resp.StatusCode == http.StatusNoContent {
		return w.finish(ctx)
	}
	decoder := newSSEDecoder(resp.Body)
	for {
		f, err := decoder.next()
		w.retry = retryOf(decoder, w.retry)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the server closed the stream")
			}
			return w.explain(ctx, within, err)
		}
		watchdog.Reset(silence)
		if err := w.take(f); err != nil {
			return err
		}
	}
}

// request returns the call that opens the stream after the last event seen.
func (w *watch) request() call {
	in := get(jobPath(w.jobID)+"/stream", nil)
	in.header = http.Header{"Accept": {"text/event-stream"}}
	if w.lastSeq > 0 {
		in.header.Set("Last-Event-ID", strconv.FormatInt(w.lastSeq, 10))
	}
	return in
}

// explain turns the failure of a connection into the error to report.
func (w *watch) explain(ctx, within context.Context, err error) error {
	var answer *Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case within.Err() != nil:
		return w.client.unreachable(context.Cause(within))
	case errors.As(err, &answer) || errors.Is(err, ErrUnreachable) || !broken(err):
		return err
	}
	return w.client.unreachable(err)
}

// take handles one event of the stream. Any event shows that the server is
// back; an answer without one does not, or a stream that always ends at once
// would be opened for ever.
func (w *watch) take(f frame) error {
	w.failures, w.lostSince = 0, time.Time{}
	if f.event == "error" {
		return streamError(f.data)
	}
	w.refused = false
	u, ok, err := newUpdate(w.jobID, f, time.Now())
	if err != nil || !ok {
		return err
	}
	if w.seen(u) {
		return nil
	}
	w.lastSeq = u.Seq
	if !w.yield(u, nil) || u.Kind.Terminal() {
		return errStopped
	}
	return nil
}

// seen reports whether u has nothing new. A snapshot always does; it may even
// go back, when the server has lost events. A progress may repeat the number of
// the snapshot that it belongs to.
func (w *watch) seen(u Update) bool {
	switch u.Kind {
	case UpdateSnapshot:
		return false
	case work.EventProgress:
		return u.Seq < w.lastSeq
	}
	return u.Seq <= w.lastSeq && !u.Kind.Terminal()
}

// finish ends a watch that the server says has seen everything. The terminal
// event may have been missed all the same: the snapshot of a job that has ended
// carries the number of that event, and the connection may break after it.
func (w *watch) finish(ctx context.Context) error {
	job, err := w.client.Jobs.Get(ctx, w.jobID)
	switch {
	case err != nil:
		return err
	case !job.Status.Terminal():
		return fmt.Errorf("the server has no events for job %s, which is %s", w.jobID, job.Status)
	}
	w.yield(terminalUpdate(job, time.Now()), nil)
	return errStopped
}

// streamError reads an error that the server reports in the middle of a stream.
func streamError(data string) error {
	text := errorText([]byte(data))
	switch text {
	case errRevoked.Message:
		return errRevoked
	case "":
		text = "the server ended the stream with an error"
	}
	return kappa.NewError(kappa.CodeNotFound, text) // the job was deleted
}

// retryOf returns the wait that the server asked for, within reason.
func retryOf(d *sseDecoder, before time.Duration) time.Duration {
	if d.retry == 0 {
		return before
	}
	return min(max(d.retry, 100*time.Millisecond), time.Minute)
}

// pause waits, or returns early with the context's error.
func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
