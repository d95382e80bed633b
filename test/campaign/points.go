package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/kappagraph/kappa/internal/pgproxy"
)

const (
	pointLimit = 20 * time.Second // for a server to reach the point at which it breaks
	pointLook  = 100 * time.Millisecond
	pointTries = 3 // a server that does not get there may have had no database, or no lock to lead with
)

// place is a point of a server at which it breaks, and how; see the failpoints
// of kg. It breaks once.
type place struct {
	point  string // before or after a statement
	action string // exit, error or sleep
	leads  bool   // only a leader gets there, or who wants to be one
}

// places returns where servers break. Those that need jobs come first, because
// towards the end of a campaign there are few.
func places() []place {
	return []place{
		{"after JobClaim", "exit", true}, // jobs that nobody has begun
		{"after JobClaim", "error", true},
		{"before JobEffect", "exit", true},
		{"after JobEffect", "exit", true},
		{"after JobEffect", "error", true},
		{"before JobFinish", "exit", true},
		{"after JobFinish", "error", true},
		{"after LeaderTake", "exit", true},
		{"before JobRescue", "exit", true}, // within a transaction
		{"after JobRescue", "exit", true},
		{"before WorkerHeartbeat", "sleep", false}, // beyond the lease
		{"after WorkerHeartbeat", "sleep", false},
		{"after LISTEN", "exit", false},
	}
}

// String names a place.
func (p place) String() string { return p.action + " " + p.point }

// pause is how long a sleep lasts.
func (p place) pause(lease time.Duration) time.Duration {
	if p.action == "sleep" {
		return lease + time.Second
	}
	return 0
}

// failpoint is the place as a setting of the server.
func (p place) failpoint(lease time.Duration) string {
	if pause := p.pause(lease); pause > 0 {
		return fmt.Sprintf("%s=%s(%s)#1", p.point, p.action, pause)
	}
	return p.point + "=" + p.action + "#1"
}

// breakAt has a server break at a place, and reports whether it got there, in a
// few tries.
func (i *injector) breakAt(ctx context.Context, f fault, target *server) (reached bool, err error) {
	for try := 0; try < pointTries && !reached && err == nil && ctx.Err() == nil; try++ {
		reached, err = i.tryBreak(ctx, f, target)
	}
	return reached, err
}

// tryBreak starts a server anew, has it break at a place, and brings it back. It
// reports false when the server did not get there in time.
func (i *injector) tryBreak(ctx context.Context, f fault, target *server) (bool, error) {
	target.kill()
	pause(ctx, f.lasts)
	limit, cancel := context.WithTimeout(ctx, pointLimit)
	defer cancel()
	from := target.logged()
	broken := func() bool { return target.logsSince(from, `msg="failpoint reached"`) }
	for limit.Err() == nil && !broken() && target.startOnce(limit, f.place.failpoint(target.lease)) != nil {
		pause(limit, serverRetry) // its database is away
	}
	if f.place.leads {
		i.makeLead(limit, target, broken)
	}
	for !broken() && pause(limit, pointLook) {
	}
	reached := broken()
	if reached && f.place.action != "exit" {
		pause(ctx, f.place.pause(target.lease))
		return true, nil // it goes on by itself, and does not break again
	}
	target.kill() // unless it has ended by itself
	return reached, target.start(ctx)
}

// makeLead keeps the other servers from the leader's lock until the target leads,
// or done.
func (i *injector) makeLead(ctx context.Context, target *server, done func() bool) {
	defer i.eachOther(target, pgproxy.Pass)
	for !done() && i.leader(ctx) != target {
		i.eachOther(target, pgproxy.Refuse)
		if !pause(ctx, pointLook) {
			return
		}
	}
}

// eachOther sets how the other servers reach the leader's lock.
func (i *injector) eachOther(target *server, m pgproxy.Mode) {
	for _, s := range i.servers {
		if s != target {
			s.proxy.Set(roleOfLeader, m)
		}
	}
}

// logged returns how much the server has logged.
func (s *server) logged() int64 {
	info, err := os.Stat(s.logPath())
	if err != nil {
		return 0
	}
	return info.Size()
}

// logsSince reports whether the server has logged a text after a mark.
func (s *server) logsSince(mark int64, text string) bool {
	file, err := os.Open(s.logPath())
	if err != nil {
		return false
	}
	defer file.Close() //nolint:errcheck // it is only read
	if _, err := file.Seek(mark, io.SeekStart); err != nil {
		return false
	}
	found, err := io.ReadAll(file)
	return err == nil && bytes.Contains(found, []byte(text))
}

// countPlaces counts at which places servers broke.
func countPlaces(faults []injected) map[string]int {
	n := map[string]int{}
	for _, f := range faults {
		if f.broke {
			n[f.place.String()]++
		}
	}
	return n
}
