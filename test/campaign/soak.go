package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

const (
	soakLease = 15 * time.Second // what the product has
	soakRate  = 20               // jobs a second
	leastSoak = 2 * meterEvery   // so that there is something to judge

	// How much more servers may use after a while under load. Memory is compared
	// over half of the time; the rest is what connections and their pools keep.
	memoryRate    = 1 << 20  // bytes an hour
	memoryNoise   = 24 << 20 // bytes, which the garbage collector makes
	moreGoroutine = 8
	moreFiles     = 12      // the connections of the pools
	deadRows      = 5       // for each that is live, of a table with manyRows of them
	mostWAL       = 3 << 30 // bytes: max_wal_size, what slots may hold back, and one more
)

// soaked is the watched part of a soak: there are no faults, but more to do than
// processors and pools can bear.
func (c *campaign) soaked(ctx context.Context, o *outcome) error {
	m := &meter{servers: c.servers, access: c.access, dsn: c.dsn, log: c.cfg.Log}
	if err := m.begin(ctx); err != nil {
		return err
	}
	l := newLoad(c)
	loadCtx, relieve := context.WithCancel(ctx)
	defer relieve()
	c.cfg.FaultsOver = relieve // the last jobs end in peace
	var busy sync.WaitGroup
	busy.Go(func() { l.run(loadCtx) })
	busy.Go(func() { m.run(loadCtx) })
	err := c.watched(ctx, o)
	relieve()
	busy.Wait()
	if err == nil {
		err = m.settle(ctx)
	}
	m.seen.Burners, m.seen.Callers, m.seen.Answers = l.burners, l.callers, l.result()
	o.usage = &m.seen
	return err
}

// judgeSoak returns what a soak violated besides the invariants.
func judgeSoak(o *outcome) []violation {
	var found []violation
	note := func(id string, evidence []string) {
		for _, e := range evidence {
			found = append(found, violation{id, e})
		}
	}
	note("Q05", starved(o.logs, *o.usage))
	note("Q32", refused(o.usage.Answers))
	note("Q32", idlePools(*o.usage))
	note("G17", leaks(*o.usage))
	note("G17", grown(*o.usage))
	return found
}

// starved returns what happens when heartbeats do not get through.
func starved(logs logCounts, u usage) []string {
	var found []string
	if logs.Rescues > 0 || logs.LeasesLost > 0 || logs.Stale > 0 {
		found = append(found, fmt.Sprintf("nothing was broken, but %d jobs were taken back, %d leases were lost, %d ends were refused", logs.Rescues, logs.LeasesLost, logs.Stale))
	}
	if u.Terms > 0 {
		found = append(found, fmt.Sprintf("the leader changed %d times", u.Terms))
	}
	return found
}

// idlePools returns the servers whose pools nobody had to wait for: they were not
// under load.
func idlePools(u usage) []string {
	var found []string
	for i, busy := range u.Busy {
		if len(busy) == 0 || busy[len(busy)-1].Waits == u.Before[i].Waits {
			found = append(found, fmt.Sprintf("nobody waited for a pool of server %d", i))
		}
	}
	return found
}

// leaks returns what servers hold at rest that they did not hold before.
func leaks(u usage) []string {
	var found []string
	for i := range u.After {
		if was, is := u.Before[i].Goroutines, u.After[i].Goroutines; is > was+moreGoroutine {
			found = append(found, fmt.Sprintf("server %d has %.0f goroutines at rest, and had %.0f", i, is, was))
		}
		if was, is := u.Before[i].Files, u.After[i].Files; is > was+moreFiles {
			found = append(found, fmt.Sprintf("server %d has %.0f files open at rest, and had %.0f", i, is, was))
		}
	}
	return found
}

// grown returns what grows without an end.
func grown(u usage) []string {
	var found []string
	most := max(memoryNoise, memoryRate*u.Took.Hours()/2)
	for i, busy := range u.Busy {
		if more := memoryGrowth(busy); more > most {
			found = append(found, fmt.Sprintf("the memory of server %d grew by %.1f MiB in half of %s", i, more/(1<<20), u.Took.Round(time.Second)))
		}
	}
	if u.Dead > deadRows {
		found = append(found, fmt.Sprintf("a table had %.1f dead rows for each live one", u.Dead))
	}
	if u.WAL > mostWAL {
		found = append(found, fmt.Sprintf("the write-ahead log had %d MiB", u.WAL>>20))
	}
	return found
}

// memoryGrowth returns by how many bytes the middle of the last quarter is above
// that of the second one, when everything was warm.
func memoryGrowth(busy []reading) float64 {
	if len(busy) < 4 {
		return 0
	}
	quarter := len(busy) / 4
	return middle(busy[len(busy)-quarter:]) - middle(busy[quarter:2*quarter])
}

func middle(readings []reading) float64 {
	var all []float64
	for _, r := range readings {
		all = append(all, r.Memory)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// write prints what was used.
func (u usage) write(out io.Writer) {
	fmt.Fprintf(out, "  under load for %s, with %d busy processes and %d callers of each server, whose answers were: %s\n", u.Took.Round(time.Second), u.Burners, u.Callers, counted(u.Answers))
	for i, busy := range u.Busy {
		if len(busy) == 0 {
			continue
		}
		last, before, after := busy[len(busy)-1], u.Before[i], u.After[i]
		fmt.Fprintf(out, "  server %d: memory %.0f MiB at last, %+.1f MiB in half of the time; at rest before and after %.0f and %.0f goroutines, %.0f and %.0f files; %.0f waits for a pool\n",
			i, last.Memory/(1<<20), memoryGrowth(busy)/(1<<20), before.Goroutines, after.Goroutines, before.Files, after.Files, last.Waits-before.Waits)
	}
	dead := fmt.Sprintf("no table with %d dead rows", manyRows)
	if u.Dead > 0 {
		dead = fmt.Sprintf("at most %.2f dead rows for a live one", u.Dead)
	}
	fmt.Fprintf(out, "  %s, and at most %d MiB of write-ahead log\n", dead, u.WAL>>20)
}
