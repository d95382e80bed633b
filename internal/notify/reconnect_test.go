package notify

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestReconnect(t *testing.T) {
	t.Run("tries often while an outage is young, and seldom later", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var tries []time.Time
			s := newState("test")
			stop := startReconnect(t, s, func(context.Context) error {
				tries = append(tries, time.Now())
				return errors.New("away")
			})
			began := time.Now()
			time.Sleep(10 * time.Minute)
			stop()
			longest := map[bool]time.Duration{} // by whether the outage is young
			for i := range tries[1:] {
				young := tries[i].Sub(began) < reconnectYoung-reconnectMost
				longest[young] = max(longest[young], tries[i+1].Sub(tries[i]))
			}
			if longest[true] > 750*time.Millisecond || longest[false] < 5*time.Second || longest[false] > 7500*time.Millisecond {
				t.Errorf("longest pauses: %s in the first minute, %s later", longest[true], longest[false])
			}
			if state := s.snapshot(); state.Reconnects != 0 || state.Error != "away" || !state.Since.Equal(began) {
				t.Errorf("state %+v, want no reconnect without a connection", state)
			}
		})
	})

	t.Run("counts the connections that were lost", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newState("test")
			stop := startReconnect(t, s, func(ctx context.Context) error {
				s.connected()
				s.lag(time.Millisecond)
				s.lagBytes(5)
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(10 * time.Second):
					return errors.New("dial postgres://kappa:geheim@db/kappa: lost")
				}
			})
			time.Sleep(5 * time.Second)
			if state := s.snapshot(); !state.Connected || *state.LagMS != 1 || *state.LagBytes != 5 || state.Error != "" {
				t.Errorf("state %+v, want a connection", state)
			}
			time.Sleep(5*time.Second + time.Millisecond)
			state := s.snapshot()
			if state.Connected || state.Reconnects != 1 || state.LagMS != nil || state.LagBytes != nil {
				t.Errorf("state %+v, want a lost connection", state)
			}
			if d := time.Since(state.Since.Time); d != time.Millisecond || strings.Contains(state.Error, "geheim") || !strings.Contains(state.Error, "lost") {
				t.Errorf("lost %s ago: %q", d, state.Error)
			}
			time.Sleep(time.Second)
			stop()
			if state := s.snapshot(); state.Connected || state.Reconnects != 1 {
				t.Errorf("state after the end %+v: an end is no lost connection", state)
			}
		})
	})
}

func startReconnect(t *testing.T, s *state, serve func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := reconnect(ctx, quiet, s, serve); err != nil {
			t.Errorf("returned %v", err)
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}
