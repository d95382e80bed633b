package notify

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"
)

const (
	reconnectFirst = 100 * time.Millisecond
	reconnectSoon  = 500 * time.Millisecond // longest pause while an outage is young: a restart takes seconds
	reconnectYoung = time.Minute
	reconnectMost  = 5 * time.Second // longest pause afterwards
)

// reconnect calls serve until ctx ends, again after each failure: after 100 ms
// at first, then with growing pauses up to half a second in the first minute of
// an outage and 5 s later on, each varied by half so that a fleet does not come
// back at once. serve calls s.connected when messages arrive and returns when
// they no longer do; reconnect records the loss. It returns nil.
func reconnect(ctx context.Context, log *slog.Logger, s *state, serve func(ctx context.Context) error) error {
	log = log.With("source", s.snapshot().Name)
	s.begun()
	wait, outage, said := reconnectFirst, time.Now(), ""
	for {
		started := time.Now()
		err := serve(ctx)
		if ctx.Err() != nil {
			s.stopped()
			return nil //nolint:nilerr // it was asked to stop
		}
		if s.lost(err) {
			outage, said = time.Now(), ""
			if time.Since(started) > reconnectMost {
				wait = reconnectFirst
			}
		}
		level := slog.LevelDebug // the same failure again says nothing new
		if text := s.snapshot().Error; text != said {
			level, said = slog.LevelWarn, text
		}
		pause := wait/2 + rand.N(wait)
		log.Log(ctx, level, "event source interrupted; jobs are polled meanwhile", "err", said, "retry_in", pause)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		wait = min(2*wait, longestPause(time.Since(outage)))
	}
}

// longestPause returns how long to wait at most before another attempt.
func longestPause(outage time.Duration) time.Duration {
	if outage < reconnectYoung {
		return reconnectSoon
	}
	return reconnectMost
}
