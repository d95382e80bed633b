package main

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// TestSoak is a short soak with little load. It shows that the readings are made
// and that nothing is found where nothing is wrong; TestJudgeSoak shows what is.
func TestSoak_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	cfg := newConfig(t, builtProgram(t))
	cfg.Soak, cfg.Burners, cfg.Callers, cfg.Jobs, cfg.Servers, cfg.Lease = 12*time.Second, 1, 10, 120, 2, soakLease
	f := carryOut(t, cfg)
	if f.Usage == nil || len(f.Usage.Busy) != 2 || len(f.Usage.Busy[0]) == 0 || f.Usage.Busy[1][0].Memory == 0 || f.Usage.After[0].Files == 0 || f.Usage.WAL == 0 || f.Usage.Term == 0 {
		t.Errorf("readings are missing: %+v", f.Usage)
	}
	if f.Jobs < cfg.Jobs || f.Repeated != 0 {
		t.Errorf("%d of %d jobs, %d attempts repeated", f.Jobs, cfg.Jobs, f.Repeated)
	}
}

func TestJudgeSoak(t *testing.T) {
	const mib = 1 << 20
	series := func(memory ...float64) []reading {
		var all []reading
		for _, m := range memory {
			all = append(all, reading{Memory: m * mib, Waits: 9})
		}
		return all
	}
	sound := func() *outcome {
		return &outcome{usage: &usage{
			Took: time.Hour, Answers: map[string]int{"200": 9, answerNone: 1, "503": 2, "429": 3},
			Before: []reading{{Goroutines: 50, Files: 20}}, After: []reading{{Goroutines: 50 + moreGoroutine, Files: 20 + moreFiles}},
			Busy: [][]reading{series(10, 90, 50, 52, 51, 90, 53, 76)}, Dead: deadRows, WAL: mostWAL,
		}}
	}
	for name, c := range map[string]struct {
		spoil func(o *outcome)
		want  string // part of the only evidence; empty is none
	}{
		"sound":                 {func(*outcome) {}, ""},
		"a rescue":              {func(o *outcome) { o.logs.Rescues = 1 }, "1 jobs were taken back"},
		"a lease":               {func(o *outcome) { o.logs.LeasesLost = 1 }, "1 leases were lost"},
		"a refused end":         {func(o *outcome) { o.logs.Stale = 1 }, "1 ends were refused"},
		"another leader":        {func(o *outcome) { o.usage.Terms = 1 }, "the leader changed 1 times"},
		"an internal error":     {func(o *outcome) { o.usage.Answers["500"] = 4 }, "4 calls were answered with 500"},
		"nothing works":         {func(o *outcome) { delete(o.usage.Answers, "200") }, "no call had a good answer"},
		"no load":               {func(o *outcome) { o.usage.Before[0].Waits = 9 }, "nobody waited for a pool of server 0"},
		"no readings":           {func(o *outcome) { o.usage.Busy[0] = nil }, "nobody waited for a pool of server 0"},
		"goroutines":            {func(o *outcome) { o.usage.After[0].Goroutines++ }, "has 59 goroutines at rest, and had 50"},
		"files":                 {func(o *outcome) { o.usage.After[0].Files++ }, "has 33 files open at rest, and had 20"},
		"memory":                {func(o *outcome) { o.usage.Busy[0] = series(10, 90, 50, 52, 51, 90, 53, 77) }, "memory of server 0 grew by 25.0 MiB in half of 1h"},
		"memory in a long run":  {func(o *outcome) { o.usage.Took, o.usage.Busy[0] = 60*time.Hour, series(50, 50, 50, 80) }, ""},
		"… that grows too fast": {func(o *outcome) { o.usage.Took, o.usage.Busy[0] = 60*time.Hour, series(50, 50, 50, 81) }, "grew by 31.0 MiB in half of 60h"},
		"dead rows":             {func(o *outcome) { o.usage.Dead = deadRows + 1 }, "6.0 dead rows"},
		"the log":               {func(o *outcome) { o.usage.WAL += mib }, "log had 3073 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			o := sound()
			c.spoil(o)
			found := judgeSoak(o)
			switch {
			case c.want == "" && len(found) > 0:
				t.Errorf("found %v where nothing is wrong", found)
			case c.want != "" && (len(found) != 1 || !strings.Contains(found[0].Evidence, c.want)):
				t.Errorf("found %v, want one violation with %q", found, c.want)
			}
		})
	}
}

func TestSumMetrics(t *testing.T) {
	got, err := sumMetrics(strings.NewReader("# HELP a b\n# TYPE a counter\na{x=\"1 {2\"} 1.5e3\na{x=\"2\"} 2\nb 7\n\n"))
	if want := map[string]float64{"a": 1502, "b": 7}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v and %v, want %v", got, err, want)
	}
	if _, err := sumMetrics(strings.NewReader("a seven\n")); err == nil {
		t.Error("a metric without a number was read")
	}
}
