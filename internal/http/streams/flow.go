package streams

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/http"
)

// flow is what all event streams have in common, whatever they show: it goes on
// until there is no more to show, the client goes, its rights end or the server
// stops.
type flow struct {
	api           *API
	out           *frameWriter
	open          *openStream
	request, path string // of the request, for the log
	silenced      bool   // it waits for a confirmation
}

// show is what an event stream shows.
type show interface {
	// begin adds what the client sees first.
	begin(c *gin.Context) error
	// ready has a value when take has something to add, or to end the stream for.
	ready() <-chan struct{}
	take(ctx context.Context) error
	// leave is called at the end, whatever came before.
	leave()
}

// newFlow counts a stream in, until done. It returns CodeRateLimited when there
// are too many.
func (a *API) newFlow(c *gin.Context, demands ...access.Permission) (flow, error) {
	ctx := c.Request.Context()
	http.AnswerBegins(ctx)
	if conn, ok := http.ConnectionOf(ctx); ok {
		_ = limitSilence(conn.Conn, a.cfg.Limits.write) // as far as supported
	}
	open, err := a.streams.add(http.PrincipalOf(ctx), http.AuthenticatedAt(ctx), demands...)
	return flow{
		api: a, open: open, out: newFrameWriter(c, a.cfg.Limits.write, a.counts.countEvent),
		request: http.RequestID(ctx), path: c.Request.URL.Path,
	}, err
}

// serve shows s to the client. It returns when the stream has ended, or goes on
// without the request, and its error when the answer has not begun, so that it
// can be an ordinary one.
func (f *flow) serve(c *gin.Context, s show) error {
	away := false
	end := func() {
		s.leave()
		f.api.streams.remove(f.open)
	}
	defer func() {
		if !away {
			end()
		}
	}()
	err := s.begin(c)
	switch {
	case errors.As(err, new(streamEnd)):
		err = f.push(err)
	case err == nil:
		away, err = f.detach(c.Request, func(ctx context.Context) {
			defer end()
			f.recordEnd(ctx, f.run(ctx, s))
		})
		if away {
			return nil
		}
		if err == nil {
			err = f.run(c.Request.Context(), s)
		}
	}
	if !f.out.begun() && !errors.Is(err, errNothingNew) {
		return err
	}
	f.recordEnd(c.Request.Context(), err)
	return nil
}

// recordEnd counts why a stream has ended, and logs it when something behind it has
// failed.
func (f *flow) recordEnd(ctx context.Context, err error) {
	if errors.Is(err, errNothingNew) {
		return
	}
	end := endOf(ctx, err)
	f.api.counts.countEnd(end)
	if end == endFailed {
		f.api.cfg.Log.WarnContext(ctx, "stream cut", "request", f.request, "path", f.path, "err", err)
	}
}

// endOf returns why a stream ended.
func endOf(ctx context.Context, err error) streamEnd {
	var end streamEnd
	switch {
	case errors.As(err, &end):
		return end
	case errors.Is(err, os.ErrDeadlineExceeded):
		return endSlow
	case ctx.Err() != nil || errors.As(err, new(writeError)):
		return endClient
	}
	return endFailed
}

// writeError is the failure of a write to the client.
type writeError struct{ error }

// Unwrap returns the cause.
func (e writeError) Unwrap() error { return e.error }

// run sends what was added so far, and then what s adds whenever it is ready or
// the stream was woken, as long as it may show anything. It returns why the stream ends.
func (f *flow) run(ctx context.Context, s show) error {
	if err := f.push(nil); err != nil {
		return err
	}
	closing := f.api.closing
	var leave <-chan time.Time
	timer := time.NewTimer(f.due())
	defer timer.Stop()
	for {
		var err error
		ready := s.ready()
		if f.silenced {
			ready = nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-closing: // not all at once, or they all come back at once
			closing, leave = nil, time.After(rand.N(f.api.cfg.Limits.spread))
		case <-leave:
			err = f.sendAway(endStopping)
		case <-f.open.wake.C():
			if err = f.checkAccess(); err == nil {
				err = f.take(ctx, s)
			}
		case <-ready:
			err = f.take(ctx, s)
		case <-timer.C: // not set anew with each event, so it often finds that there was one
			if err = f.checkAccess(); err == nil && f.silent() <= 0 {
				f.out.keepalive(f.api.cfg.Now())
			}
			timer.Reset(f.due())
		}
		if err := f.send(err); err != nil {
			return err
		}
	}
}

// take adds what s has, unless the stream may show nothing: then it waits until it
// is woken.
func (f *flow) take(ctx context.Context, s show) error {
	f.silenced = !f.open.mayShow()
	if f.silenced {
		return nil
	}
	if err := s.take(ctx); err != nil {
		return f.push(err)
	}
	return f.push(nil)
}

// push sends what s has added, and returns err, or why that is not possible. What
// was read while the stream lost its confirmation is not shown: the client comes
// back for it, unless its right is known to be gone.
func (f *flow) push(err error) error {
	if f.out.empty() || f.open.mayShow() {
		return f.send(err)
	}
	f.out.drop()
	if ended := f.checkAccess(); ended != nil {
		return f.send(ended)
	}
	if !f.out.begun() {
		return errUnsure()
	}
	return f.send(f.sendAway(endUnsure))
}

func errUnsure() error {
	return &kappa.Error{Code: kappa.CodeUnavailable, Message: "Access could not be verified; try again", RetryAfter: time.Second}
}

// send sends what was added, and returns err, or why that is not possible.
func (f *flow) send(err error) error {
	if failed := f.out.push(); failed != nil {
		return writeError{failed}
	}
	return err
}

// silent returns how long until the silence needs breaking.
func (f *flow) silent() time.Duration {
	return time.Until(f.out.sentAt.Add(f.api.cfg.Limits.keepalive))
}

// due returns how long until time alone calls for something.
func (f *flow) due() time.Duration {
	wait := f.silent()
	if expires := f.open.principal.ExpiresAt; !expires.IsZero() {
		wait = min(wait, expires.Sub(f.api.cfg.Now()))
	}
	return wait
}

// checkAccess ends the stream when its principal has lost the right to it.
func (f *flow) checkAccess() error {
	expires := f.open.principal.ExpiresAt
	switch {
	case f.open.revoked.Load():
		return f.end(endRevoked, "Access revoked")
	case !expires.IsZero() && !f.api.cfg.Now().Before(expires.Time):
		return f.end(endExpired, "Access revoked")
	}
	return nil
}

// end sends the client the reason why the stream ends.
func (f *flow) end(why streamEnd, reason string) error {
	f.out.add(frame{event: "error", data: http.EncodeJSON(map[string]string{"error": reason})})
	return why
}

// sendAway ends the stream for now: the client comes back, though not with all
// others at once.
func (f *flow) sendAway(why streamEnd) error {
	clients := max(f.api.streams.count(), int(f.api.leaving.Load()))
	f.out.retry(returnWithin(clients))
	return why
}
