package main

import (
	"errors"
	"fmt"
	"log/slog"
	"time"
)

const (
	databaseUser = "kappa"
	databaseName = "kappa"
	// completeSchedule is the number of faults from which on each kind has its
	// full share.
	completeSchedule = 100
	defaultEvery     = 600 * time.Millisecond
	defaultServers   = 4
	defaultLease     = 3 * time.Second
)

// config says how large a campaign is and what decides it.
type config struct {
	Jobs    int
	Faults  int
	Servers int
	Seed    uint64
	Every   time.Duration // mean time between two faults
	Lease   time.Duration // of the servers, whole seconds
	Lanes   string        // which servers run the lanes, as in KG_LANES; empty: the seed decides
	Soak    time.Duration // under load and without faults, for so long; 0 is a campaign
	Burners int           // busy processes of a soak
	Callers int           // clients of each server in a soak
	Program string        // kg
	Dir     string        // for PostgreSQL, sockets and logs; empty at the start
	// Together is the most rounds at once: faults in one, while in the others the
	// last jobs end.
	Together int
	Log      *slog.Logger
	// FaultsOver, unless nil, is called when the last fault is over, and the jobs
	// that are left have the machine to themselves.
	FaultsOver func()
}

// validate reports everything that is wrong.
func (c config) validate() error {
	var broken []error
	broken = append(broken, checkRange("jobs", c.Jobs, 1, 10_000_000), checkRange("faults", c.Faults, 0, 1_000_000), checkRange("servers", c.Servers, 1, 16), checkRange("together", c.Together, 0, 16), checkRange("busy processes", c.Burners, 0, 1000), checkRange("callers", c.Callers, 0, 1000))
	if c.Every < 100*time.Millisecond {
		broken = append(broken, fmt.Errorf("the time between faults must be at least 100ms, got %s", c.Every))
	}
	if c.Soak != 0 && c.Soak < leastSoak {
		broken = append(broken, fmt.Errorf("a soak must last at least %s, got %s", leastSoak, c.Soak))
	}
	if c.Soak > 0 && c.Faults > 0 {
		broken = append(broken, fmt.Errorf("a soak has no faults, got %d", c.Faults))
	}
	if c.Lease < time.Second || c.Lease%time.Second != 0 {
		broken = append(broken, fmt.Errorf("the lease must be whole seconds, got %s", c.Lease))
	}
	if c.Lanes != "" && c.Lanes != "leader" && c.Lanes != "all" {
		broken = append(broken, fmt.Errorf("the lanes run on leader or all, got %q", c.Lanes))
	}
	return errors.Join(broken...)
}

// checkRange returns an error when a number is out of its range.
func checkRange(name string, value, least, most int) error {
	if value < least || value > most {
		return fmt.Errorf("%s must be %d to %d, got %d", name, least, most, value)
	}
	return nil
}

// everyServer is how many rounds there are for each whose servers all run the lanes.
const everyServer = 3

// lanes returns which servers run the lanes: the leader or, in every third round, all.
// A soak is about one server that is busy.
func (c config) lanes() string {
	switch {
	case c.Lanes != "":
		return c.Lanes
	case c.Soak == 0 && c.Seed%everyServer == 0:
		return "all"
	}
	return "leader"
}

// span is the time over which jobs are submitted and faults injected.
func (c config) span() time.Duration {
	if c.Soak > 0 {
		return c.Soak
	}
	return max(time.Duration(c.Faults)*c.Every, time.Duration(c.Jobs)*time.Millisecond*5)
}
