package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/kappagraph/kappa/work"
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
		w := &watch{stream: newStream(s.c), jobID: jobID, yield: yield}
		w.request, w.take, w.over = w.next, w.update, w.finish
		if err := w.run(ctx); err != nil && !errors.Is(err, errStopped) {
			yield(Update{}, err)
		}
	}
}

// watch is the state of one Watch.
type watch struct {
	stream
	jobID   string
	yield   func(Update, error) bool
	lastSeq int64
}

// next returns the call that opens the stream after the last event seen.
func (w *watch) next() call {
	in := get(jobPath(w.jobID)+"/stream", nil)
	in.header = http.Header{"Accept": {"text/event-stream"}}
	if w.lastSeq > 0 {
		in.header.Set("Last-Event-ID", strconv.FormatInt(w.lastSeq, 10))
	}
	return in
}

// update handles one event of the stream.
func (w *watch) update(f frame) error {
	if f.event == "error" {
		return streamError(f.data)
	}
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
