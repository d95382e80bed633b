package postgres

import (
	"context"
	"sync/atomic"
	"time"
)

// clock knows the database's time without asking for it each time. What ends by
// the database's clock, or is compared with a time that it wrote, is measured by
// this one: the machine's own may be wrong, and a fleet's differ.
type clock struct{ last atomic.Pointer[reading] }

// reading is what the database's clock showed at an instant of this machine, which
// also carries the monotonic clock: a step of the machine's time changes nothing.
type reading struct {
	here time.Time
	// ahead is how far the database's clock was ahead. It is off by half the time
	// that the question took, at most.
	ahead time.Duration
}

// Now returns the database's time, as far as it is known: by the last ReadClock,
// which Open calls. It asks nobody.
func (d *DB) Now() time.Time { return d.clock.now() }

func (c *clock) now() time.Time {
	r := c.last.Load()
	if r == nil {
		return time.Now()
	}
	// Wall time and what has passed since are added apart, for the machine's own
	// wall time may have been set meanwhile.
	return r.here.Round(0).Add(r.ahead + time.Since(r.here))
}

const (
	clockSure  = time.Second // a reading that took longer is asked for again
	clockTries = 3
)

// ReadClock asks the database for its time, and returns how far its clock is ahead
// of this machine's.
func (d *DB) ReadClock(ctx context.Context) (ahead time.Duration, err error) {
	r, err := readClock(func() (there time.Time, err error) {
		err = d.probes.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&there)
		return there, err
	})
	if err != nil {
		return 0, translate(err, "read the clock")
	}
	d.clock.last.Store(r)
	return r.ahead, nil
}

// readClock asks for the time. Where that took long, because the network stood or this
// process was halted meanwhile, it asks again, and takes the best answer.
func readClock(ask func() (there time.Time, err error)) (*reading, error) {
	var (
		best     *reading
		bestTook time.Duration
	)
	for range clockTries {
		asked := time.Now()
		there, err := ask()
		took := time.Since(asked)
		if err != nil {
			if best != nil {
				break
			}
			return nil, err
		}
		if best == nil || took < bestTook {
			here := asked.Add(took / 2)
			best, bestTook = &reading{here: here, ahead: there.Sub(here)}, took
		}
		if took <= clockSure {
			break
		}
	}
	return best, nil
}
