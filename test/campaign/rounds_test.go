package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/await"
)

func TestMarathon(t *testing.T) {
	t.Parallel()
	cfg := config{Jobs: 1000, Faults: 250, Servers: 3, Seed: 40}
	// attempt runs a marathon whose rounds are made up, and returns the seeds of
	// those that were carried out, and what was printed.
	attempt := func(t *testing.T, state string, limit time.Duration, carryOut func(config) (figures, []violation, error)) ([]uint64, string, error) {
		t.Helper()
		var seeds []uint64
		var out bytes.Buffer
		err := (&marathon{rounds: split(cfg, 100), state: state, limit: limit, out: &out, carryOut: func(_ context.Context, c config) (figures, []violation, error) {
			seeds = append(seeds, c.Seed)
			return carryOut(c)
		}}).run(t.Context())
		return seeds, out.String(), err
	}
	good := func(c config) (figures, []violation, error) {
		return figures{Seed: c.Seed, Jobs: c.Jobs, Faults: map[faultKind]int{faultKill: c.Faults}, durations: durations{Reclaim: percentiles{time.Duration(c.Seed) * time.Second}}}, nil, nil
	}

	t.Run("the rounds make up the whole", func(t *testing.T) {
		t.Parallel()
		seeds, out, err := attempt(t, "", 0, good)
		if err != nil || !slices.Equal(seeds, []uint64{40, 41, 42}) {
			t.Errorf("rounds %v, %v", seeds, err)
		}
		if !strings.Contains(out, "all 3 rounds that are done, from seed 40: 1000 jobs, 250 faults") || !strings.Contains(out, "p50 41s, p99 42s") {
			t.Errorf("printed:\n%s", out)
		}
	})
	t.Run("in every third round all servers run the lanes", func(t *testing.T) {
		t.Parallel()
		var on []string
		for _, c := range split(cfg, 100) {
			on = append(on, c.lanes())
		}
		given, soak := cfg, config{Seed: 42, Soak: time.Hour}
		given.Lanes = "all"
		if !slices.Equal(on, []string{"leader", "leader", "all"}) || given.lanes() != "all" || soak.lanes() != "leader" {
			t.Errorf("rounds %q, as given %s, a soak %s", on, given.lanes(), soak.lanes())
		}
	})
	t.Run("the summary covers the whole", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "campaign.md")
		err := (&marathon{
			rounds: split(cfg, 100), out: io.Discard, summarize: func(f figures, v []violation) error { return summarizeTo(path, f, v, cfg) },
			carryOut: func(_ context.Context, c config) (figures, []violation, error) {
				f, _, _ := good(c)
				f.Extents = map[string]int{overClaims: 1000}
				return f, []violation{{"I05", "the claim tokens of a job increase: job_1"}}, nil
			},
		}).run(t.Context())
		if err == nil {
			t.Error("violations pass")
		}
		text, err := os.ReadFile(path)
		check(t, err)
		for _, want := range []string{
			"1,000 jobs ran on 3 servers", "250 faults were injected; rounds, each with a database of its own: 3", "Violations found: 3", "| kill | SIGKILL, then a new start | 250 |",
			"| I05 | the claim tokens of a job increase | 3,000 claims | 3 |", "| I05 | no pair of token and worker occurs twice | 3,000 claims | 0 |",
			"| G03 | last heartbeat of a dead worker → its job is approved again | 41s | 42s | 42s | 3 |", "| I14 |",
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%q is missing", want)
			}
		}
		if t.Failed() {
			t.Logf("%s", text)
		}
	})
	t.Run("after an interruption only what is left is done", func(t *testing.T) {
		t.Parallel()
		state := filepath.Join(t.TempDir(), "state")
		_, _, err := attempt(t, state, 0, func(c config) (figures, []violation, error) {
			if c.Seed == 42 {
				return figures{}, nil, errors.New("interrupted")
			}
			return good(c)
		})
		if err == nil {
			t.Error("an interrupted marathon passes")
		}
		file, err := os.OpenFile(state, os.O_APPEND|os.O_WRONLY, 0)
		check(t, err)
		_, err = file.WriteString(`{"Seed":42,"Jo`)
		check(t, errors.Join(err, file.Close()))
		seeds, out, err := attempt(t, state, 0, good)
		if err != nil || !slices.Equal(seeds, []uint64{42}) || !strings.Contains(out, "1000 jobs, 250 faults") {
			t.Errorf("rounds %v, %v, printed:\n%s", seeds, err, out)
		}
	})
	t.Run("when the time is over no round begins, and what is left is reported", func(t *testing.T) {
		t.Parallel()
		seeds, _, err := attempt(t, "", time.Nanosecond, good)
		if err == nil || !strings.Contains(err.Error(), "rounds are left") || len(seeds) > 1 {
			t.Errorf("rounds %v, %v", seeds, err)
		}
	})
	t.Run("rounds wait together, and faults are injected in one at a time", func(t *testing.T) {
		t.Parallel()
		var injecting, running, most atomic.Int32
		together := make(chan struct{}) // closed when three wait
		m := &marathon{rounds: split(cfg, 60), together: 3, out: io.Discard, carryOut: func(_ context.Context, c config) (figures, []violation, error) {
			injecting.Add(1)
			await.Never(t, time.Millisecond, "faults in two rounds at once", func() bool { return injecting.Load() > 1 })
			injecting.Add(-1)
			c.FaultsOver()
			n := running.Add(1)
			if most.Store(max(most.Load(), n)); n == 3 && c.Seed == 42 {
				close(together)
			}
			select {
			case <-together:
			case <-time.After(time.Minute):
				t.Error("the next rounds did not begin")
			}
			await.Never(t, 10*time.Millisecond, "one round too many", func() bool { return running.Load() > 3 })
			running.Add(-1)
			return good(c)
		}}
		if err := m.run(t.Context()); err != nil || most.Load() != 3 {
			t.Errorf("at most %d at once, %v", most.Load(), err)
		}
	})
	t.Run("a violation of a round that is done fails every time", func(t *testing.T) {
		t.Parallel()
		state := filepath.Join(t.TempDir(), "state")
		for range 2 {
			_, out, err := attempt(t, state, 0, func(c config) (figures, []violation, error) {
				f, _, err := good(c)
				return f, []violation{{"I01", "a job is lost"}}, err
			})
			if err == nil || !strings.Contains(out, "VIOLATED I01") {
				t.Errorf("%v, printed:\n%s", err, out)
			}
		}
	})
}
