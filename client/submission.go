package client

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"net"
	"net/http"
	"time"
)

const (
	submitTries   = 3
	submitPause   = 200 * time.Millisecond // before the second try, and four times that before the third
	submitPatient = 2 * time.Second        // that a busy server may ask for
	keyHeader     = "Idempotency-Key"
)

// fetchOnce makes a call that makes something, and decodes the answer. It carries a key,
// one of its own unless the caller gave one, so that it is sent again when its answer was
// lost or the server was busy: the server makes nothing more.
func fetchOnce[T any](ctx context.Context, c *Client, in call) (T, error) {
	in.header = maps.Clone(in.header)
	if in.header == nil {
		in.header = http.Header{}
	}
	if in.header.Get(keyHeader) == "" {
		in.header.Set(keyHeader, rand.Text())
	}
	pause := submitPause
	for try := 1; ; try++ {
		out, err := fetch[T](ctx, c, in)
		if try == submitTries || !safeToResend(err) {
			return out, err
		}
		select {
		case <-ctx.Done():
			return out, err
		case <-time.After(pause):
		}
		pause *= 4
	}
}

// fetchJSONOnce is fetchOnce for v as JSON.
func fetchJSONOnce[T any](ctx context.Context, c *Client, method, path string, v any) (T, error) {
	in, err := withJSON(method, path, v)
	if err != nil {
		var none T
		return none, err
	}
	return fetchOnce[T](ctx, c, in)
}

// safeToResend reports whether sending a call again may help: its answer was lost, or the
// server is busy for a moment. Where nobody listens, nobody will soon.
func safeToResend(err error) bool {
	if refused, ok := errors.AsType[*Error](err); ok {
		wait := refused.Problem.RetryAfter
		return refused.Status == http.StatusServiceUnavailable && wait > 0 && wait <= submitPatient
	}
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return false
	}
	return errors.Is(err, ErrUnreachable) && !errors.Is(err, context.DeadlineExceeded)
}
