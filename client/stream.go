package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/kappagraph/kappa"
)

// The rhythm of a stream.
const (
	silence      = 45 * time.Second // three missed keepalives: the connection is dead
	firstRetry   = time.Second      // before the server has said how long to wait
	longestRetry = 30 * time.Second
)

// stream is a stream of events that is opened anew when its connection breaks, or stays silent.
type stream struct {
	client   *Client
	retryFor time.Duration                   // how long a lost server may stay away
	request  func() call                     // opens the stream, after what was seen of it
	take     func(frame) error               // handles an event; errStopped ends the stream
	over     func(ctx context.Context) error // the server says that all was seen
	lost     func(error) error               // the connection is lost and will be tried again; nil: nobody asks

	connected bool          // at least once
	retry     time.Duration // as the server asked
	failures  int           // since the last event
	lostSince time.Time     // zero while events come
	opened    time.Time     // when the last connection began
	refused   bool          // its token was refused since the last event
}

func newStream(c *Client) stream {
	return stream{client: c, retryFor: c.retryFor, retry: firstRetry}
}

// errRevoked reports that the token of a stream is no longer good.
var errRevoked = kappa.NewError(kappa.CodeUnauthenticated, "Access revoked")

// errStopped reports that the watch is over and that there is nothing to say.
var errStopped = errors.New("watch has ended")

// run makes connection after connection until the stream is over.
func (s *stream) run(ctx context.Context) error {
	for {
		err := s.connect(ctx)
		switch {
		case errors.Is(err, errStopped):
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case s.renew(err):
			continue
		case !s.worthRetrying(err):
			return err
		}
		if s.lostSince.IsZero() {
			s.lostSince = time.Now()
		}
		wait := s.backoff(err)
		if time.Since(s.lostSince)+wait > s.retryFor {
			return fmt.Errorf("watch lost the server %s ago: %w", time.Since(s.lostSince).Round(time.Second), err)
		}
		s.failures++
		if s.lost != nil {
			if err := s.lost(err); err != nil {
				return err
			}
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// renew reports whether err says that the token of an open stream is no longer
// good, for the first time since the last event. A token lives shorter than many
// a job, so the next stream gets a new one.
func (s *stream) renew(err error) bool {
	if !errors.Is(err, errRevoked) || s.refused || s.client.tokens == nil {
		return false
	}
	s.refused = true
	s.client.tokens.dropUntil(s.opened)
	return true
}

// worthRetrying reports whether the next connection may do better.
func (s *stream) worthRetrying(err error) bool {
	if !s.connected || !broken(err) {
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
func (s *stream) backoff(err error) time.Duration {
	wait := min(s.retry<<min(s.failures, 10), max(longestRetry, s.retry))
	if answer, ok := errors.AsType[*Error](err); ok {
		wait = max(wait, answer.Problem.RetryAfter)
	}
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64()))
}

// connect opens the stream and reads it to its end. A stream that ends before
// its time is an error that is worth a retry.
func (s *stream) connect(ctx context.Context) error {
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(silence, func() { cancel(fmt.Errorf("nothing heard for %s", silence)) })
	defer watchdog.Stop()
	resp, err := s.client.send(within, s.request())
	if err != nil {
		return s.explain(ctx, within, err)
	}
	defer resp.Body.Close()
	s.connected, s.opened = true, time.Now()
	if resp.StatusCode == http.StatusNoContent {
		return s.over(ctx)
	}
	decoder := newSSEDecoder(resp.Body)
	for {
		f, err := decoder.next()
		s.retry = retryOf(decoder, s.retry)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the server closed the stream")
			}
			return s.explain(ctx, within, err)
		}
		watchdog.Reset(silence)
		s.heard(f)
		if err := s.take(f); err != nil {
			return err
		}
	}
}

// heard takes note of an event. Any event shows that the server is back; an answer without one does
// not, or a stream that always ends at once would be opened for ever.
func (s *stream) heard(f frame) {
	s.failures, s.lostSince = 0, time.Time{}
	s.refused = s.refused && f.event == "error"
}

// explain turns the failure of a connection into the error to report.
func (s *stream) explain(ctx, within context.Context, err error) error {
	var answer *Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case within.Err() != nil:
		return s.client.unreachable(context.Cause(within))
	case errors.As(err, &answer) || errors.Is(err, ErrUnreachable) || !broken(err):
		return err
	}
	return s.client.unreachable(err)
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
