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
	defaultEvery     = 1200 * time.Millisecond
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
	Limit   time.Duration // submissions and faults end after it; 0 is none
	Program string        // kg
	Dir     string        // for PostgreSQL, sockets and logs; empty at the start
	Log     *slog.Logger
}

// validate reports everything that is wrong.
func (c config) validate() error {
	var broken []error
	for _, rule := range []struct {
		name               string
		value, least, most int
	}{{"jobs", c.Jobs, 1, 10_000_000}, {"faults", c.Faults, 0, 1_000_000}, {"servers", c.Servers, 1, 16}} {
		if rule.value < rule.least || rule.value > rule.most {
			broken = append(broken, fmt.Errorf("%s must be %d to %d, got %d", rule.name, rule.least, rule.most, rule.value))
		}
	}
	if c.Every < 100*time.Millisecond {
		broken = append(broken, fmt.Errorf("the time between faults must be at least 100ms, got %s", c.Every))
	}
	if c.Lease < time.Second || c.Lease%time.Second != 0 {
		broken = append(broken, fmt.Errorf("the lease must be whole seconds, got %s", c.Lease))
	}
	return errors.Join(broken...)
}

// span is the time over which jobs are submitted and faults injected.
func (c config) span() time.Duration {
	return max(time.Duration(c.Faults)*c.Every, time.Duration(c.Jobs)*time.Millisecond*5)
}
